#include "bankfull/core/exec/run_on_team.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/workloads/npb/is/byte_counts.hpp"
#include "bankfull/workloads/npb/is/count_choice.hpp"
#include "bankfull/workloads/npb/is/key_lists.hpp"
#include "bankfull/workloads/npb/is/team_ranking.hpp"

#include <limits>
#include <memory>
#include <utility>

namespace bankfull::npb::is {
namespace {

/// The description of a ranking on one rank in results.
Figure counts_parameter(IsCounts counts) { return {.name = "counts", .value = to_string(counts)}; }

/// Counts of each thread's keys by value, then the sum over threads and values.
template <class Rank>
class RankingByValue final : public TeamRanking<Rank> {
 public:
  RankingByValue(Class size, int threads, double perturbation)
      : TeamRanking<Rank>(size, threads, perturbation) {
    for (int n = 0; n < threads; ++n) {
      shares_.emplace_back(this->value_count());
    }
#pragma omp parallel num_threads(threads)
    own_share().counts.clear();
  }

  [[nodiscard]] Work work() const override {
    const double keys = static_cast<double>(this->key_count()) * sizeof(Key);
    const double ranks = static_cast<double>(this->value_count()) * sizeof(Rank);
    return {.traffic = {.bytes_read = is_iterations * keys, .bytes_written = is_iterations * ranks},
            .model = "a ranking reads each key and writes each value's rank once",
            .working_set_bytes = keys + ranks};
  }

  [[nodiscard]] std::vector<Figure> parameters() const override {
    return {counts_parameter(IsCounts::values)};
  }

 private:
  void rank_keys() override {
#pragma omp parallel num_threads(this->team().threads())
    {
      own_share().counts.count(this->my_keys());
#pragma omp barrier
      own_share().keys = keys_of(my_share(this->value_count()));
#pragma omp barrier
      rank_own_values();
    }
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
    const Range mine = my_share(this->value_count());
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
    Rank* const smaller = this->smaller() + values.begin;
    for (std::int64_t n = 0; n < values.size(); ++n) {
      smaller[n] = sum;
      sum += counts[static_cast<std::size_t>(n)];
    }
    this->perturb(smaller, values.size());
    return sum;
  }

  /// A thread's contribution, on cache lines of its own, because threads write concurrently.
  struct alignas(64) Share {
    explicit Share(std::int64_t values) : counts(values) {}

    ByteCounts counts;      ///< of the thread's keys
    std::int64_t keys = 0;  ///< of all threads that have the thread's values
  };

  [[nodiscard]] Share& own_share() { return shares_[static_cast<std::size_t>(share_number())]; }

  static constexpr std::int64_t strip_values = 2048;  ///< whose counts stay in the first cache

  std::vector<Share> shares_;  ///< of each thread
};

/// Each thread sorts its keys into buckets; then each bucket is counted by one thread, which finds
/// the counts of its values in its own caches. No thread writes what another one writes.
template <class Rank>
class RankingInBuckets final : public TeamRanking<Rank> {
 public:
  RankingInBuckets(Class size, int threads, double perturbation)
      : TeamRanking<Rank>(size, threads, perturbation),
        buckets_(team_buckets(size, threads)),
        lists_(static_cast<std::size_t>(threads)),
        counts_(buckets_.count, 0) {
    run_on_team(this->team(), [&] {
      lists_[static_cast<std::size_t>(share_number())] =
          std::make_unique<KeyLists>(buckets_, static_cast<std::int64_t>(this->my_keys().size()));
    });
  }

  [[nodiscard]] Work work() const override {
    const auto keys = static_cast<double>(this->key_count());
    const double ranks = static_cast<double>(this->value_count()) * sizeof(Rank);
    const Traffic ranking{keys * (sizeof(Key) + sizeof(LowBits)), keys * sizeof(LowBits) + ranks,
                          0.0};
    return {.traffic = static_cast<double>(is_iterations) * ranking,
            .model =
                "a ranking reads each key, writes its low 16 bits into a bucket and reads "
                "them there, and writes each value's rank",
            .working_set_bytes = keys * (sizeof(Key) + sizeof(LowBits)) + ranks};
  }

  [[nodiscard]] std::vector<Figure> parameters() const override {
    return {counts_parameter(IsCounts::buckets)};
  }

 private:
  void rank_keys() override {
#pragma omp parallel num_threads(this->team().threads())
    {
      lists_[static_cast<std::size_t>(share_number())]->sort(this->my_keys());
#pragma omp barrier
      const Range mine = my_share(static_cast<std::int64_t>(buckets_.count));
      for (std::int64_t bucket = mine.begin; bucket < mine.end; ++bucket) {
        counts_[static_cast<std::size_t>(bucket)] = keys_in(static_cast<std::size_t>(bucket));
      }
#pragma omp barrier
      rank_buckets();
    }
  }

  [[nodiscard]] std::int64_t keys_in(std::size_t bucket) const {
    std::int64_t keys = 0;
    for (const auto& lists : lists_) {
      keys += lists->count(bucket);
    }
    return keys;
  }

  /// By all threads. Keys concentrate around the middle value: threads take buckets one by one, and
  /// the small ones of the last values level out what the large ones leave.
  void rank_buckets() {
    std::int64_t before = 0;
    std::size_t counted = 0;
#pragma omp for schedule(monotonic : dynamic)
    for (std::size_t bucket = 0; bucket < buckets_.count; ++bucket) {
      // A thread's buckets ascend.
      for (; counted < bucket; ++counted) {
        before += counts_[counted];
      }
      rank_bucket(bucket, static_cast<Rank>(before));
    }
  }

  /// `before` keys are in the buckets below.
  void rank_bucket(std::size_t bucket, Rank before) {
    Rank* const counts = this->smaller() + buckets_.first_value(bucket);
    const std::int64_t values = buckets_.values();
    std::fill_n(counts, values, Rank{0});
    for (const auto& lists : lists_) {
      lists->for_parts(bucket, [counts](std::span<const LowBits> keys) {
        for (const LowBits key : keys) {
          ++counts[key];
        }
      });
    }
    for (std::int64_t value = 0; value < values; ++value) {
      before += std::exchange(counts[value], before);
    }
    this->perturb(counts, values);
  }

  Buckets buckets_;
  std::vector<std::unique_ptr<KeyLists>> lists_;  ///< of each thread
  std::vector<std::int64_t> counts_;              ///< of all threads' keys in each bucket
};

template <class Rank>
std::unique_ptr<Ranking> make(Class size, IsCounts counts, int threads, double perturbation) {
  if (counts == IsCounts::buckets) {
    return std::make_unique<RankingInBuckets<Rank>>(size, threads, perturbation);
  }
  return std::make_unique<RankingByValue<Rank>>(size, threads, perturbation);
}

}  // namespace

std::unique_ptr<Ranking> make_on_team(Class size, IsCounts counts, int threads,
                                      double perturbation) {
  const std::int64_t keys = std::int64_t{1} << is_parameters(size).log2_keys;
  return keys > std::numeric_limits<std::uint32_t>::max()
             ? make<std::uint64_t>(size, counts, threads, perturbation)
             : make<std::uint32_t>(size, counts, threads, perturbation);
}

}  // namespace bankfull::npb::is
