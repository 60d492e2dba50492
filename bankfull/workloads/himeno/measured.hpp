#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/measure/progress.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/himeno/domain.hpp"
#include "bankfull/workloads/himeno/problem.hpp"
#include "bankfull/workloads/himeno/sweep.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull::himeno {

// What every kind of run measures and says of its measurements.

/// One schedule of a run: how many iterations a repeat has, and what the repeats took. The same on
/// all ranks.
struct Timed {
  Schedule schedule = Schedule::tuned;
  ScheduleFacts facts;
  std::int64_t iterations = 0;
  std::vector<double> seconds;
  double gosa = 0.0;
  std::int64_t gosa_iteration = 0;           ///< from the official state, that `gosa` is of
  std::vector<double> event_seconds = {};    ///< the repeats by the GPU's clock; empty on CPUs
  std::vector<double> exposed_seconds = {};  ///< communication not hidden, of an iteration
};

/// Collective: the trial runs before timing, as many as the problem asks for and at least one.
/// Returns the seconds of an iteration of the last one.
double warm_up(Solver& solver, const Problem& problem, Schedule schedule);

/// Collective: the official program's trial runs, warm-up and the estimate that fills the time. The
/// solver must be loaded.
Timed prepare(Solver& solver, const Problem& problem, Schedule schedule);

/// Iterations that `warm_up` does.
std::int64_t warm_up_iterations(const ScheduleFacts& facts, const Problem& problem);

/// Collective: one timed repeat: the iterations asked for, from the official state, or, where a
/// time is to be filled, from the present one, which is `so_far` iterations from the official
/// state. Counts in `so_far` what it did.
void time_repeat(Solver& solver, const Problem& problem, Timed& timed, std::int64_t& so_far);

/// Collective: checks every schedule of the problem, and that it is not perturbed. Leaves the
/// solver's state changed.
std::vector<Check> verify(Solver& solver, const Problem& problem, const Communicator& ranks,
                          Progress& progress);

/// Whether a run is short, which tests are: its ceiling is measured once, briefly, after it.
bool is_short(const Problem& problem);

/// Collective: what the memory of these ranks sustains. All measure at once; their rates add up.
Ceiling ceiling_of(const Problem& problem, const Communicator& ranks, Progress& progress);

/// The faster of two measurements of the same ceiling: a busy machine drifts, and no rate may be
/// divided by a slow moment.
Ceiling better_of(const Ceiling& before, const Ceiling& after);

/// What one rank's measurement and a run of several have in common.
Measurement measurement_of(const Timed& timed, const Problem& problem, const Ceiling& ceiling);

/// Says of a perturbed problem's result that it is none.
std::vector<std::string> notes_of(const Problem& problem);

/// Adds how the ranks were arranged and what their communication took.
void describe_ranks(const Timed& timed, const Problem& problem, const Decomposition& decomposition,
                    Measurement& m);

/// Collective: whether the fields of all ranks fit the last caches of their devices, which some may
/// share.
bool fits_cache(const Problem& problem, const Communicator& ranks);

}  // namespace bankfull::himeno
