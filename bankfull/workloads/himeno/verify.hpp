#pragma once

#include "bankfull/core/measure/footprint.hpp"
#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/himeno/plan.hpp"
#include "bankfull/workloads/himeno/sweep.hpp"

#include <vector>

namespace bankfull::himeno {

/// gosa after one iteration from the official state in exact arithmetic,
/// (I-2)(J-2)(K-2) / (9 (I-1)^4).
double closed_form_gosa(const GridSize& grid);

/// The same in the arithmetic of T: the official state varies along i only, so one point per plane
/// has the residual of all its points. Shares `residual` with the sweeps but none of their
/// indexing.
template <class T>
double plane_by_plane_gosa(const GridSize& grid);

/// Runs the schedule on the problem's own grid from the official state and compares gosa with the
/// closed form after one iteration, for standard sizes with the table after four, and for fused
/// schedules with as many unfused iterations as fill one pass.
/// Leaves the solver's state changed.
std::vector<Check> check_gosa(Solver& solver, const Problem& problem, Schedule schedule);

/// Runs the schedule on the problem's own grid with every field random, and compares the pressure
/// of `sampled_blocks` of every rank bit for bit with `reference_block`. One whole pass and one
/// iteration that does not fill a pass. Collective; leaves the solver's state changed.
Check check_own_grid(Solver& solver, const Problem& problem, Schedule schedule,
                     const Communicator& ranks);

/// Maximum memory that the busiest rank needs for all of these, besides the fields of the problem.
WorkBytes verification_bytes(const Problem& problem, const Decomposition& decomposition,
                             int ghosts);

/// Collective: all of these for every schedule of the problem, and that it is not perturbed. Leaves
/// the solver's state changed.
std::vector<Check> verify(Solver& solver, const Plan& plan, const RunContext& context);

}  // namespace bankfull::himeno
