#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/is/is.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace bankfull::npb::is {

/// What rankings of all keys by one team have in common: the keys, and for each value the number of
/// smaller ones, which `Rank` holds.
template <class Rank>
class TeamRanking : public Ranking {
 public:
  TeamRanking(Class size, int threads, double perturbation)
      : Ranking(size),
        team_(threads),
        perturbation_(perturbation),
        key_count_(std::int64_t{1} << is_parameters(size).log2_keys),
        value_count_(std::int64_t{1} << is_parameters(size).log2_values),
        keys_(MemorySpace::host, static_cast<std::size_t>(key_count_)),
        smaller_(MemorySpace::host, static_cast<std::size_t>(value_count_)) {
#pragma omp parallel num_threads(team_.threads())
    {
      const Range keys = my_share(key_count_);
      generate(size, keys.begin,
               {keys_.data() + keys.begin, static_cast<std::size_t>(keys.size())});
      const Range values = my_share(value_count_);
      std::fill(smaller_.data() + values.begin, smaller_.data() + values.end, Rank{0});
    }
    std::copy_n(keys_.data(), first_keys_.size(), first_keys_.begin());
  }

  void replace_keys(std::span<const Key> keys) final {
    std::copy(keys.begin(), keys.end(), keys_.data());
    std::copy_n(keys_.data(), first_keys_.size(), first_keys_.begin());
  }

  [[nodiscard]] ValueRanks value_ranks() const final {
    return {{0, value_count_}, {smaller_.data(), smaller_.data() + value_count_}};
  }

  void rewind() final {
    std::copy(first_keys_.begin(), first_keys_.end(), keys_.data());
    verdict_ = {};
  }

  void warm_up() final { rank(1); }

  void run() final {
    in_units(pauses(), is_iterations, [&](std::int64_t n) { rank(static_cast<int>(n) + 1); });
  }

  std::vector<Check> checks() final {
    verdict_.sorted =
        ascend_by_rank(team_, {0, value_count_}, 0, {keys_.data(), keys_.size()},
                       [&](Key key) { return static_cast<std::int64_t>(smaller_.data()[key]); });
    return checks_of(verdict_, size());
  }

 protected:
  /// Forms `smaller` of all values.
  virtual void rank_keys() = 0;

  [[nodiscard]] const Team& team() const { return team_; }
  [[nodiscard]] std::int64_t value_count() const { return value_count_; }
  [[nodiscard]] std::int64_t key_count() const { return key_count_; }
  [[nodiscard]] Rank* smaller() const { return smaller_.data(); }

  /// Inside a parallel region: the keys that the calling thread counts.
  [[nodiscard]] std::span<const Key> my_keys() const {
    const Range mine = my_share(key_count_);
    return {keys_.data() + mine.begin, static_cast<std::size_t>(mine.size())};
  }

  void perturb(Rank* ranks, std::int64_t count) const {
    if (perturbation_ != 0.0) {
      std::for_each(ranks, ranks + count, [&](Rank& rank) {
        rank = static_cast<Rank>(perturbed_rank(static_cast<std::int64_t>(rank), perturbation_));
      });
    }
  }

 private:
  void rank(int iteration) {
    for (const Change& change : changes_of(size(), iteration)) {
      keys_.data()[change.position] = change.key;
    }
    rank_keys();
    test(iteration);
  }

  void test(int iteration) {
    for (int n = 0; n < is_tests; ++n) {
      const std::int64_t position = is_parameters(size()).positions[static_cast<std::size_t>(n)];
      const auto rank = static_cast<std::int64_t>(smaller_.data()[keys_.data()[position]]);
      verdict_.right_ranks += rank == expected_rank(size(), n, iteration) ? 1 : 0;
    }
  }

  Team team_;
  double perturbation_;
  std::int64_t key_count_;
  std::int64_t value_count_;
  Buffer<Key> keys_;
  Buffer<Rank> smaller_;                                 ///< numbers of keys below each value
  std::array<Key, 2 * is_iterations + 1> first_keys_{};  ///< which iterations overwrite
  Verdict verdict_;
};

}  // namespace bankfull::npb::is
