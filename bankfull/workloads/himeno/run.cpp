#include "bankfull/workloads/himeno/run.hpp"

#include "bankfull/core/measure/perturbation.hpp"
#include "bankfull/workloads/himeno/measured.hpp"
#include "bankfull/workloads/himeno/sweep.hpp"

#include <algorithm>

namespace bankfull::himeno {
namespace {

constexpr int most_exposure_pairs = 5;

/// Of one timing with or without communication.
constexpr double exposure_seconds = 1.0;

std::vector<Timed> time_in_turn(Solver& solver, const Problem& problem, Progress& progress) {
  solver.load({});
  std::vector<Timed> all;
  all.reserve(problem.schedules.size());
  std::int64_t so_far = 0;  // iterations from the official state
  for (const Schedule schedule : problem.schedules) {
    all.push_back(prepare(solver, problem, schedule));
    so_far += warm_up_iterations(all.back().facts, problem);
  }
  const double total = static_cast<double>(problem.repeats) * static_cast<double>(all.size());
  double done = 0.0;
  for (int repeat = 0; repeat < problem.repeats; ++repeat) {
    for (Timed& timed : all) {
      progress.update("himeno " + name_of(problem.grid) + " " + to_string(timed.schedule), done,
                      total);
      time_repeat(solver, problem, timed, so_far);
      done += 1.0;
    }
  }
  return all;
}

/// As many as a second holds, whole passes, and no more than a repeat has.
std::int64_t exposure_iterations(const Timed& timed) {
  const double per_iteration =
      summarise(timed.seconds).median / static_cast<double>(timed.iterations);
  const std::int64_t pass = timed.facts.iterations_per_pass;
  const auto fitting = static_cast<std::int64_t>(exposure_seconds / per_iteration);
  return std::min(timed.iterations, std::max(pass, fitting / pass * pass));
}

/// What communication adds to the time of an iteration: passes with and without it, in turn. They
/// spoil the field, so this comes last.
void time_exposed_communication(Solver& solver, const Problem& problem, std::vector<Timed>& all,
                                Progress& progress) {
  const int pairs = std::min(problem.repeats, most_exposure_pairs);
  for (int pair = 0; pair < pairs; ++pair) {
    progress.update("timing exposed communication", pair, pairs);
    for (Timed& timed : all) {
      const std::int64_t iterations = exposure_iterations(timed);
      const double with = solver.iterate(timed.schedule, iterations).seconds;
      const double without = solver.iterate(timed.schedule, iterations, Halos::stale).seconds;
      timed.exposed_seconds.push_back((with - without) / static_cast<double>(iterations));
    }
  }
}

std::vector<Figure> describe(const Problem& problem, const Decomposition& decomposition) {
  std::vector<Figure> parameters{
      {.name = "size", .value = name_of(problem.grid)},
      {.name = "i", .value = problem.grid.i},
      {.name = "j", .value = problem.grid.j},
      {.name = "k", .value = problem.grid.k},
      {.name = "updated_points", .value = problem.grid.updated_points()},
      {.name = "precision", .value = to_string(problem.precision)},
      {.name = "device", .value = to_string(problem.device)},
      {.name = "threads", .value = std::int64_t{problem.threads}},
      {.name = "ranks", .value = std::int64_t{decomposition.ranks()}},
      {.name = "ranks_grid", .value = to_string(decomposition.grid())},
      {.name = "memory", .value = memory_bytes(problem.grid, problem.precision), .unit = "B"}};
  if (problem.perturbation != 0.0) {
    parameters.push_back(perturbation_parameter(problem.perturbation));
  }
  return parameters;
}

}  // namespace

RunResult run(const Problem& problem, const Communicator& ranks, Progress& progress) {
  validate(problem, ranks);
  const Decomposition decomposition = decompose(problem, ranks.size());
  RunResult result{.workload = "himeno",
                   .problem = describe(problem, decomposition),
                   .measurements = {},
                   .series = {},
                   .checks = {},
                   .notes = notes_of(problem)};
  const Ceiling before = is_short(problem) ? Ceiling{} : ceiling_of(problem, ranks, progress);
  std::vector<Timed> timings;
  {
    const auto solver = make_solver(problem, ranks);
    result.checks = verify(*solver, problem, ranks, progress);
    timings = time_in_turn(*solver, problem, progress);
    if (ranks.size() > 1) {
      time_exposed_communication(*solver, problem, timings, progress);
    }
  }
  const Ceiling after = ceiling_of(problem, ranks, progress);
  const Ceiling ceiling = better_of(before, after);
  for (const Timed& timed : timings) {
    Measurement m = measurement_of(timed, problem, ceiling);
    m.fits_cache = fits_cache(problem, ranks);
    if (ranks.size() > 1) {
      describe_ranks(timed, problem, decomposition, m);
    }
    result.measurements.push_back(std::move(m));
  }
  return result;
}

}  // namespace bankfull::himeno
