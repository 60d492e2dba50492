#include "bankfull/workloads/convection/run.hpp"

#include "bankfull/workloads/convection/validation.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/convection/cases.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

/// For callers that only want the result.
class NoRecorder final : public Recorder {
 public:
  void record(const SeriesRow& /*row*/) override {}
  void snapshot(std::int64_t /*number*/, double /*time*/, const Grid& /*grid*/,
                const FlowState& /*state*/) override {}
};

Problem small_problem() {
  Problem problem =
      busy_problem({8, 6, 7}, {FlowEnds::periodic, FlowEnds::periodic, FlowEnds::no_slip}, 1, 0);
  problem.time_step.fixed = 0.001;
  problem.steps = 60;
  return problem;
}

class CountingRecorder final : public Recorder {
 public:
  void begin() override { ++begins; }
  void record(const SeriesRow& row) override { steps.push_back(row.step); }
  void snapshot(std::int64_t number, double /*time*/, const Grid& /*grid*/,
                const FlowState& /*state*/) override {
    snapshots.push_back(number);
  }

  int begins = 0;
  std::vector<std::int64_t> steps;
  std::vector<std::int64_t> snapshots;
};

/// Ceilings that no memory reaches, so that a run measures none.
MeasurePolicy known_ceilings() {
  MeasurePolicy policy{.ceiling = CeilingRule::file};
  for (const std::string mix : {"1 read : 1 write", "3 read : 1 write", "4 read : 3 write"}) {
    policy.known_ceilings.push_back(
        {.name = mix, .bytes_per_second = 1e15, .key = mix + ", fp64", .source = "known.json"});
  }
  return policy;
}

RunResult run_with(const Problem& problem, const Cadence& cadence, Recorder& recorder) {
  NoProgress progress;
  const MeasurePolicy policy = known_ceilings();
  const Plan plan(problem, policy.ceiling);
  return run(plan, {{alone(), progress, policy}, cadence, recorder});
}

std::vector<std::string> parts_of(const RunResult& result) {
  std::vector<std::string> parts;
  for (const Measurement& m : result.measurements) {
    parts.push_back(std::get<std::string>(m.parameters.front().value));
  }
  return parts;
}

TEST(ConvectionRun, MeasuresTheStepAndItsParts) {
  NoRecorder recorder;
  Problem problem = small_problem();
  problem.solver = PressureSolver::multigrid;
  const RunResult result = run_with(problem, {}, recorder);
  EXPECT_TRUE(result.verified());
  EXPECT_EQ(parts_of(result), (std::vector<std::string>{"step", "advance", "divergence", "pressure",
                                                        "projection", "ghosts", "cold stage"}));
  double bytes = 0.0;
  for (std::size_t part = 1; part <= stage_parts; ++part) {
    const Measurement& m = result.measurements[part];
    bytes += m.work.traffic.bytes();
    EXPECT_FALSE(m.work.model.empty()) << m.name;
    EXPECT_GT(m.work.working_set_bytes, 0.0) << m.name;
    EXPECT_EQ(m.seconds.samples.size(), 7U) << m.name;
  }
  const Measurement& step = result.measurements.front();
  EXPECT_DOUBLE_EQ(step.work.traffic.bytes(), bytes);
  EXPECT_GT(step.seconds.samples.size(), 1U);
  EXPECT_EQ(step.quietness.spread, 0.0) << "steps differ: their spread is no noise";
  EXPECT_GT(result.measurements[1].percent_of_bankfull().value_or(0.0), 0.0);
}

TEST(ConvectionRun, AStepOfRungeKuttaDoesTheWorkOfThreeStages) {
  NoRecorder recorder;
  Problem problem = small_problem();
  const double bytes = run_with(problem, {}, recorder).measurements.front().work.traffic.bytes();
  problem.scheme = TimeScheme::runge_kutta;
  EXPECT_DOUBLE_EQ(run_with(problem, {}, recorder).measurements.front().work.traffic.bytes(),
                   3.0 * bytes);
}

TEST(ConvectionRun, TheReferenceHasNoPercentage) {
  NoRecorder recorder;
  Problem problem = small_problem();
  problem.schedule = Schedule::reference;
  problem.steps = 10;
  const RunResult result = run_with(problem, {}, recorder);
  EXPECT_TRUE(result.verified());
  EXPECT_EQ(parts_of(result), std::vector<std::string>{"step"});
  const Measurement& step = result.measurements.front();
  EXPECT_FALSE(step.percent_of_bankfull().has_value());
  EXPECT_FALSE(step.bytes_per_second().has_value());
  EXPECT_GT(step.work.working_set_bytes, 0.0);
}

TEST(ConvectionRun, TellsItsRecorderAtTheCadenceAskedFor) {
  CountingRecorder recorder;
  run_with(small_problem(), {.series_steps = 25, .snapshots = 3}, recorder);
  EXPECT_EQ(recorder.begins, 1);
  EXPECT_EQ(recorder.steps, (std::vector<std::int64_t>{0, 25, 50, 60}));
  EXPECT_EQ(recorder.snapshots, (std::vector<std::int64_t>{0, 1, 2}));
}

}  // namespace
}  // namespace bankfull::convection
