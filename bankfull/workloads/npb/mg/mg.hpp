#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/workloads/npb/benchmark.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace bankfull::npb::mg {

class Blocks;

/// Weights of a 27-point operator by neighbours: the point itself, 6 faces, 12 edges, 8 corners.
using Weights = std::array<double, 4>;

/// The operator A of A u = v.
inline constexpr Weights operator_weights{-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0};

/// The restriction P from a grid to the next coarser one.
inline constexpr Weights restriction_weights{1.0 / 2.0, 1.0 / 4.0, 1.0 / 8.0, 1.0 / 16.0};

/// The smoother S of a class.
const Weights& smoother_weights(Class size);

/// The operators that schedules on CPUs take as arguments.
struct Operators {
  Weights difference;  ///< A, in which faces have no weight
  Weights smoother;    ///< S
};

/// The operators of a problem's class; A is multiplied by 1 + `perturbation`.
Operators operators_of(const Problem& problem);

/// S of a problem's class times 1 + `perturbation`, for kernels to which A's weights are constants.
/// All residuals have the values that a multiplied A gives: u is a sum of results of S, and
/// residuals depend on A u only.
Weights perturbed_smoother(const Problem& problem);

/// log2 of a side: how many grids there are, the coarsest of 2 points per side.
int level_count(Class size);

/// A point of the finest grid, i1 contiguous in memory, from 0.
struct Point {
  std::int64_t i1;
  std::int64_t i2;
  std::int64_t i3;

  friend bool operator==(const Point&, const Point&) = default;
};

/// Where v is +1 and -1: at the ten largest and the ten smallest random values.
struct Charges {
  std::array<Point, 10> positive;  ///< the largest first
  std::array<Point, 10> negative;  ///< the smallest first
};

/// Collective: each rank draws its share of the random numbers.
Charges find_charges(Class size, int threads, const Communicator& ranks);

std::vector<Check> checks_of(double residual_norm, Class size);

/// How the finest grid is passed over between two V-cycles.
enum class Turn {
  two_passes,  ///< up, then down
  one_pass,    ///< both in one
};

/// Traffic of one run on a rank with so many points, in two passes per level; see traffic.hpp. Its
/// flops are those that are done, not NPB's count.
Traffic traffic_of(Class size, std::int64_t points, Turn turn = Turn::two_passes);

/// Description of the traffic model.
std::string traffic_model(Turn turn = Turn::two_passes);

/// u, v and the next u of the finest grid.
constexpr double working_set_bytes(std::int64_t points) {
  return 3.0 * static_cast<double>(points) * sizeof(double);
}

Facts facts_of(const Problem& problem);
WorkBytes work_bytes(const Problem& problem, int ranks);
std::string refusal_of_ranks(const Problem& problem, int ranks);

/// Serial, as RNR-94-007 has it.
std::unique_ptr<Benchmark> make_reference(Class size);
/// Collective.
std::unique_ptr<Benchmark> make_cpu(const Problem& problem, const Communicator& ranks);
std::unique_ptr<Benchmark> make_cpu(const Problem& problem, const Communicator& ranks,
                                    const Blocks& blocks);
std::int64_t cpu_memory_bytes(Class size, int threads, int ranks);

// Defined in mg_cuda.cu, which exists in builds with CUDA only.
std::int64_t cuda_memory_bytes(const Problem& problem, int ranks);
/// Collective.
std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& ranks);
std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& ranks,
                                     const Blocks& blocks);
/// On one GPU; one pass needs shared memory: see `cuda::has_turn`.
std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& rank, Turn turn);

}  // namespace bankfull::npb::mg
