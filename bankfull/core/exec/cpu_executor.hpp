#pragma once

#include "bankfull/core/exec/run_on_team.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace bankfull {

/// Runs the loops that build data structures on a team of threads; CudaExecutor has the same
/// functions for a GPU, so that what is built with them is written once.
class CpuExecutor {
 public:
  /// Throws UsageError where OpenMP gives fewer threads: see Team.
  explicit CpuExecutor(int threads) : team_(threads) {}

  /// Where the arrays that it works on lie.
  static constexpr MemorySpace space = MemorySpace::host;

  /// The threads that run its loops.
  [[nodiscard]] const Team& team() const { return team_; }

  /// The same, as CudaExecutor has it: on a CPU each array has pages of its own.
  [[nodiscard]] CpuExecutor with_region(std::int64_t /*bytes*/) const { return *this; }

  /// An array of `count` elements, uninitialised and not touched yet.
  template <class T>
  [[nodiscard]] Buffer<T> make(std::int64_t count) const {
    return Buffer<T>(space, static_cast<std::size_t>(count));
  }

  /// body(n) for all n in [0, count), in any order. Bodies can be copied to a GPU: they hold plain
  /// data.
  template <class Body>
  void each(std::int64_t count, Body body) const {
#pragma omp parallel num_threads(team_.threads())
    {
      const Range mine = my_share(count);
      for (std::int64_t n = mine.begin; n < mine.end; ++n) {
        body(n);
      }
    }
  }

  /// body(n) for all n of the ranges; each thread has its share of each range, as in work that goes
  /// through them one after the other.
  template <class Body>
  void each_in(const std::vector<Range>& ranges, Body body) const {
#pragma omp parallel num_threads(team_.threads())
    for (const Range& range : ranges) {
      const Range mine = my_share(range.size());
      for (std::int64_t n = mine.begin; n < mine.end; ++n) {
        body(range.begin + n);
      }
    }
  }

  /// Sets data[n] for all n in [0, count).
  template <class T>
  void fill(T* data, std::int64_t count, T value) const {
    each(count, [=](std::int64_t n) { data[n] = value; });
  }

  /// starts[n] = counts[0] + ... + counts[n - 1] for n in [0, count]; returns the last. Both arrays
  /// have count + 1 elements.
  std::int64_t exclusive_sum(const std::int32_t* counts, std::int64_t count,
                             std::int64_t* starts) const {
    // Of each thread first the sum of its share, then that of the shares before it.
    std::vector<std::int64_t> before(static_cast<std::size_t>(team_.threads()) + 1, 0);
#pragma omp parallel num_threads(team_.threads())
    {
      const Range mine = my_share(count);
      const auto me = static_cast<std::size_t>(share_number());
      before[me + 1] = std::accumulate(counts + mine.begin, counts + mine.end, std::int64_t{0});
#pragma omp barrier
#pragma omp single
      std::partial_sum(before.begin(), before.end(), before.begin());
      std::int64_t sum = before[me];
      for (std::int64_t n = mine.begin; n < mine.end; ++n) {
        starts[n] = sum;
        sum += counts[n];
      }
    }
    starts[count] = before.back();
    return before.back();
  }

  /// The same for several lists of counts, which lie one after the other.
  template <std::size_t Lists>
  std::array<std::int64_t, Lists> exclusive_sums(
      const std::int32_t* counts, std::int64_t count,
      const std::array<std::int64_t*, Lists>& starts) const {
    std::array<std::int64_t, Lists> totals = {};
    for (std::size_t n = 0; n < Lists; ++n) {
      totals[n] =
          exclusive_sum(counts + static_cast<std::int64_t>(n) * (count + 1), count, starts[n]);
    }
    return totals;
  }

  /// How often each of the values 0, ..., below - 1 occurs; there must be no others.
  [[nodiscard]] std::vector<std::int64_t> histogram(const std::uint8_t* values, std::int64_t count,
                                                    int below) const {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(below), 0);
    run_on_team(team_, [&] {
      std::vector<std::int64_t> own(counts.size(), 0);
      const Range mine = my_share(count);
      for (std::int64_t n = mine.begin; n < mine.end; ++n) {
        ++own[values[n]];
      }
#pragma omp critical(bankfull_cpu_executor_histogram)
      std::transform(own.begin(), own.end(), counts.begin(), counts.begin(), std::plus<>());
    });
    return counts;
  }

  /// A copy of data[0] to data[count - 1].
  template <class T>
  [[nodiscard]] std::vector<T> to_host(const T* data, std::int64_t count) const {
    return std::vector<T>(data, data + count);
  }

  /// Copies all values to data[0] and on.
  template <class T>
  void from_host(const std::vector<T>& values, T* data) const {
    each(static_cast<std::int64_t>(values.size()),
         [=, from = values.data()](std::int64_t n) { data[n] = from[n]; });
  }

  /// Does nothing, as loops return when they are done; for code that a GPU runs too.
  void synchronize() const {}

 private:
  Team team_;
};

}  // namespace bankfull
