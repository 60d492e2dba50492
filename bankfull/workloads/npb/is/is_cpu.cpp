#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/is/byte_counts.hpp"
#include "bankfull/workloads/npb/is/is.hpp"

#include <algorithm>
#include <limits>

namespace bankfull::npb::is {
namespace {

/// Counts of each thread's keys by value, then the sum over threads and values. `Rank` holds
/// numbers of keys.
template <class Rank>
class CpuRanking final : public Ranking {
 public:
  CpuRanking(Class size, int threads, double perturbation)
      : Ranking(size),
        team_(threads),
        perturbation_(perturbation),
        key_count_(std::int64_t{1} << is_parameters(size).log2_keys),
        value_count_(std::int64_t{1} << is_parameters(size).log2_values),
        keys_(MemorySpace::host, static_cast<std::size_t>(key_count_)),
        smaller_(MemorySpace::host, static_cast<std::size_t>(value_count_)) {
    for (int n = 0; n < threads; ++n) {
      shares_.emplace_back(value_count_);
    }
#pragma omp parallel num_threads(team_.threads())
    {
      own_share().counts.clear();
      const Range keys = my_share(key_count_);
      generate(size, keys.begin,
               {keys_.data() + keys.begin, static_cast<std::size_t>(keys.size())});
      const Range values = my_share(value_count_);
      std::fill(smaller_.data() + values.begin, smaller_.data() + values.end, Rank{0});
    }
    std::copy_n(keys_.data(), first_keys_.size(), first_keys_.begin());
  }

  void replace_keys(std::span<const Key> keys) override {
    std::copy(keys.begin(), keys.end(), keys_.data());
    std::copy_n(keys_.data(), first_keys_.size(), first_keys_.begin());
  }

  [[nodiscard]] ValueRanks value_ranks() const override {
    return {{0, value_count_}, {smaller_.data(), smaller_.data() + value_count_}};
  }

  void rewind() override {
    std::copy(first_keys_.begin(), first_keys_.end(), keys_.data());
    verdict_ = {};
  }

  void warm_up() override { rank(1); }

  void run() override {
    in_units(pauses(), is_iterations, [&](std::int64_t n) { rank(static_cast<int>(n) + 1); });
  }

  std::vector<Check> checks() override {
    verdict_.sorted =
        ascend_by_rank({0, value_count_}, 0, {keys_.data(), keys_.size()},
                       [&](Key key) { return static_cast<std::int64_t>(smaller_.data()[key]); });
    return checks_of(verdict_, size());
  }

  [[nodiscard]] Work work() const override {
    return {.traffic = {.bytes_read = static_cast<double>(is_iterations * keys_.bytes()),
                        .bytes_written = static_cast<double>(is_iterations * smaller_.bytes())},
            .model = "a ranking reads each key and writes each value's rank once",
            .working_set_bytes = static_cast<double>(keys_.bytes() + smaller_.bytes())};
  }

 private:
  void rank(int iteration) {
    for (const Change& change : changes_of(size(), iteration)) {
      keys_.data()[change.position] = change.key;
    }
#pragma omp parallel num_threads(team_.threads())
    {
      const Range keys = my_share(key_count_);
      own_share().counts.count({keys_.data() + keys.begin, static_cast<std::size_t>(keys.size())});
#pragma omp barrier
      own_share().keys = keys_of(my_share(value_count_));
#pragma omp barrier
      rank_own_values();
    }
    test(iteration);
  }

  /// Keys of all threads that have one of these values.
  [[nodiscard]] std::int64_t keys_of(const Range& values) const {
    std::int64_t keys = 0;
    for (const Share& share : shares_) {
      keys += share.counts.keys_of(values);
    }
    return keys;
  }

  /// Turns the counts of this thread's values into numbers of smaller keys, strip after strip; all
  /// counts are clear for the next ranking then.
  void rank_own_values() {
    std::int64_t before = 0;
    for (int other = 0; other < share_number(); ++other) {
      before += shares_[static_cast<std::size_t>(other)].keys;
    }
    const Range mine = my_share(value_count_);
    auto sum = static_cast<Rank>(before);
    for (std::int64_t begin = mine.begin; begin < mine.end; begin += strip_values) {
      sum = rank_strip({begin, std::min(begin + strip_values, mine.end)}, sum);
    }
  }

  /// The same for few values with `sum` keys below them; returns how many are not above them.
  Rank rank_strip(const Range& values, Rank sum) {
    std::array<Rank, strip_values> counts{};
    for (Share& share : shares_) {
      share.counts.take(values, counts.data());
    }
    Rank* const smaller = smaller_.data() + values.begin;
    for (std::int64_t n = 0; n < values.size(); ++n) {
      smaller[n] = sum;
      sum += counts[static_cast<std::size_t>(n)];
    }
    if (perturbation_ != 0.0) {
      std::for_each(smaller, smaller + values.size(), [&](Rank& rank) {
        rank = static_cast<Rank>(perturbed_rank(static_cast<std::int64_t>(rank), perturbation_));
      });
    }
    return sum;
  }

  void test(int iteration) {
    for (int n = 0; n < is_tests; ++n) {
      const std::int64_t position = is_parameters(size()).positions[static_cast<std::size_t>(n)];
      const auto rank = static_cast<std::int64_t>(smaller_.data()[keys_.data()[position]]);
      verdict_.right_ranks += rank == expected_rank(size(), n, iteration) ? 1 : 0;
    }
  }

  /// A thread's contribution, on cache lines of its own, because threads write concurrently.
  struct alignas(64) Share {
    explicit Share(std::int64_t values) : counts(values) {}

    ByteCounts counts;      ///< of the thread's keys
    std::int64_t keys = 0;  ///< of all threads that have the thread's values
  };

  [[nodiscard]] Share& own_share() { return shares_[static_cast<std::size_t>(share_number())]; }

  static constexpr std::int64_t strip_values = 2048;  ///< whose counts stay in the first cache

  Team team_;
  double perturbation_;
  std::int64_t key_count_;
  std::int64_t value_count_;
  Buffer<Key> keys_;
  Buffer<Rank> smaller_;                                 ///< numbers of keys below each value
  std::vector<Share> shares_;                            ///< of each thread
  std::array<Key, 2 * is_iterations + 1> first_keys_{};  ///< which iterations overwrite
  Verdict verdict_;
};

}  // namespace

std::unique_ptr<Ranking> make_cpu(Class size, int threads, double perturbation) {
  const std::int64_t keys = std::int64_t{1} << is_parameters(size).log2_keys;
  if (keys > std::numeric_limits<std::uint32_t>::max()) {
    return std::make_unique<CpuRanking<std::uint64_t>>(size, threads, perturbation);
  }
  return std::make_unique<CpuRanking<std::uint32_t>>(size, threads, perturbation);
}

}  // namespace bankfull::npb::is
