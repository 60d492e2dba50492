#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/workloads/npb/benchmark.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace bankfull::npb::is {

using Key = std::uint32_t;

inline constexpr int draws_per_key = 4;

/// The next key below 2^log2_values, from the sum of four values: nearly Gaussian.
BANKFULL_HOST_DEVICE constexpr Key next_key(Generator& generator, int log2_values) {
  double sum = 0.0;
  for (int n = 0; n < draws_per_key; ++n) {
    sum += generator.draw();
  }
  const std::uint64_t quarter = (std::uint64_t{1} << log2_values) / draws_per_key;
  return static_cast<Key>(sum * static_cast<double>(quarter));
}

/// The keys [first, first + keys.size()) of a class.
void generate(Class size, std::int64_t first, std::span<Key> keys);

/// The two keys that an iteration changes before it ranks, so that no ranking can be reused.
struct Change {
  std::int64_t position;
  Key key;
};
std::array<Change, 2> changes_of(Class size, int iteration);

/// Result of the verification.
struct Verdict {
  int right_ranks = 0;  ///< of the tests in all iterations
  bool sorted = false;  ///< keys placed by their ranks ascend
};

/// Whether keys ascend when each is placed by its rank: all keys that have these values, where
/// `before` keys have smaller ones. `first_rank(key)` is the number of smaller keys: keys ascend
/// if and only if that is so for all values that keys have, which the team counts once more. Takes
/// 8 bytes a value.
bool ascend_by_rank(const Team& team, const Range& values, std::int64_t before,
                    std::span<const Key> keys, const std::function<std::int64_t(Key)>& first_rank);

/// The same of all keys, by placing each of them one after the other: as RNR-94-007 has it.
bool ascend_where_placed(std::span<const Key> keys, std::span<const std::int64_t> first_ranks);

std::vector<Check> checks_of(const Verdict& verdict, Class size);

/// The perturbed rank: rank * (1 + epsilon), rounded away from the rank, so that every rank but 0
/// changes, however small epsilon and the class are. 0 changes none; where epsilon is not a number,
/// or makes numbers beyond any rank, the rank is -1, which no key has.
BANKFULL_HOST_DEVICE inline std::int64_t perturbed_rank(std::int64_t rank, double epsilon) {
  constexpr double beyond_any_rank = 1e15;
  const double change = std::ceil(static_cast<double>(rank) * std::fabs(epsilon));
  if (!(change < beyond_any_rank)) {
    return -1;
  }
  const auto whole = static_cast<std::int64_t>(change);
  return epsilon < 0.0 ? rank - whole : rank + whole;
}

/// For each value of a range, how many keys of all ranks are smaller.
struct ValueRanks {
  Range values;
  std::vector<std::int64_t> smaller;
};

/// The measured ranking. Its keys can be replaced for tests, because it must rank any keys.
class Ranking : public Benchmark {
 public:
  explicit Ranking(Class size) : Benchmark(Kernel::is, size) {}

  /// From the next `rewind` on: `keys` has all keys of the class, the same on all ranks.
  virtual void replace_keys(std::span<const Key> keys) = 0;

  /// After the last ranking, the values that this rank has ranked.
  [[nodiscard]] virtual ValueRanks value_ranks() const = 0;

  /// Whether a bucket overflowed in the last run, so that keys were counted by value instead. The
  /// same on all ranks.
  [[nodiscard]] virtual bool overflowed() const { return false; }
};

Facts facts_of(const Problem& problem);
WorkBytes work_bytes(const Problem& problem, int ranks);
std::string refusal_of_ranks(const Problem& problem, int ranks);

/// Serial, as RNR-94-007 has it.
std::unique_ptr<Benchmark> make_reference(Class size);

/// Either of the next two.
std::unique_ptr<Benchmark> make_cpu(const Problem& problem, const Communicator& ranks);

/// On CPU threads. This and the others below multiply ranks by 1 + `perturbation`.
std::unique_ptr<Ranking> make_on_team(Class size, IsCounts counts, int threads,
                                      double perturbation = 0.0);

/// Bytes of the busiest of several ranks.
std::int64_t memory_bytes_on_ranks(Class size, int ranks);

/// On several ranks: each has keys of its own at first and ranks those in a range of values.
std::unique_ptr<Ranking> make_on_ranks(Class size, int threads, const Communicator& ranks,
                                       double perturbation = 0.0);

// Defined in is_cuda.cu, which exists in builds with CUDA only.
std::int64_t cuda_memory_bytes(const Problem& problem, int ranks);
std::unique_ptr<Ranking> make_cuda(const Problem& problem, const Communicator& ranks);

}  // namespace bankfull::npb::is
