#pragma once

#include "bankfull/core/measure/footprint.hpp"
#include "bankfull/workloads/hpcg/flops.hpp"
#include "bankfull/workloads/hpcg/problem.hpp"

#include <string>
#include <vector>

namespace bankfull::hpcg {

/// A rule of official runs that a problem breaks.
struct BrokenRule {
  std::string what;  ///< "--local 256x256x100: ..."
  std::string remedy;
};

/// A valid problem on given ranks, with everything that follows from both. Code that receives a
/// plan makes none of these decisions again.
struct Plan {
  Problem problem;  ///< with `process_grid` as its grid of ranks
  Grid3 process_grid;
  Grid3 global;  ///< points of all ranks together
  LevelSizes levels;
  Footprint footprint;
  std::string shortage = {};  ///< lack of memory, if make_plan was to report it; else empty

  /// Rules of official runs that are broken, except for the minimum time: size, shape, memory, and
  /// features that the benchmark's authors have not allowed.
  std::vector<BrokenRule> broken_rules = {};
};

/// Collective. Throws UsageError if the problem is invalid, claims to be official but breaks rules
/// (the message names all of them), cannot be run on the ranks, or does not fit a device's or a
/// node's memory (unless that is only to be reported); the message names the largest cube that
/// fits.
Plan make_plan(const Problem& problem, const Communicator& ranks,
               CeilingRule ceilings = CeilingRule::automatic,
               Shortage shortage = Shortage::refused);

/// Slots of the upper part of a rank's finest level in slices of `height` rows, at most, where the
/// colours are the parities of a point's indices: rows of a colour have 26 entries to the seven
/// others, and of two colours one comes first.
std::int64_t max_upper_slots(const Grid3& local, int height);

/// Bytes of the data of a rank on its device during the timed sets. A grid of one rank has the
/// minimum, by which official runs are judged.
///
/// All levels count, with entries for a rank that has neighbours wherever the grid of ranks is cut;
/// without any there are (3 nx - 2)(3 ny - 2)(3 nz - 2). The reference's CSR takes 12 bytes per
/// entry and 8 per row, plus 8 per row of the finest level for its right-hand side and 4 per row of
/// others; the solver takes seven vectors, three on coarse levels. The variant adds its own copy:
/// off-diagonal entries (with slim columns 10 bytes each on CPUs and 8.25 on GPUs, else 12) and 16
/// bytes per row for `tuned`; 27 entries and 8 bytes per row for `ell`; all entries and 16 bytes
/// per row for CSR; nothing for `reference`.
std::int64_t data_bytes(const Problem& problem, const RankGrid& grid = {});

/// Peak memory of a rank.
WorkBytes work_bytes(const Problem& problem, int ranks);

}  // namespace bankfull::hpcg
