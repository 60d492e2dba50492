#include "bankfull/core/exec/run_on_team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/is/bucket_partition.hpp"
#include "bankfull/workloads/npb/is/buckets.hpp"
#include "bankfull/workloads/npb/is/is.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace bankfull::npb::is {
namespace {

/// Log2 of the least number of buckets, as in NPB's program: enough for a balanced assignment,
/// although keys concentrate around the middle value.
constexpr int min_log2_buckets = 10;

/// Ensures a capacity of at least `count`, which is kept between rankings; the contents are lost if
/// it grows.
template <class T>
void ensure_capacity(Buffer<T>& buffer, std::size_t count) {
  if (buffer.size() < count) {
    buffer = Buffer<T>(MemorySpace::host, count + count / 8);
  }
}

/// Checksum of a multiset of keys, independent of their order.
std::uint64_t fingerprint(std::span<const Key> keys) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t sum = 0;
  for (const Key key : keys) {
    std::uint64_t mixed = (key + std::uint64_t{1}) * odd;
    mixed ^= mixed >> 32;
    sum += mixed * odd;
  }
  return sum;
}

/// Keys go to the owner of their bucket, 16 bits each, one message between two ranks; the owner
/// counts each bucket's values.
///
/// Histograms of all values, summed over ranks, would have to be returned to all ranks: with the 16
/// keys per value of NPB's classes this sends less on two or three ranks only, and a histogram does
/// not shrink with the number of ranks.
class RankingOnRanks final : public Ranking {
 public:
  RankingOnRanks(Class size, int threads, const Communicator& ranks, double perturbation)
      : Ranking(size),
        ranks_(&ranks),
        team_(threads),
        perturbation_(perturbation),
        buckets_(size, min_log2_buckets),
        own_(share(std::int64_t{1} << is_parameters(size).log2_keys, ranks.rank(), ranks.size())),
        keys_(MemorySpace::host, static_cast<std::size_t>(own_.size())),
        outgoing_(MemorySpace::host, keys_.size()),
        places_(static_cast<std::size_t>(threads)) {
    run_on_team(team_, [&] {
      places_[static_cast<std::size_t>(share_number())].resize(buckets_.count);
      const Range mine = my_share(own_.size());
      generate(size, own_.begin + mine.begin,
               {keys_.data() + mine.begin, static_cast<std::size_t>(mine.size())});
      std::fill(outgoing_.data() + mine.begin, outgoing_.data() + mine.end, LowBits{0});
    });
    std::copy_n(keys_.data(), first_keys_.size(), first_keys_.begin());
  }

  void replace_keys(std::span<const Key> keys) override {
    std::copy_n(keys.data() + own_.begin, own_.size(), keys_.data());
    std::copy_n(keys_.data(), first_keys_.size(), first_keys_.begin());
  }

  [[nodiscard]] ValueRanks value_ranks() const override {
    ValueRanks ranked{values(), {}};
    for (std::int64_t value = ranked.values.begin; value < ranked.values.end; ++value) {
      ranked.smaller.push_back(rank_of(static_cast<Key>(value)));
    }
    return ranked;
  }

  void rewind() override {
    std::copy(first_keys_.begin(), first_keys_.end(), keys_.data());
    right_ranks_ = 0;
  }

  void warm_up() override { rank(1); }

  void run() override {
    in_units(pauses(), is_iterations, [&](std::int64_t n) { rank(static_cast<int>(n) + 1); });
  }

  std::vector<Check> checks() override {
    const Verdict verdict{.right_ranks = static_cast<int>(ranks_->sum(right_ranks_)),
                          .sorted = is_sorted()};
    return checks_of(verdict, size());
  }

  [[nodiscard]] Work work() const override {
    const auto sent = static_cast<double>(keys_.size());
    const auto received = static_cast<double>(received_keys());
    const double key_bytes = sizeof(Key);
    const double low_bytes = sizeof(LowBits);
    const double rank_bytes = static_cast<double>(values().size()) * sizeof(std::uint32_t);
    const Traffic ranking{sent * (2.0 * key_bytes + low_bytes) + received * low_bytes,
                          sent * low_bytes + received * low_bytes + rank_bytes, 0.0};
    return {.traffic = static_cast<double>(is_iterations) * ranking,
            .model =
                "a ranking reads each key twice, moves its low 16 bits into a bucket and to "
                "the bucket's rank, reads them there, and writes each value's rank",
            .working_set_bytes = sent * key_bytes + (sent + received) * low_bytes + rank_bytes};
  }

 private:
  [[nodiscard]] std::size_t own_rank() const { return static_cast<std::size_t>(ranks_->rank()); }

  void rank(int iteration) {
    for (const Change& change : changes_of(size(), iteration)) {
      if (own_.holds(change.position)) {
        keys_.data()[change.position - own_.begin] = change.key;
      }
    }
    Counts census = count_buckets();
    const std::array<Key, is_tests> tests = gather(std::move(census));
    place_keys();
    exchange_keys();
    rank_values();
    test(tests, iteration);
  }

  /// This rank's keys in each bucket; each thread keeps its own counts in `places_`.
  Counts count_buckets() {
#pragma omp parallel num_threads(team_.threads())
    {
      std::vector<std::int64_t>& counts = places_[static_cast<std::size_t>(share_number())];
      std::fill(counts.begin(), counts.end(), 0);
      const Range mine = my_share(own_.size());
      for (std::int64_t n = mine.begin; n < mine.end; ++n) {
        ++counts[buckets_.of(keys_.data()[n])];
      }
    }
    Counts sums(buckets_.count, 0);
    for (const std::vector<std::int64_t>& of_thread : places_) {
      for (std::size_t bucket = 0; bucket < sums.size(); ++bucket) {
        sums[bucket] += static_cast<std::uint32_t>(of_thread[bucket]);
      }
    }
    return sums;
  }

  /// Collective: makes the partition; returns the keys to be tested, which some rank has.
  std::array<Key, is_tests> gather(Counts census) {
    for (const std::int64_t position : is_parameters(size()).positions) {
      census.push_back(own_.holds(position) ? keys_.data()[position - own_.begin] : 0);
    }
    std::vector<Counts> all = ranks_->all_gather(census);
    std::array<Key, is_tests> tests{};
    for (Counts& of_rank : all) {
      for (std::size_t n = 0; n < tests.size(); ++n) {
        tests[n] += of_rank[buckets_.count + n];
      }
      of_rank.resize(buckets_.count);
    }
    partition_ = BucketPartition(std::move(all), buckets_.count);
    return tests;
  }

  /// Low bits of this rank's keys, bucket after bucket and thread after thread within them.
  void place_keys() {
    std::int64_t next = 0;
    for (std::size_t bucket = 0; bucket < buckets_.count; ++bucket) {
      for (std::vector<std::int64_t>& of_thread : places_) {
        next += std::exchange(of_thread[bucket], next);
      }
    }
#pragma omp parallel num_threads(team_.threads())
    {
      std::int64_t* const places = places_[static_cast<std::size_t>(share_number())].data();
      const Range mine = my_share(own_.size());
      for (std::int64_t n = mine.begin; n < mine.end; ++n) {
        const Key key = keys_.data()[n];
        outgoing_.data()[places[buckets_.of(key)]++] = buckets_.rest(key);
      }
    }
  }

  void exchange_keys() {
    std::vector<std::size_t> sent;
    std::vector<std::size_t> received;
    for (std::size_t other = 0; other < partition_.ranks(); ++other) {
      sent.push_back(partition_.keys(own_rank(), other) * sizeof(LowBits));
      received.push_back(partition_.keys(other, own_rank()) * sizeof(LowBits));
    }
    ensure_capacity(incoming_, received_keys());
    ranks_->all_to_all(outgoing_.data(), sent, incoming_.data(), received);
  }

  /// A bucket's keys from one rank.
  struct Segment {
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  /// Segments of this rank's buckets, those of a bucket side by side.
  [[nodiscard]] std::vector<Segment> segments() const {
    const std::size_t first = partition_.first(own_rank());
    const std::size_t end = partition_.end(own_rank());
    std::vector<Segment> all((end - first) * partition_.ranks());
    std::size_t begin = 0;
    for (std::size_t from = 0; from < partition_.ranks(); ++from) {
      for (std::size_t bucket = first; bucket < end; ++bucket) {
        all[(bucket - first) * partition_.ranks() + from] = {begin, partition_.count(from, bucket)};
        begin += partition_.count(from, bucket);
      }
    }
    return all;
  }

  /// visit(bucket, from where the bucket's values stand in `smaller_`, its segments) by the team.
  template <class Visit>
  void for_own_buckets(const Visit& visit) const {
    const std::vector<Segment> all = segments();
    const auto first = static_cast<std::int64_t>(partition_.first(own_rank()));
    const auto end = static_cast<std::int64_t>(partition_.end(own_rank()));
#pragma omp parallel for num_threads(team_.threads()) schedule(dynamic)
    for (std::int64_t bucket = first; bucket < end; ++bucket) {
      const auto number = static_cast<std::size_t>(bucket - first);
      visit(static_cast<std::size_t>(bucket), number << buckets_.low_bits,
            std::span(all).subspan(number * partition_.ranks(), partition_.ranks()));
    }
  }

  void rank_values() {
    ensure_capacity(smaller_, static_cast<std::size_t>(values().size()));
    const std::int64_t before = partition_.before(partition_.first(own_rank()));
    for_own_buckets([&](std::size_t bucket, std::size_t place, std::span<const Segment> segments) {
      std::uint32_t* const counts = smaller_.data() + place;
      std::fill_n(counts, std::size_t{1} << buckets_.low_bits, 0U);
      for (const Segment& segment : segments) {
        const LowBits* const keys = incoming_.data() + segment.begin;
        for (std::size_t n = 0; n < segment.size; ++n) {
          ++counts[keys[n]];
        }
      }
      auto sum = static_cast<std::uint32_t>(partition_.before(bucket) - before);
      for (std::size_t value = 0; value < std::size_t{1} << buckets_.low_bits; ++value) {
        sum += std::exchange(counts[value], sum);
      }
      if (perturbation_ != 0.0) {
        perturb({counts, std::size_t{1} << buckets_.low_bits}, before);
      }
    });
  }

  /// Ranks within a rank's values, `before` keys below all of them.
  void perturb(std::span<std::uint32_t> ranks, std::int64_t before) const {
    for (std::uint32_t& rank : ranks) {
      rank = static_cast<std::uint32_t>(perturbed_rank(before + rank, perturbation_) - before);
    }
  }

  /// The values that this rank ranks.
  [[nodiscard]] Range values() const {
    return {buckets_.first_value(partition_.first(own_rank())),
            buckets_.first_value(partition_.end(own_rank()))};
  }

  [[nodiscard]] std::size_t received_keys() const {
    return static_cast<std::size_t>(partition_.before(partition_.end(own_rank())) -
                                    partition_.before(partition_.first(own_rank())));
  }

  /// The number of smaller keys, for a value of this rank.
  [[nodiscard]] std::int64_t rank_of(Key key) const {
    return partition_.before(partition_.first(own_rank())) + smaller_.data()[key - values().begin];
  }

  void test(const std::array<Key, is_tests>& keys, int iteration) {
    for (std::size_t n = 0; n < keys.size(); ++n) {
      if (values().holds(keys[n]) &&
          rank_of(keys[n]) == expected_rank(size(), static_cast<int>(n), iteration)) {
        ++right_ranks_;
      }
    }
  }

  /// The keys that came in the last ranking.
  [[nodiscard]] std::vector<Key> received() const {
    std::vector<Key> keys(received_keys());
    for_own_buckets([&](std::size_t bucket, std::size_t, std::span<const Segment> segments) {
      const auto high = static_cast<Key>(buckets_.first_value(bucket));
      for (const Segment& segment : segments) {
        for (std::size_t n = segment.begin; n < segment.begin + segment.size; ++n) {
          keys[n] = high | incoming_.data()[n];
        }
      }
    });
    return keys;
  }

  /// Collective: whether all keys arrived and ascend by their ranks, from one rank's values to the
  /// next one's. Independent of the ranking's own counts.
  [[nodiscard]] bool is_sorted() const {
    struct Summary {
      std::int64_t keys = 0;
      std::uint64_t sent = 0;
      std::uint64_t received = 0;
      Range values;
    };
    const std::vector<Key> keys = received();
    const Summary own{.keys = static_cast<std::int64_t>(keys.size()),
                      .sent = fingerprint({keys_.data(), keys_.size()}),
                      .received = fingerprint(keys),
                      .values = values()};
    std::int64_t all_keys = 0;
    std::int64_t before = 0;
    std::uint64_t difference = 0;
    std::int64_t next_value = 0;
    bool follow = true;
    const std::vector<Summary> all = ranks_->all_gather(own);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      before += rank < own_rank() ? all[rank].keys : 0;
      all_keys += all[rank].keys;
      difference += all[rank].sent - all[rank].received;
      follow = follow && all[rank].values.begin == next_value;
      next_value = all[rank].values.end;
    }
    const bool complete =
        all_keys == std::int64_t{1} << is_parameters(size()).log2_keys && difference == 0 && follow;
    return ranks_->all(complete && ascend_by_rank(team_, own.values, before, keys,
                                                  [&](Key key) { return rank_of(key); }));
  }

  const Communicator* ranks_;
  Team team_;
  double perturbation_;
  Buckets buckets_;
  Range own_;  ///< positions of this rank's keys
  Buffer<Key> keys_;
  Buffer<LowBits> outgoing_;
  Buffer<LowBits> incoming_;
  Buffer<std::uint32_t>
      smaller_;  ///< keys below each of this rank's values, and not of lower ranks
  std::vector<std::vector<std::int64_t>> places_;  ///< of each thread's next key in each bucket
  BucketPartition partition_;
  std::array<Key, 2 * is_iterations + 1> first_keys_{};  ///< which iterations overwrite
  std::int64_t right_ranks_ = 0;                         ///< that this rank found
};

}  // namespace

std::int64_t memory_bytes_on_ranks(Class size, int ranks) {
  const IsParameters& is = is_parameters(size);
  const Buckets buckets(size, min_log2_buckets);
  const double keys = std::ldexp(1.0, is.log2_keys);
  // A share is fair to a bucket, of which the middle one has 8/3 of the average. The first rank and
  // the last have most values: a quarter of (24 / ranks)^(1/4), where keys' distribution is a
  // fourth power, and a little more where it is not.
  const double own = keys / ranks;
  const double received = own + 3.0 * keys / static_cast<double>(buckets.count);
  const double values =
      std::ldexp(1.0, is.log2_values) * std::min(1.0, 0.275 * std::pow(24.0 / ranks, 0.25));
  // Keys, both lists with what they may grow by, ranks; keys and their counts for the verification.
  const double bytes = own * 6.0 + received * (2.25 + 4.0) + values * (4.5 + 8.0) +
                       static_cast<double>(buckets.count) * 8.0 * ranks;
  return static_cast<std::int64_t>(bytes);
}

std::unique_ptr<Ranking> make_on_ranks(Class size, int threads, const Communicator& ranks,
                                       double perturbation) {
  return std::make_unique<RankingOnRanks>(size, threads, ranks, perturbation);
}

}  // namespace bankfull::npb::is
