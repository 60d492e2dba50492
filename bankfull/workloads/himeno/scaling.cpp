#include "bankfull/workloads/himeno/scaling.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/core/measure/perturbation.hpp"
#include "bankfull/core/measure/scaling_run.hpp"
#include "bankfull/workloads/himeno/schedule_benchmark.hpp"
#include "bankfull/workloads/himeno/verify.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <tuple>

namespace bankfull::himeno {
namespace {

/// What the ranks of a case measure; its context must stay where it is.
struct Measuring {
  Measuring(const Plan& plan, RunContext of_case)
      : context(std::move(of_case)),
        experiment(plan.problem.device, plan.problem.threads, context) {}

  RunContext context;
  Experiment experiment;
  Samples samples = {};
  std::vector<double> exposed = {};  ///< seconds of an iteration, of each repeat
};

/// The results of a ScalingCase. Measurements are known on its ranks only.
struct Case {
  const FirstRanks& ranks;
  const Problem& problem;
  const Plan* plan = nullptr;
  std::unique_ptr<Measuring> measuring = nullptr;
  std::int64_t iterations = 0;  ///< of a repeat
  std::vector<Check> checks = {};
  Measurement measurement = {};

  [[nodiscard]] Schedule schedule() const { return problem.schedules.front(); }
  [[nodiscard]] std::string label() const { return ranks_text(ranks.count()); }
  [[nodiscard]] std::string task() const {
    return "himeno " + name_of(problem.grid) + " on " + label();
  }
  [[nodiscard]] ScalingPoint point() const {
    return {.ranks = ranks.count(),
            .cores = ranks.count() * problem.threads,
            .seconds = measurement.seconds.median / static_cast<double>(iterations)};
  }
  [[nodiscard]] bool verified() const { return std::ranges::all_of(checks, &Check::passed); }
};

void check_problem(const ScalingProblem& scaling) {
  const Problem& problem = scaling.problem;
  require(problem.schedules.size() == 1,
          fmt::format("--schedule names {} schedules, and scaling is measured for one at a time",
                      problem.schedules.size()),
          "use one");
  const std::vector<int>& counts = scaling.rank_counts;
  if (problem.rank_grid &&
      std::find(counts.begin(), counts.end(), problem.rank_grid->count()) == counts.end()) {
    throw UsageError(fmt::format("--ranks-grid {} is for {} ranks, which --ranks does not name",
                                 to_string(*problem.rank_grid), problem.rank_grid->count()),
                     "leave it out, or add that number");
  }
}

/// Verifies a case and chooses how many iterations a repeat has.
void try_out(Case& c, const RunContext& context) {
  c.measuring = std::make_unique<Measuring>(*c.plan, context);
  expect_ceiling(*c.plan, c.measuring->experiment);
  const auto solver = make_solver(*c.plan, context.ranks);
  c.checks = verify(*solver, *c.plan, context);
  for (Check& check : c.checks) {
    check.name += ", " + c.label();
  }
  solver->load({});
  ScheduleBenchmark benchmark(*solver, c.problem, c.schedule());
  benchmark.warm_up();
  c.iterations = benchmark.iterations();
}

/// One repeat; if the run is to end meanwhile, the case remains unchanged. The iterations without
/// halos spoil the field, so they come last.
void time_once(Case& c, const Stage& stage) {
  Measuring& measuring = *c.measuring;
  const Experiment& experiment = measuring.experiment;
  const auto solver = make_solver(*c.plan, measuring.context.ranks);
  solver->load({});
  ScheduleBenchmark benchmark(*solver, c.problem, c.schedule(), c.iterations);
  benchmark.warm_up();
  experiment.repeat(benchmark, measuring.samples, stage);
  if (c.ranks.count() > 1) {
    const double with = measuring.samples.seconds.back();
    const std::int64_t iterations = benchmark.communication_iterations(with);
    Stretch without(*solver, c.schedule(), iterations, Halos::stale);
    measuring.exposed.push_back(with / static_cast<double>(c.iterations) -
                                experiment.time(without) / static_cast<double>(iterations));
  }
  c.measurement = experiment.measurement(benchmark, measuring.samples);
  benchmark.add_rates(c.measurement);
  benchmark.add_ranks(measuring.exposed, c.measurement);
}

Measurement measurement_of(const Case& c, const ScalingProblem& scaling,
                           const ScalingPoint& first) {
  Measurement m = c.measurement;
  add_scaling(scaling.mode, first, c.point(), "iteration", c.verified(), m);
  m.parameters.push_back({"threads", std::int64_t{c.problem.threads}});
  return m;
}

std::vector<Figure> describe(const ScalingProblem& scaling) {
  const Problem& problem = scaling.problem;
  std::vector<Figure> parameters{
      {.name = "mode", .value = to_string(scaling.mode)},
      {.name = "size", .value = name_of(problem.grid)},
      {.name = "precision", .value = to_string(problem.precision)},
      {.name = "device", .value = to_string(problem.device)},
      {.name = "threads", .value = std::int64_t{problem.threads}},
      {.name = "same_cores", .value = scaling.total_threads.has_value()},
      {.name = "ranks", .value = fmt::format("{}", fmt::join(scaling.rank_counts, ","))}};
  add_perturbation(problem.perturbation, parameters);
  return parameters;
}

std::vector<std::string> notes_on(const ScalingProblem& scaling) {
  std::vector<std::string> notes = notes_on_scaling(scaling.rank_counts.front());
  add_perturbation(scaling.problem.perturbation, notes);
  if (scaling.mode == Scaling::weak) {
    notes.push_back("every rank has the points of size " + name_of(scaling.problem.grid));
  }
  for (const int ranks : scaling.rank_counts) {
    const int threads = problem_on(scaling, ranks).threads;
    const std::string note =
        scaling.total_threads ? note_on_threads(ranks, threads, *scaling.total_threads) : "";
    if (!note.empty()) {
      notes.push_back(note);
    }
  }
  return notes;
}

}  // namespace

WeakGrid weak_grid(const GridSize& size, int ranks, const DecompositionRules& rules) {
  const Extents block = size.interior();
  const auto stacked = [&](const RankGrid& cuts) {
    return Extents{cuts.i * block.ni, cuts.j * block.nj, cuts.k * block.nk};
  };
  const auto cost = [&](const RankGrid& cuts) {
    const Decomposition candidate(stacked(cuts), cuts);
    return std::tuple(face_cells(candidate, rules.strided_cost), -cuts.i, -cuts.j);
  };
  // As many blocks along every axis as there are ranks, so that no cut is left out.
  const std::vector<RankGrid> all =
      allowed_grids(stacked({ranks, ranks, ranks}), ranks, {.max_grid = rules.max_grid});
  const RankGrid best = *std::ranges::min_element(all, {}, cost);
  const Extents points = stacked(best);
  return {.grid = {points.ni + 2, points.nj + 2, points.nk + 2}, .cuts = best};
}

Problem problem_on(const ScalingProblem& scaling, int ranks) {
  Problem problem = scaling.problem;
  if (problem.rank_grid && problem.rank_grid->count() != ranks) {
    problem.rank_grid.reset();
  }
  if (scaling.mode == Scaling::weak) {
    DecompositionRules rules = decomposition_rules(problem, ranks);
    rules.max_grid = problem.rank_grid.value_or(rules.max_grid);
    const WeakGrid weak = weak_grid(problem.grid, ranks, rules);
    problem.grid = weak.grid;
    problem.rank_grid = weak.cuts;
  }
  if (scaling.total_threads) {
    problem.threads = std::max(1, *scaling.total_threads / ranks);
  }
  return problem;
}

ScalingPlan make_plan(const ScalingProblem& scaling, const Communicator& world,
                      CeilingRule ceilings, Shortage shortage) {
  require_rank_counts(scaling.rank_counts, world);
  check_problem(scaling);
  if (scaling.total_threads) {
    require_same_cores(scaling.problem.device, world);
  }
  check_values(scaling.problem);
  ScalingPlan plan{.problem = scaling, .cases = {}};
  for (const int count : scaling.rank_counts) {
    ScalingCase& c = plan.cases.emplace_back(
        ScalingCase{.ranks = FirstRanks(world, count), .problem = problem_on(scaling, count)});
    // Cases share the time that the run is to take.
    c.problem.target_seconds /= static_cast<double>(scaling.rank_counts.size());
    c.ranks.run([&](const Communicator& ranks) {
      c.plan = std::make_unique<const Plan>(make_plan(c.problem, ranks, ceilings, shortage));
    });
  }
  return plan;
}

RunResult run_scaling(const ScalingPlan& plan, const RunContext& context) {
  const ScalingProblem& scaling = plan.problem;
  const Communicator& world = context.ranks;
  std::vector<Case> cases;
  cases.reserve(plan.cases.size());
  for (const ScalingCase& c : plan.cases) {
    cases.push_back({.ranks = c.ranks, .problem = c.problem, .plan = c.plan.get()});
  }
  measure_in_turn(cases, scaling.problem.repeats, context);
  RunResult result{
      .workload = "scaling himeno", .problem = describe(scaling), .notes = notes_on(scaling)};
  for (const Case& c : cases) {
    result.checks.insert(result.checks.end(), c.checks.begin(), c.checks.end());
    if (world.is_root()) {
      result.measurements.push_back(measurement_of(c, scaling, cases.front().point()));
    }
  }
  share_verdict(result, world);
  return result;
}

}  // namespace bankfull::himeno
