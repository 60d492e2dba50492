#pragma once

#include "bankfull/workloads/hpcg/outcome.hpp"
#include "bankfull/workloads/hpcg/problem.hpp"

#include <array>
#include <cstdint>

namespace bankfull::hpcg {

// The benchmark's own models of the flops, traffic and memory of conjugate gradients (official
// program, version 3.1, ReportResults.cpp). Ratings follow from them, whatever an implementation
// really does. Everything is over all ranks.

using LevelSizes = std::array<LevelSize, level_count>;

/// Sizes of all levels, the finest first, as they follow from the grids alone.
LevelSizes level_sizes(const Problem& problem, int ranks);

/// Floating-point operations by part.
struct OfficialFlops {
  double ddot = 0.0;
  double waxpby = 0.0;
  double spmv = 0.0;
  double mg = 0.0;

  [[nodiscard]] double total() const { return ddot + waxpby + spmv + mg; }
};

/// Flops per second of a part; 0 where others do its work, so that it takes no time.
constexpr double rate_of(double flops, double seconds) {
  return seconds > 0.0 ? flops / seconds : 0.0;
}

/// For `iterations` iterations and `starts` sets, each of which computes an initial residual.
OfficialFlops official_flops(const LevelSizes& levels, std::int64_t iterations,
                             std::int64_t starts);

/// For all timed sets.
OfficialFlops official_flops(const Outcome& outcome);

/// Bytes moved.
struct OfficialBytes {
  double read = 0.0;
  double written = 0.0;

  [[nodiscard]] double total() const { return read + written; }
};

/// For `iterations` iterations and `starts` sets, each of which computes an initial residual.
OfficialBytes official_bytes(const LevelSizes& levels, std::int64_t iterations,
                             std::int64_t starts);

/// For all timed sets.
OfficialBytes official_bytes(const Outcome& outcome);

/// Bytes kept.
struct OfficialMemory {
  std::array<double, level_count> levels = {};  ///< the finest with the vectors of the solver
  double optimised = 0.0;                       ///< added by the optimisation

  [[nodiscard]] double total() const;
};

OfficialMemory official_memory(const Outcome& outcome);

/// The part of the timed sets' work that counts: iterations beyond the reference's do not.
double convergence_share(const Outcome& outcome);

/// Seconds that work is divided by: those of the timed sets, and for each set a tenth of what
/// optimisation and set-up took.
double rated_seconds(const Outcome& outcome);

/// The benchmark's result, flop/s.
double rating(const Outcome& outcome);

/// The result by the rules of version 2.4, which leave out the set-up, flop/s.
double rating_2_4(const Outcome& outcome);

}  // namespace bankfull::hpcg
