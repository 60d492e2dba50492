#include "bankfull/workloads/hpcg/phases.hpp"

#include "bankfull/core/measure/counted_work.hpp"
#include "bankfull/core/measure/pauses.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/hpcg/cg.hpp"
#include "bankfull/workloads/hpcg/check_problem.hpp"
#include "bankfull/workloads/hpcg/validation.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace bankfull::hpcg {
namespace {

constexpr int reference_timings = 10;

void describe_system(const System& system, const Plan& plan, const Communicator& ranks,
                     Outcome& outcome) {
  const Problem& problem = plan.problem;
  outcome.global = plan.global;
  outcome.process_grid = plan.process_grid;
  outcome.local = problem.local;
  outcome.ranks = ranks.size();
  outcome.threads = problem.threads;
  outcome.quick = problem.seconds == 0.0;
  outcome.reference = problem.variant == Variant::reference;
  outcome.perturbation = problem.perturbation;
  for (int n = 0; n < level_count; ++n) {
    const Level& level = system.levels()[static_cast<std::size_t>(n)];
    LevelSize& size = outcome.levels[static_cast<std::size_t>(n)];
    size.equations = ranks.sum(level.matrix.rows);
    size.nonzeros = ranks.sum(level.matrix.entries);
    std::int64_t sent = 0;
    for (const ListNeighbour& neighbour : level.geometry.neighbours) {
      sent += static_cast<std::int64_t>(neighbour.sent.size());
    }
    // The official model of memory takes rank 0 for all.
    size.local_columns = ranks.all_gather(level.matrix.columns).front();
    size.sent_elements = ranks.all_gather(sent).front();
    size.neighbours =
        ranks.all_gather(static_cast<std::int64_t>(level.geometry.neighbours.size())).front();
  }
}

Solved solved_by(CgBackend& backend, int iterations, double scaled_residual) {
  return {.x = backend.solution(),
          .r = backend.recurrence_residual(),
          .iterations = iterations,
          .scaled_residual = scaled_residual};
}

/// Collective: builds and optimises a small system on a GPU, and forgets it. What a process does
/// once is then done before the clock starts: code is sent to the GPU, which happens where a kernel
/// is launched first, and libraries are opened. Where the problem's finest level is so large that
/// it is swept in another way, a second system rehearses that.
void rehearse(const Problem& problem, const Communicator& ranks) {
  if (!problem.device.is_cuda()) {
    return;
  }
  Problem small = problem;
  small.local = {official_dimension, official_dimension, official_dimension};
  auto system = make_system(small, ranks);
  system->make_backend(problem.variant);
  const bool is_large = ranks.all(system->may_pipeline(problem.local.count()));
  system.reset();
  if (problem.variant == Variant::tuned && problem.sweeps == Sweeps::automatic && is_large) {
    small.sweeps = Sweeps::pipelined;
    make_system(small, ranks)->make_backend(problem.variant);
  }
}

/// Times SpMV and multigrid of the reference, then runs its iterations.
void run_reference(System& system, const RankSite& site, const Experiment& experiment,
                   PhaseProgress& progress, Outcome& outcome) {
  progress.enter("timing the reference");
  const auto backend = system.make_backend(Variant::reference);
  const int timings = outcome.quick ? 1 : reference_timings;
  backend->start();
  backend->precondition(true);  // first plans and trials, which are not timed
  static_cast<void>(backend->take_times());
  for (int n = 0; n < timings; ++n) {
    progress.at(n, timings);
    backend->precondition(true);
    backend->update_direction(n == 0);
    backend->multiply();
  }
  const CgTimes times = backend->take_times();
  outcome.reference_spmv_mg_seconds = site.ranks.max((times.spmv + times.mg) / timings);
  progress.enter("reference iterations");
  CgResult result;
  outcome.reference_cg_seconds = experiment.time([&] {
    result = conjugate_gradients(*backend, {.iterations = reference_iterations}, History::left_out,
                                 [&](int done) { progress.at(done, reference_iterations); });
  });
  outcome.convergence.reference_iterations = reference_iterations;
  outcome.convergence.reference_residual = result.scaled();
  const Solved solved = solved_by(*backend, reference_iterations, result.scaled());
  outcome.reference_solution = solution_test(*backend, solved, result.scaled(), site);
}

/// How many iterations the optimised solver takes to the reference's residual, as many as the
/// reference at least; returns the seconds of a set.
double find_iterations(CgBackend& backend, const Experiment& experiment, PhaseProgress& progress,
                       Outcome& outcome) {
  progress.enter("iterations to the reference's residual");
  CgResult result;
  const double tolerance = outcome.convergence.reference_residual;
  const double seconds = experiment.time([&] {
    result = conjugate_gradients(
        backend,
        {.iterations = max_iterations, .tolerance = tolerance, .at_least = reference_iterations},
        History::left_out,
        [&](int done) { progress.at(done, std::max(done, reference_iterations + 2)); });
  });
  static_cast<void>(backend.take_times());
  ConvergenceTest& convergence = outcome.convergence;
  convergence.residual = result.scaled();
  convergence.iterations = result.iterations;
  convergence.reached = convergence.beyond_reference(convergence.residual) <= residual_slack;
  return seconds;
}

/// The times of all ranks as the official report has them.
void gather_times(const Communicator& ranks, Outcome& outcome) {
  const auto allreduce = ranks.all_gather(outcome.times.allreduce);
  outcome.allreduce_min = *std::min_element(allreduce.begin(), allreduce.end());
  outcome.allreduce_max = *std::max_element(allreduce.begin(), allreduce.end());
  outcome.allreduce_mean = ranks.sum(outcome.times.allreduce) / ranks.size();
  outcome.times = ranks.all_gather(outcome.times).front();
}

/// One timed set, the same on all ranks; returns its scaled residual. It is discarded if
/// Interrupted is thrown at one of the `pauses`, which are `unpaused` iterations apart.
double run_timed_set(CgBackend& backend, const CgLimits& limits, const Pauses& pauses,
                     std::int64_t unpaused, const Communicator& ranks, Outcome& outcome,
                     PhaseResults& results) {
  const Stopwatch watch;
  const CgResult result = conjugate_gradients(backend, limits, History::left_out, [&](int done) {
    if (done % unpaused == 0 && done < limits.iterations) {
      pauses.at(static_cast<double>(done) / limits.iterations);
    }
  });
  CgTimes times = backend.take_times();
  times.total = watch.seconds();
  results.set_seconds.push_back(ranks.max(times.total));
  for (double CgTimes::*part : {&CgTimes::total, &CgTimes::ddot, &CgTimes::waxpby, &CgTimes::spmv,
                                &CgTimes::mg, &CgTimes::allreduce}) {
    outcome.times.*part += times.*part;
  }
  ++outcome.sets;
  return result.scaled();
}

/// As many sets as fill the time; returns the solution of the last one. Sets of more than a second
/// can be interrupted: the solution of the set before is then kept outside the backend.
Solved run_timed_sets(const Problem& problem, CgBackend& backend, const RunContext& context,
                      PhaseProgress& progress, double set_seconds, Outcome& outcome,
                      PhaseResults& results) {
  progress.enter_in_any_case("timed sets");
  const Communicator& ranks = context.ranks;
  const int expected = sets_in(problem.seconds, set_seconds);
  const CgLimits limits{.iterations = outcome.convergence.iterations};
  const std::int64_t unpaused =
      units_between_pauses(limits.iterations, set_seconds / limits.iterations);
  std::vector<double> residuals;
  std::optional<Solved> kept;
  bool complete = false;
  CountedWork counted(context.machine);
  until_interrupted([&] {
    // Sets may take less time than the one that tested every residual.
    double elapsed = 0.0;
    for (int set = 0; set < expected || elapsed < problem.seconds; ++set) {
      const Pauses pauses(context, {.task = progress.label(),
                                    .done = static_cast<double>(set),
                                    .total = static_cast<double>(std::max(expected, set + 1))});
      if (set > 0) {
        pauses.at(0.0);
      } else {
        pauses.tell(0.0);  // without a set there is no result
      }
      const double before = outcome.times.total;
      residuals.push_back(
          run_timed_set(backend, limits, pauses, unpaused, ranks, outcome, results));
      elapsed += ranks.all_gather(outcome.times.total - before).front();
      counted.add(results.set_seconds.back(), true);
      if (unpaused < limits.iterations) {
        kept = solved_by(backend, limits.iterations, residuals.back());
      }
    }
    complete = true;
  });
  results.counters = counted.tally();
  if (residuals.empty()) {
    throw Interrupted();
  }
  if (!complete) {
    outcome.broken_rules.emplace_back("the run was ended early by a signal");
  }
  outcome.norms = norms_test(std::move(residuals), outcome.convergence);
  gather_times(ranks, outcome);
  return kept ? std::move(*kept)
              : solved_by(backend, limits.iterations, outcome.norms.residuals.back());
}

/// Bytes of a rank that an iteration works on, at least: each entry of the levels' matrices with
/// its column, and five vectors, x, r, z, p and A p on the finest level.
double min_working_set(const std::vector<Level>& levels) {
  constexpr double bytes_of_entry = sizeof(double) + sizeof(std::int32_t);
  constexpr double vectors_bytes = 5.0 * sizeof(double);
  double bytes = 0.0;
  for (const Level& level : levels) {
    bytes += bytes_of_entry * static_cast<double>(level.matrix.entries) +
             vectors_bytes * static_cast<double>(level.matrix.rows);
  }
  return bytes;
}

/// The sum of the steps; the iteration's working set is their largest.
Work iteration_of(const std::vector<Step>& steps, const std::vector<Level>& levels) {
  if (steps.empty()) {
    return {.working_set_bytes = min_working_set(levels)};
  }
  Work work{.model = "sum of the steps of an iteration: each matrix, index and vector once"};
  for (const Step& step : steps) {
    work.traffic = work.traffic + step.work.traffic;
    work.working_set_bytes = std::max(work.working_set_bytes, step.work.working_set_bytes);
  }
  return work;
}

/// The benchmark's tests of the optimised solver.
void validate(CgBackend& backend, const RankSite& site, PhaseProgress& progress, Outcome& outcome) {
  constexpr double tests = 3.0;
  progress.enter("validating");
  outcome.problem.wrong_products = wrong_products(backend, site);
  progress.at(1.0, tests);
  outcome.spectral = spectral_test(backend);
  progress.at(2.0, tests);
  outcome.symmetry = symmetry_test(backend, site);
  static_cast<void>(backend.take_times());
}

/// How often the steps of an iteration are timed: often, if that takes a second or a tenth of the
/// timed sets at most, else as often as medians need.
int profile_repeats(const Outcome& outcome, const std::vector<double>& set_seconds) {
  constexpr double short_enough = 1.0;
  constexpr double share = 0.1;
  constexpr double fewest = 7.0;
  constexpr double most = 20.0;
  const double set = set_seconds.back();
  const double allowed =
      std::max(short_enough, share * static_cast<double>(set_seconds.size()) * set);
  return static_cast<int>(std::clamp(allowed / set * outcome.convergence.iterations, fewest, most));
}

}  // namespace

int sets_in(double seconds, double set_seconds) {
  return static_cast<int>(seconds / set_seconds) + 1;
}

PhaseResults run_phases(const Plan& plan, const RunContext& context, const Experiment& experiment,
                        PhaseProgress& progress, Outcome& outcome) {
  const Problem& problem = plan.problem;
  const Communicator& ranks = context.ranks;
  progress.enter("building the system");
  rehearse(problem, ranks);
  std::unique_ptr<System> system;
  outcome.setup_seconds = experiment.time([&] { system = make_system(problem, ranks); });
  describe_system(*system, plan, ranks, outcome);
  const RankSite site{system->levels().front().geometry.grid, ranks, Team(problem.threads)};
  progress.enter("checking the system");
  outcome.problem.wrong_rows = ranks.sum(system->wrong_rows());
  run_reference(*system, site, experiment, progress, outcome);

  if (problem.perturbation != 0.0) {
    system->perturb(problem.perturbation);
  }
  progress.enter("optimising");
  std::unique_ptr<CgBackend> backend;
  outcome.optimise_seconds =
      experiment.time([&] { backend = system->make_backend(problem.variant); });
  outcome.optimised_bytes = ranks.sum(static_cast<double>(backend->added_bytes()));

  validate(*backend, site, progress, outcome);

  PhaseResults results;
  const double set_seconds = find_iterations(*backend, experiment, progress, outcome);
  const Solved solved =
      run_timed_sets(problem, *backend, context, progress, set_seconds, outcome, results);
  until_interrupted([&] {
    progress.enter("timing each step");
    results.steps = backend->profile(profile_repeats(outcome, results.set_seconds));
  });
  results.iteration = iteration_of(results.steps, system->levels());
  results.transport = backend->transport();
  results.columns = backend->columns();
  outcome.notes = backend->notes();

  progress.enter_in_any_case("checking the solution");
  // The reference needs the memory, and the unperturbed matrix.
  backend.reset();
  if (problem.perturbation != 0.0) {
    system->perturb(0.0);
  }
  outcome.solution = solution_test(*system->make_backend(Variant::reference), solved,
                                   outcome.convergence.reference_residual, site);
  return results;
}

}  // namespace bankfull::hpcg
