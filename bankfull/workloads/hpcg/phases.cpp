#include "bankfull/workloads/hpcg/phases.hpp"

#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/hpcg/cg.hpp"
#include "bankfull/workloads/hpcg/check_problem.hpp"
#include "bankfull/workloads/hpcg/validation.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull::hpcg {
namespace {

constexpr int reference_timings = 10;
constexpr int profile_repeats = 20;

/// Seconds of `body` on the slowest rank, begun by all at once.
template <class Body>
double slowest_seconds(const Communicator& ranks, const Body& body) {
  ranks.barrier();
  const Stopwatch watch;
  body();
  return ranks.max(watch.seconds());
}

Grid3 grid_of(const Extents& extents) { return {extents.nk, extents.nj, extents.ni}; }

void describe_system(const System& system, const Problem& problem, const Communicator& ranks,
                     Outcome& outcome) {
  const Decomposition whole = decompose(problem, ranks.size());
  outcome.global = grid_of(whole.cells());
  outcome.process_grid = {whole.grid().k, whole.grid().j, whole.grid().i};
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

/// Times SpMV and multigrid of the reference, then runs its iterations.
void run_reference(System& system, const Communicator& ranks, Progress& progress,
                   Outcome& outcome) {
  const auto path = system.make_path(Variant::reference);
  const int timings = outcome.quick ? 1 : reference_timings;
  path->start();
  static_cast<void>(path->take_times());
  for (int n = 0; n < timings; ++n) {
    progress.update("timing the reference", n, timings);
    path->precondition(true);
    path->turn(n == 0);
    path->multiply();
  }
  const CgTimes times = path->take_times();
  outcome.reference_spmv_mg_seconds = ranks.max((times.spmv + times.mg) / timings);
  CgResult result;
  outcome.reference_cg_seconds = slowest_seconds(ranks, [&] {
    result = conjugate_gradients(
        *path, {.iterations = reference_iterations}, History::left_out,
        [&](int done) { progress.update("reference iterations", done, reference_iterations); });
  });
  outcome.convergence.reference_iterations = reference_iterations;
  outcome.convergence.reference_residual = result.scaled();
  const Solved solved{.x = path->solution(),
                      .r = path->recurrence_residual(),
                      .iterations = reference_iterations,
                      .scaled_residual = result.scaled()};
  outcome.reference_solution =
      solution_test(*path, solved, result.scaled(), system.levels().front(), ranks);
}

/// How many iterations the optimised solver takes to the reference's residual, as many as the
/// reference at least; returns the seconds of a set.
double find_iterations(Path& path, const Communicator& ranks, Progress& progress,
                       Outcome& outcome) {
  CgResult result;
  const double tolerance = outcome.convergence.reference_residual;
  const double seconds = slowest_seconds(ranks, [&] {
    result = conjugate_gradients(
        path,
        {.iterations = most_iterations, .tolerance = tolerance, .at_least = reference_iterations},
        History::left_out, [&](int done) {
          progress.update("iterations to the reference's residual", done,
                          std::max(done, reference_iterations + 2));
        });
  });
  static_cast<void>(path.take_times());
  ConvergenceTest& convergence = outcome.convergence;
  convergence.residual = result.scaled();
  convergence.iterations = result.iterations;
  convergence.reached = convergence.beyond_reference(convergence.residual) <= residual_slack;
  return seconds;
}

CgTimes operator+(const CgTimes& a, const CgTimes& b) {
  return {.total = a.total + b.total,
          .ddot = a.ddot + b.ddot,
          .waxpby = a.waxpby + b.waxpby,
          .spmv = a.spmv + b.spmv,
          .mg = a.mg + b.mg,
          .allreduce = a.allreduce + b.allreduce};
}

void run_timed_sets(const Problem& problem, Path& path, const Communicator& ranks,
                    double set_seconds, Progress& progress, Outcome& outcome,
                    PhaseResults& results) {
  const int expected = sets_in(problem.seconds, set_seconds);
  const CgLimits limits{.iterations = outcome.convergence.iterations};
  std::vector<double> residuals;
  // Sets may take less time than the one that looked at every residual.
  double elapsed = 0.0;
  for (int set = 0; set < expected || elapsed < problem.seconds; ++set) {
    progress.update("timed sets", set, std::max(expected, set + 1));
    const Stopwatch watch;
    residuals.push_back(conjugate_gradients(path, limits).scaled());
    CgTimes times = path.take_times();
    times.total = watch.seconds();
    results.set_seconds.push_back(ranks.max(times.total));
    elapsed += ranks.all_gather(times.total).front();
    outcome.times = outcome.times + times;
    ++outcome.sets;
  }
  outcome.norms = norms_test(std::move(residuals), outcome.convergence);
  const auto allreduce = ranks.all_gather(outcome.times.allreduce);
  outcome.allreduce_min = *std::min_element(allreduce.begin(), allreduce.end());
  outcome.allreduce_max = *std::max_element(allreduce.begin(), allreduce.end());
  outcome.allreduce_mean = ranks.sum(outcome.times.allreduce) / ranks.size();
  outcome.times = ranks.all_gather(outcome.times).front();
}

Solved solved_by(Path& path, const Outcome& outcome) {
  return {.x = path.solution(),
          .r = path.recurrence_residual(),
          .iterations = outcome.convergence.iterations,
          .scaled_residual = outcome.norms.residuals.back()};
}

}  // namespace

int sets_in(double seconds, double set_seconds) {
  return static_cast<int>(seconds / set_seconds) + 1;
}

PhaseResults run_phases(const Problem& problem, const Communicator& ranks, Progress& progress,
                        Outcome& outcome) {
  progress.update("building the system", 0.0, 1.0);
  std::unique_ptr<System> system;
  outcome.setup_seconds = slowest_seconds(ranks, [&] { system = make_system(problem, ranks); });
  describe_system(*system, problem, ranks, outcome);
  outcome.problem.wrong_rows = ranks.sum(system->wrong_rows());
  run_reference(*system, ranks, progress, outcome);

  if (problem.perturbation != 0.0) {
    system->perturb(problem.perturbation);
  }
  progress.update("optimising", 0.0, 1.0);
  std::unique_ptr<Path> path;
  outcome.optimise_seconds =
      slowest_seconds(ranks, [&] { path = system->make_path(problem.variant); });
  outcome.optimised_bytes = ranks.sum(static_cast<double>(path->added_bytes()));

  progress.update("validating", 0.0, 1.0);
  outcome.problem.wrong_products = wrong_products(*path, system->levels().front(), ranks);
  outcome.spectral = spectral_test(*path);
  outcome.symmetry = symmetry_test(*path, system->levels().front(), ranks);
  static_cast<void>(path->take_times());

  PhaseResults results;
  const double set_seconds = find_iterations(*path, ranks, progress, outcome);
  run_timed_sets(problem, *path, ranks, set_seconds, progress, outcome, results);
  const Solved solved = solved_by(*path, outcome);
  progress.update("timing each step", 0.0, 1.0);
  results.steps = path->profile(profile_repeats);
  results.transport = path->transport();
  results.columns = path->columns();
  results.notes = path->notes();

  progress.update("checking the solution", 0.0, 1.0);
  // The reference takes the room, and the matrix as it was.
  path.reset();
  if (problem.perturbation != 0.0) {
    system->perturb(0.0);
  }
  outcome.solution =
      solution_test(*system->make_path(Variant::reference), solved,
                    outcome.convergence.reference_residual, system->levels().front(), ranks);
  return results;
}

}  // namespace bankfull::hpcg
