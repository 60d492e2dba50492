#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/workloads/npb/benchmark.hpp"

#include <array>
#include <cstdint>
#include <functional>

namespace bankfull::npb::ep {

inline constexpr std::uint64_t seed = 271828183;
inline constexpr int bins = 10;

/// EP's result: statistics of all pairs (X, Y) of Gaussian deviates.
struct Tally {
  std::array<double, 2> sums{};             ///< of X and of Y
  std::array<double, 2> absolute_sums{};    ///< of |X| and of |Y|
  std::array<std::int64_t, bins> counts{};  ///< of pairs with l <= max(|X|, |Y|) < l + 1

  [[nodiscard]] std::int64_t accepted() const;
};

Tally operator+(const Tally& a, const Tally& b);

/// All pairs one after the other, as RNR-94-007 has it.
Tally tally_serially(Class size, const Pauses& pauses = {});

/// Collective: the same on the teams of all ranks. The sums' order and bits depend neither on the
/// number of ranks nor on that of threads. Logarithms are multiplied by 1 + `perturbation`.
Tally tally_on_teams(Class size, const Team& team, const Communicator& ranks,
                     double perturbation = 0.0, const Pauses& pauses = {});

/// NPB's criteria, those to 3.4.1 and those since, against the class's values.
std::vector<Check> checks_of(const Tally& tally, Class size);

/// The timed region: the tally of a class on all ranks.
using TallyOfClass = std::function<Tally(Class, const Pauses&)>;
std::unique_ptr<Benchmark> make_benchmark(Class size, TallyOfClass tally,
                                          double fp64_instructions = 0.0);

Facts facts_of(const Problem& problem);
WorkBytes work_bytes(const Problem& problem, int ranks);
std::string refusal_of_ranks(const Problem& problem, int ranks);
std::unique_ptr<Benchmark> make_reference(Class size);
std::unique_ptr<Benchmark> make_cpu(const Problem& problem, const Communicator& ranks);

// Defined in ep_cuda.cu, which exists in builds with CUDA only.
std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& ranks);

/// Collective: the same on the GPUs of all ranks, each of which passes its own `gpu`. The sums'
/// bits depend on the number of ranks.
Tally tally_on_gpus(Class size, Device gpu, const Communicator& ranks);

}  // namespace bankfull::npb::ep
