#include "bankfull/workloads/himeno/run.hpp"

#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/core/measure/perturbation.hpp"
#include "bankfull/workloads/himeno/schedule_benchmark.hpp"
#include "bankfull/workloads/himeno/verify.hpp"

#include <algorithm>
#include <memory>

namespace bankfull::himeno {
namespace {

constexpr int max_exposure_pairs = 5;

using Benchmarks = std::vector<std::unique_ptr<ScheduleBenchmark>>;

/// What communication adds to the time of an iteration of each benchmark. Passes without it spoil
/// the field, so this comes last.
std::vector<std::vector<double>> exposed_communication(Solver& solver, const Benchmarks& benchmarks,
                                                       const std::vector<Measurement>& measurements,
                                                       int repeats, const Experiment& experiment) {
  std::vector<std::unique_ptr<Stretch>> stretches;
  std::vector<CommunicationPair> pairs;
  std::vector<std::int64_t> iterations;
  for (std::size_t n = 0; n < benchmarks.size(); ++n) {
    const Schedule schedule = benchmarks[n]->schedule();
    iterations.push_back(benchmarks[n]->communication_iterations(measurements[n].seconds.median));
    for (const Halos halos : {Halos::exchanged, Halos::stale}) {
      stretches.push_back(std::make_unique<Stretch>(solver, schedule, iterations[n], halos));
    }
    pairs.push_back({.with = stretches[2 * n].get(), .without = stretches[2 * n + 1].get()});
  }
  auto exposed = experiment.exposed_communication(pairs, std::min(repeats, max_exposure_pairs));
  for (std::size_t n = 0; n < exposed.size(); ++n) {
    for (double& seconds : exposed[n]) {
      seconds /= static_cast<double>(iterations[n]);
    }
  }
  return exposed;
}

void measure(Solver& solver, const Problem& problem, Experiment& experiment, RunResult& result) {
  Benchmarks benchmarks;
  std::vector<Benchmark*> all;
  for (const Schedule schedule : problem.schedules) {
    benchmarks.push_back(std::make_unique<ScheduleBenchmark>(solver, problem, schedule));
    all.push_back(benchmarks.back().get());
  }
  solver.load({});
  result.measurements = experiment.measure_in_turn(all, problem.repeats, result.checks);
  benchmarks.resize(result.measurements.size());  // fewer where the run was interrupted
  for (std::size_t n = 0; n < benchmarks.size(); ++n) {
    benchmarks[n]->add_rates(result.measurements[n]);
  }
  if (solver.ranks().size() > 1) {
    const auto exposed =
        exposed_communication(solver, benchmarks, result.measurements, problem.repeats, experiment);
    for (std::size_t n = 0; n < benchmarks.size(); ++n) {
      benchmarks[n]->add_ranks(exposed[n], result.measurements[n]);
    }
  }
}

std::vector<Figure> describe(const Plan& plan) {
  const Problem& problem = plan.problem;
  std::vector<Figure> parameters{
      {.name = "size", .value = name_of(problem.grid)},
      {.name = "i", .value = problem.grid.i},
      {.name = "j", .value = problem.grid.j},
      {.name = "k", .value = problem.grid.k},
      {.name = "updated_points", .value = problem.grid.updated_points()},
      {.name = "precision", .value = to_string(problem.precision)},
      {.name = "device", .value = to_string(problem.device)},
      {.name = "threads", .value = std::int64_t{problem.threads}},
      {.name = "ranks", .value = std::int64_t{plan.decomposition().ranks()}},
      {.name = "ranks_grid", .value = to_string(plan.decomposition().grid())},
      {.name = "memory", .value = plan.footprint.of_work(), .unit = "B"}};
  add_perturbation(problem.perturbation, parameters);
  return parameters;
}

}  // namespace

RunResult run(const Plan& plan, const RunContext& context) {
  const Problem& problem = plan.problem;
  RunResult result{.workload = "himeno", .problem = describe(plan)};
  add_perturbation(problem.perturbation, result.notes);
  Experiment experiment(problem.device, problem.threads, context);
  expect_ceiling(plan, experiment);
  until_interrupted([&] {
    const auto solver = make_solver(plan, context.ranks);
    result.checks = verify(*solver, plan, context);
    measure(*solver, plan.problem, experiment, result);
  });
  experiment.finish(result.measurements);
  return result;
}

}  // namespace bankfull::himeno
