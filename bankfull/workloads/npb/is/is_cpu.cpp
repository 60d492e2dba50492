#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/is/is.hpp"

#include <algorithm>
#include <limits>

namespace bankfull::npb::is {
namespace {

/// Histograms of each thread's keys, then the sum over threads and values. `Rank` holds numbers of
/// keys; a thread's histogram always has 32 bits, for no value is that frequent.
template <class Rank>
class CpuRanking final : public Benchmark {
 public:
  CpuRanking(Class size, int threads)
      : size_(size),
        team_(threads),
        key_count_(std::int64_t{1} << is_parameters(size).log2_keys),
        value_count_(std::int64_t{1} << is_parameters(size).log2_values),
        keys_(MemorySpace::host, static_cast<std::size_t>(key_count_)),
        smaller_(MemorySpace::host, static_cast<std::size_t>(value_count_)),
        sums_(static_cast<std::size_t>(threads)) {
    for (int n = 0; n < threads; ++n) {
      histograms_.emplace_back(MemorySpace::host, static_cast<std::size_t>(value_count_));
    }
#pragma omp parallel num_threads(team_.threads())
    {
      Buffer<std::uint32_t>& own = histograms_[static_cast<std::size_t>(share_number())];
      std::fill_n(own.data(), own.size(), 0U);
      const Range keys = my_share(key_count_);
      generate(size_, keys.begin,
               {keys_.data() + keys.begin, static_cast<std::size_t>(keys.size())});
      const Range values = my_share(value_count_);
      std::fill(smaller_.data() + values.begin, smaller_.data() + values.end, Rank{0});
    }
    std::copy_n(keys_.data(), first_keys_.size(), first_keys_.begin());
  }

  void rewind() override {
    std::copy(first_keys_.begin(), first_keys_.end(), keys_.data());
    verdict_ = {};
  }

  void warm_up() override { rank(1); }

  void run() override {
    for (int iteration = 1; iteration <= is_iterations; ++iteration) {
      rank(iteration);
    }
  }

  std::vector<Check> checks() override {
    verdict_.sorted = ascend_by_rank(size_, {keys_.data(), keys_.size()}, [&](Key key) {
      return static_cast<std::int64_t>(smaller_.data()[key]);
    });
    return checks_of(verdict_, size_);
  }

  [[nodiscard]] Traffic traffic() const override {
    return {static_cast<double>(is_iterations * keys_.bytes()),
            static_cast<double>(is_iterations * smaller_.bytes()), 0.0};
  }

  [[nodiscard]] std::string traffic_model() const override {
    return "a ranking reads each key and writes each value's rank once";
  }

 private:
  void rank(int iteration) {
    for (const Change& change : changes_of(size_, iteration)) {
      keys_.data()[change.position] = change.key;
    }
#pragma omp parallel num_threads(team_.threads())
    {
      count_own_keys();
#pragma omp barrier
      sums_[static_cast<std::size_t>(share_number())].keys = merge_own_values();
#pragma omp barrier
      rank_own_values();
    }
    test(iteration);
  }

  void count_own_keys() {
    std::uint32_t* const histogram = histograms_[static_cast<std::size_t>(share_number())].data();
    const Key* const keys = keys_.data();
    const Range mine = my_share(key_count_);
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      ++histogram[keys[n]];
    }
  }

  /// Sums this thread's values over all histograms, which it clears for the next ranking; returns
  /// how many keys that are.
  std::int64_t merge_own_values() {
    const Range mine = my_share(value_count_);
    Rank* const counts = smaller_.data();
    std::copy(histograms_[0].data() + mine.begin, histograms_[0].data() + mine.end,
              counts + mine.begin);
    std::fill(histograms_[0].data() + mine.begin, histograms_[0].data() + mine.end, 0U);
    for (std::size_t other = 1; other < histograms_.size(); ++other) {
      std::uint32_t* const histogram = histograms_[other].data();
      for (std::int64_t value = mine.begin; value < mine.end; ++value) {
        counts[value] += histogram[value];
        histogram[value] = 0;
      }
    }
    std::int64_t keys = 0;
    for (std::int64_t value = mine.begin; value < mine.end; ++value) {
      keys += static_cast<std::int64_t>(counts[value]);
    }
    return keys;
  }

  /// Turns this thread's counts into numbers of smaller keys.
  void rank_own_values() {
    std::int64_t before = 0;
    for (int other = 0; other < share_number(); ++other) {
      before += sums_[static_cast<std::size_t>(other)].keys;
    }
    const Range mine = my_share(value_count_);
    auto sum = static_cast<Rank>(before);
    for (std::int64_t value = mine.begin; value < mine.end; ++value) {
      const Rank count = smaller_.data()[value];
      smaller_.data()[value] = sum;
      sum += count;
    }
  }

  void test(int iteration) {
    for (int n = 0; n < is_tests; ++n) {
      const std::int64_t position = is_parameters(size_).positions[static_cast<std::size_t>(n)];
      const auto rank = static_cast<std::int64_t>(smaller_.data()[keys_.data()[position]]);
      verdict_.right_ranks += rank == expected_rank(size_, n, iteration) ? 1 : 0;
    }
  }

  /// Keys of a thread's values; a cache line each, for threads write them at once.
  struct alignas(64) Sum {
    std::int64_t keys = 0;
  };

  Class size_;
  Team team_;
  std::int64_t key_count_;
  std::int64_t value_count_;
  Buffer<Key> keys_;
  Buffer<Rank> smaller_;  ///< numbers of keys below each value
  std::vector<Buffer<std::uint32_t>> histograms_;
  std::vector<Sum> sums_;
  std::array<Key, 2 * is_iterations + 1> first_keys_{};  ///< which iterations overwrite
  Verdict verdict_;
};

}  // namespace

std::unique_ptr<Benchmark> make_cpu(Class size, int threads) {
  const std::int64_t keys = std::int64_t{1} << is_parameters(size).log2_keys;
  if (keys > std::numeric_limits<std::uint32_t>::max()) {
    return std::make_unique<CpuRanking<std::uint64_t>>(size, threads);
  }
  return std::make_unique<CpuRanking<std::uint32_t>>(size, threads);
}

}  // namespace bankfull::npb::is
