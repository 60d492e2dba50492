#include "bankfull/workloads/convection/scaling.hpp"

#include "bankfull/core/comm/axes.hpp"
#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/core/measure/scaling_run.hpp"
#include "bankfull/core/measure/statistics.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/measured.hpp"
#include "bankfull/workloads/convection/stability.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <string>
#include <utility>

namespace bankfull::convection {
namespace {

/// Steps whose result is checked, before any is timed.
constexpr int checked_steps = 8;

/// The first steps of a flow differ: no tendencies, no graph.
constexpr int warm_steps = 3;

constexpr int timed_stages = 3;

constexpr std::int64_t min_steps = 4;
constexpr std::int64_t max_steps = 2000;

/// A flow at its beginning, on the ranks of its plan.
std::unique_ptr<Integrator> flow_of(const Plan& plan) {
  std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->load(InitialFlow(plan.problem(), plan.grid()));
  flow->set_rule(step_rule(plan.problem(), plan.grid(), flow->diagnose(),
                           largest_sources(plan.problem(), plan.grid())));
  return flow;
}

void make_steps(Integrator& flow, std::int64_t steps) {
  for (std::int64_t n = 0; n < steps; ++n) {
    flow.step(n + 1 < steps);
  }
  flow.finish();
}

/// Until all graphs are recorded: there may be some for each side of a flow and set of tendencies.
void warm_up(Integrator& flow) {
  for (int round = 0; round < 3; ++round) {
    make_steps(flow, warm_steps);
  }
}

constexpr auto pressure_part = static_cast<std::size_t>(StagePart::pressure);

/// Seconds of the parts of a stage, of the slowest rank, and of the cycles of its pressure solve.
struct TimedParts {
  StageSeconds seconds = {};
  double cycles = 0.0;
  double seconds_per_cycle = 0.0;
};

/// Each rank has a flow: the same one, or one of its own.
TimedParts time_parts(Integrator& flow, const Communicator& ranks) {
  const double dt = flow.progress().dt;
  const Stage stage = stages_of(TimeScheme::adams_bashforth, dt, dt).at[0];
  std::array<std::vector<double>, stage_parts> samples;
  std::vector<double> cycles;
  std::vector<double> per_cycle;
  for (int n = 0; n <= timed_stages; ++n) {
    flow.finish();
    ranks.barrier();
    const StageSeconds seconds = flow.advance_timed(stage);
    for (std::size_t part = 0; part < stage_parts && n > 0; ++part) {
      samples[part].push_back(ranks.max(seconds[part]));
    }
    cycles.push_back(flow.pressure_outcome().cycles);
    per_cycle.push_back(ranks.max(seconds[pressure_part]) / std::max(cycles.back(), 1.0));
  }
  TimedParts timed{.cycles = summarise(cycles).median,
                   .seconds_per_cycle = summarise(per_cycle).median};
  for (std::size_t part = 0; part < stage_parts; ++part) {
    timed.seconds[part] = summarise(samples[part]).median;
  }
  return timed;
}

/// What the ranks of a case measure; its context must stay where it is.
struct Measuring {
  Measuring(const Plan& plan, RunContext of_case)
      : context(std::move(of_case)),
        experiment(plan.problem().device, plan.problem().threads, context) {}

  RunContext context;
  Experiment experiment;
  std::vector<double> seconds = {};        ///< of the steps of each repeat
  CounterTally counters = {};              ///< around them
  std::vector<StageSeconds> parts = {};    ///< of each repeat
  std::vector<StageSeconds> exposed = {};  ///< likewise; none on one rank
  Work work = {};                          ///< of the steps of a repeat
};

std::string cells_text(const Problem& problem) {
  return fmt::format("{}x{}x{}", problem.axes[0].cells, problem.axes[1].cells,
                     problem.axes[2].cells);
}

/// The results of a ScalingCase. Measurements are known on its ranks only.
struct Case {
  const ScalingProblem& scaling;
  const ScalingCase& wanted;
  const FirstRanks& ranks;
  std::unique_ptr<Measuring> measuring = nullptr;
  std::int64_t steps = 0;  ///< of a repeat
  double energy = 0.0;     ///< kinetic, after the checked steps
  double scale = 0.0;      ///< of an energy that buoyancy can release
  std::vector<Check> checks = {};
  Measurement measurement = {};

  [[nodiscard]] std::string label() const { return ranks_text(ranks.count()); }
  [[nodiscard]] std::string task() const {
    return fmt::format("convect {} on {}", cells_text(wanted.problem), label());
  }
  [[nodiscard]] ScalingPoint point() const {
    return {.ranks = ranks.count(),
            .cores = ranks.count() * wanted.problem.threads,
            .seconds = measurement.seconds.median / static_cast<double>(steps)};
  }
  [[nodiscard]] bool verified() const { return std::ranges::all_of(checks, &Check::passed); }
};

/// The largest block alone.
Problem block_of(const Plan& plan) {
  Problem problem = plan.problem();
  problem.solver = plan.solver();
  const auto cells = per_axis(plan.cut().largest_block());
  for (const int n : storage_axes) {
    AxisCells& axis = problem.axes[static_cast<std::size_t>(plan.grid().physical(n))];
    const std::int64_t own = cells[static_cast<std::size_t>(n)];
    const double part = static_cast<double>(own) / static_cast<double>(axis.cells);
    axis.upper = own == axis.cells ? axis.upper : axis.lower + part * (axis.upper - axis.lower);
    axis.cells = own;
  }
  return problem;
}

/// Whether two grids have their axes in the same order in memory.
bool stored_alike(const Grid& a, const Grid& b) {
  return std::ranges::all_of(storage_axes, [&](int n) { return a.physical(n) == b.physical(n); });
}

/// What buoyancy does where the largest difference of each scalar falls through the box.
double released_energy(const Problem& problem, const Diagnosis& flow) {
  double energy = 0.0;
  for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      energy += std::abs(problem.scalars[s].buoyancy[axis]) *
                (flow.scalars[s].max - flow.scalars[s].min) *
                (problem.axes[axis].upper - problem.axes[axis].lower);
    }
  }
  return energy;
}

/// Checks a case and chooses how many steps a repeat has.
void try_out(Case& c, const RunContext& context) {
  const Plan& plan = *c.wanted.plan;
  c.measuring = std::make_unique<Measuring>(plan, context);
  expect_ceilings(plan, c.measuring->experiment);
  const std::unique_ptr<Integrator> flow = flow_of(plan);
  make_steps(*flow, checked_steps);
  const Diagnosis diagnosis = flow->diagnose();
  c.energy = diagnosis.kinetic_energy;
  c.scale = released_energy(plan.problem(), diagnosis);
  c.checks.push_back(check_divergence(plan, diagnosis, flow->progress(),
                                      largest_sources(plan.problem(), plan.grid()).force));
  c.checks.back().name += ", " + c.label();
  const double seconds =
      c.measuring->experiment.time([&] { make_steps(*flow, warm_steps); }) / warm_steps;
  const double steps = c.scaling.target_seconds / (seconds * c.scaling.repeats);
  c.steps = static_cast<std::int64_t>(std::clamp(steps, double{min_steps}, double{max_steps}));
}

double median_of_part(const std::vector<StageSeconds>& repeats, std::size_t part) {
  std::vector<double> seconds;
  seconds.reserve(repeats.size());
  for (const StageSeconds& each : repeats) {
    seconds.push_back(each[part]);
  }
  return summarise(seconds).median;
}

double sum(const StageSeconds& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

/// The parts of a stage, and what communication adds to them.
void add_parts(const Measuring& measuring, Measurement& m) {
  StageSeconds parts{};
  StageSeconds exposed{};
  for (std::size_t part = 0; part < stage_parts; ++part) {
    const std::string name = to_string(static_cast<StagePart>(part));
    parts[part] = median_of_part(measuring.parts, part);
    m.figures.push_back({name + "_seconds", parts[part], "s"});
    if (!measuring.exposed.empty()) {
      exposed[part] = median_of_part(measuring.exposed, part);
      m.figures.push_back({name + "_exposed_seconds", exposed[part], "s"});
    }
  }
  if (!measuring.exposed.empty()) {
    m.figures.push_back({"exposed_percent", 100.0 * sum(exposed) / sum(parts), "%"});
  }
}

template <class T>
std::string along_xyz(const Plan& plan, const std::array<T, 3>& of_storage) {
  return fmt::format("{}", fmt::join(plan.grid().along_xyz(of_storage), "x"));
}

void measure(Case& c) {
  const Plan& plan = *c.wanted.plan;
  const Measuring& measuring = *c.measuring;
  c.measurement = measuring.experiment.measurement(
      fmt::format("{} {}", plan.problem().name, cells_text(plan.problem())), measuring.seconds,
      measuring.work);
  Measurement& m = c.measurement;
  measuring.experiment.add_energy(measuring.counters, m);
  m.parameters = {{"ranks", std::int64_t{c.ranks.count()}},
                  {"ranks_grid", along_xyz(plan, per_axis(plan.cut().grid()))},
                  {"grid", cells_text(plan.problem())},
                  {"largest_block", along_xyz(plan, per_axis(plan.cut().largest_block()))},
                  {"precision", to_string(plan.problem().precision)},
                  {"solver", to_string(plan.solver())},
                  {"threads", std::int64_t{plan.problem().threads}},
                  {"steps", c.steps}};
  constexpr double nanoseconds = 1e9;
  m.figures.push_back({"ns_per_cell_and_rank",
                       nanoseconds * c.point().seconds * c.ranks.count() /
                           static_cast<double>(plan.problem().cells()),
                       "ns"});
  add_parts(measuring, m);
}

/// What the parts take longer than for the largest block alone, which each rank computes.
StageSeconds exposed_in(const TimedParts& shared, const Plan& block, const Communicator& ranks) {
  const std::unique_ptr<Integrator> flow = flow_of(block);
  warm_up(*flow);
  TimedParts alone = time_parts(*flow, ranks);
  if (alone.cycles > 0.0) {
    alone.seconds[pressure_part] = shared.cycles * alone.seconds_per_cycle;
  }
  StageSeconds exposed{};
  for (std::size_t part = 0; part < stage_parts; ++part) {
    exposed[part] = shared.seconds[part] - alone.seconds[part];
  }
  return exposed;
}

/// One repeat; only one flow at a time holds memory.
void time_once(Case& c, const bankfull::Stage& stage) {
  Measuring& measuring = *c.measuring;
  const Communicator& ranks = measuring.context.ranks;
  measuring.context.progress.update(stage.task, stage.done, stage.total);
  TimedParts shared;
  {
    const std::unique_ptr<Integrator> flow = flow_of(*c.wanted.plan);
    warm_up(*flow);
    const std::int64_t ahead_before = flow->steps_ahead();
    const auto before = measuring.experiment.read_counters();
    measuring.seconds.push_back(measuring.experiment.time([&] { make_steps(*flow, c.steps); }));
    measuring.experiment.add_window(before, measuring.seconds.back(), measuring.counters);
    measuring.work = work_of_steps(*c.wanted.plan, flow->work(), static_cast<double>(c.steps),
                                   static_cast<double>(flow->steps_ahead() - ahead_before));
    shared = time_parts(*flow, ranks);
  }
  measuring.parts.push_back(shared.seconds);
  if (c.wanted.block != nullptr) {
    measuring.exposed.push_back(exposed_in(shared, *c.wanted.block, ranks));
  }
  measure(c);
}

/// On the root: the same flow has the same energy, but for rounding, which grows as flows do. A
/// flow at rest has nothing but rounding.
void compare_energies(std::vector<Case>& cases) {
  constexpr double at_rest = 1e-14;
  constexpr double tolerance_fp64 = 1e-9;
  constexpr double tolerance_fp32 = 1e-3;
  const Case& first = cases.front();
  for (Case& c : cases) {
    const bool is_fp32 = c.wanted.problem.precision == Precision::fp32;
    if (&c != &first && first.energy > at_rest * first.scale) {
      c.checks.push_back({.name = fmt::format("kinetic energy after {} steps over that of {}, {}",
                                              checked_steps, first.label(), c.label()),
                          .value = c.energy / first.energy,
                          .reference = 1.0,
                          .tolerance = is_fp32 ? tolerance_fp32 : tolerance_fp64,
                          .source = "the same flow, whoever computes it"});
    }
  }
}

std::vector<Figure> describe(const ScalingProblem& scaling) {
  const Problem& problem = scaling.problem;
  return {{.name = "mode", .value = to_string(scaling.mode)},
          {.name = "case", .value = problem.name},
          {.name = "grid", .value = cells_text(problem)},
          {.name = "precision", .value = to_string(problem.precision)},
          {.name = "device", .value = to_string(problem.device)},
          {.name = "threads", .value = std::int64_t{problem.threads}},
          {.name = "same_cores", .value = scaling.total_threads.has_value()},
          {.name = "ranks", .value = fmt::format("{}", fmt::join(scaling.rank_counts, ","))}};
}

std::vector<std::string> notes_on(const ScalingProblem& scaling) {
  std::vector<std::string> notes = notes_on_scaling(scaling.rank_counts.front());
  notes.emplace_back(
      "exposed: what a part takes longer than for the largest block alone, on each rank at the "
      "same time");
  if (scaling.problem.device.is_cuda() && scaling.problem.solver != PressureSolver::multigrid) {
    notes.emplace_back(
        "one GPU solves for the pressure in three passes over memory where it can (docs/adr/0035), "
        "several do not: exposed and efficiency of the direct solver include that");
  }
  if (scaling.mode == Scaling::weak) {
    notes.push_back("every rank has the cells of " + cells_text(scaling.problem));
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

/// Weak problems are cut along the axis that they grow along. A block whose axes lie in memory in
/// another order is not what a rank computes.
void plan_case(const ScalingProblem& scaling, const Communicator& ranks, CeilingRule ceilings,
               Shortage shortage, ScalingCase& c) {
  poisson::Sharing sharing{.ranks = &ranks};
  if (scaling.mode == Scaling::weak) {
    sharing.grid.i = ranks.size();
  }
  c.plan = std::make_unique<const Plan>(c.problem, ceilings, OutputNeeds{}, sharing);
  require_finite_formulas(c.problem, c.plan->grid());
  if (shortage == Shortage::refused) {
    c.plan->require_memory();
  } else {
    c.shortage = c.plan->memory_shortage();
  }
  if (ranks.size() > 1) {
    const Problem block = block_of(*c.plan);
    if (stored_alike(Grid(block.axes), c.plan->grid())) {
      c.block = std::make_unique<const Plan>(block, CeilingRule::none);
    }
  }
}

}  // namespace

Problem problem_on(const ScalingProblem& scaling, int ranks) {
  Problem problem = scaling.problem;
  // Formulas of t need bounds for as long as a flow is stepped.
  problem.steps = 2 * max_steps;
  problem.end_time = 0.0;
  problem.until = {};
  if (scaling.mode == Scaling::weak) {
    AxisCells& axis = problem.axes[static_cast<std::size_t>(Grid(problem.axes).physical(0))];
    axis.upper = axis.lower + ranks * (axis.upper - axis.lower);
    axis.cells *= ranks;
  }
  if (scaling.total_threads) {
    problem.threads = std::max(1, *scaling.total_threads / ranks);
  }
  return problem;
}

ScalingPlan make_plan(const ScalingProblem& scaling, const Communicator& world,
                      CeilingRule ceilings, Shortage shortage) {
  require_rank_counts(scaling.rank_counts, world);
  if (scaling.total_threads) {
    require_same_cores(scaling.problem.device, world);
  }
  ScalingPlan plan{.problem = scaling, .cases = {}};
  for (const int count : scaling.rank_counts) {
    ScalingCase& c = plan.cases.emplace_back(
        ScalingCase{.ranks = FirstRanks(world, count), .problem = problem_on(scaling, count)});
    c.ranks.run(
        [&](const Communicator& ranks) { plan_case(scaling, ranks, ceilings, shortage, c); });
  }
  return plan;
}

RunResult run_scaling(const ScalingPlan& plan, const RunContext& context) {
  const ScalingProblem& scaling = plan.problem;
  const Communicator& world = context.ranks;
  std::vector<Case> cases;
  cases.reserve(plan.cases.size());
  for (const ScalingCase& c : plan.cases) {
    cases.push_back({.scaling = scaling, .wanted = c, .ranks = c.ranks});
  }
  measure_in_turn(cases, scaling.repeats, context);
  if (world.is_root() && scaling.mode == Scaling::strong && !cases.empty()) {
    compare_energies(cases);
  }
  RunResult result{
      .workload = "scaling convect", .problem = describe(scaling), .notes = notes_on(scaling)};
  for (Case& c : cases) {
    result.checks.insert(result.checks.end(), c.checks.begin(), c.checks.end());
    if (world.is_root()) {
      add_scaling(scaling.mode, cases.front().point(), c.point(), "step", c.verified(),
                  c.measurement);
      result.measurements.push_back(c.measurement);
    }
  }
  share_verdict(result, world);
  return result;
}

}  // namespace bankfull::convection
