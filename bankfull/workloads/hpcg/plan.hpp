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

/// A valid problem on given ranks with what follows from both. Nothing that gets one decides any of
/// it again.
struct Plan {
  Problem problem;  ///< with `process_grid` as its grid of ranks
  Grid3 process_grid;
  LevelSizes levels;
  Footprint footprint;
  std::string shortage = {};  ///< of memory, where make_plan was to tell it; else empty

  /// Of official runs, but for that of their time: size, shape, memory, what the benchmark's
  /// authors have not allowed.
  std::vector<BrokenRule> broken_rules = {};
};

/// Collective. Throws UsageError where the problem makes no sense, breaks rules of an official run
/// that it claims to be, all of which are named, cannot be run on the ranks, or does not fit a
/// device's or a node's memory, unless that is to be told; the message names the largest cube that
/// fits.
Plan make_plan(const Problem& problem, const Communicator& ranks,
               CeilingRule ceilings = CeilingRule::automatic,
               Shortage shortage = Shortage::refused);

/// Bytes of the data of a rank on its device while the timed sets run. In a grid of one rank, no
/// other has less: official runs are judged by that.
///
/// All levels count; entries of a rank with neighbours wherever the grid of ranks is cut, without
/// any (3 nx - 2)(3 ny - 2)(3 nz - 2). The reference's CSR takes 12 bytes an entry and 8 a row, and
/// 8 more a row of the finest level for its right-hand side, 4 a row of others; the solver takes
/// seven vectors, three on coarse levels. To this comes the variant's own copy: of the entries off
/// the diagonal (10 bytes each with slim columns, else 12) and 16 bytes a row for `tuned`; of 27
/// entries and 8 bytes a row for `ell`; of all entries and 16 bytes a row for CSR; nothing for
/// `reference`.
std::int64_t data_bytes(const Problem& problem, const RankGrid& grid = {});

/// What a rank takes at its peak.
WorkBytes work_bytes(const Problem& problem, int ranks);

}  // namespace bankfull::hpcg
