#include "bankfull/workloads/hpcg/run.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/measure/perturbation.hpp"
#include "bankfull/workloads/hpcg/flops.hpp"
#include "bankfull/workloads/hpcg/phases.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/hpcg/comparison.hpp"
#include "tests/workloads/hpcg/held.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace bankfull::hpcg {
namespace {

/// A run and what it found. These runs are too short for a comparison with a ceiling, unless it is
/// requested.
std::pair<RunResult, Outcome> run_alone(const Problem& problem,
                                        CeilingRule ceiling = CeilingRule::none) {
  NoProgress progress;
  const RunResult result =
      run(make_plan(problem, alone()), {.ranks = alone(),
                                        .progress = progress,
                                        .policy = {.ceiling = ceiling, .ceiling_bytes = 64 * mib}});
  return {result, result.attached<Outcome>()};
}

/// The tasks that it is told of, each once.
class RecordedTasks final : public Progress {
 public:
  using Progress::update;
  void update(const std::string& task, double done, double total,
              const Detail& /*detail*/) override {
    EXPECT_LE(done, total) << task;
    if (tasks_.empty() || tasks_.back() != task) {
      tasks_.push_back(task);
    }
  }

  [[nodiscard]] const std::vector<std::string>& tasks() const { return tasks_; }

 private:
  std::vector<std::string> tasks_;
};

/// A figure of the measurement of the sets; NaN where there is none.
double figure(const RunResult& result, const std::string& name) {
  const auto& figures = result.measurements.front().figures;
  const auto found =
      std::find_if(figures.begin(), figures.end(), [&](const Figure& f) { return f.name == name; });
  const double* const value = found == figures.end() ? nullptr : std::get_if<double>(&found->value);
  return value == nullptr ? std::nan("") : *value;
}

void expect_timed(const Outcome& outcome) {
  EXPECT_GT(outcome.setup_seconds, 0.0);
  EXPECT_GT(outcome.optimise_seconds, 0.0);
  EXPECT_GT(outcome.reference_spmv_mg_seconds, 0.0);
  EXPECT_GT(outcome.reference_cg_seconds, 0.0);
  const CgTimes& times = outcome.times;
  const double parts = times.ddot + times.waxpby + times.spmv + times.mg;
  EXPECT_GT(parts, 0.0);
  EXPECT_LE(parts, times.total);
  EXPECT_LE(times.allreduce, times.ddot);
}

TEST(HpcgRun, QuickPathIsValidAndRated) {
  const auto [result, outcome] = run_alone(small_problem({16, 16, 16}, 2));
  EXPECT_EQ(result.workload, "hpcg");
  EXPECT_TRUE(result.verified());
  EXPECT_EQ(result.checks.size(), 18U);
  EXPECT_EQ(result.checks.front().name, "hpcg rows of the matrices that are not the benchmark's");
  EXPECT_TRUE(outcome.valid());
  EXPECT_TRUE(outcome.quick);
  EXPECT_FALSE(outcome.reference);
  EXPECT_EQ(outcome.sets, 1);
  EXPECT_EQ(outcome.norms.residuals.size(), 1U);
  EXPECT_EQ(outcome.spectral.solves.size(), 4U);
  EXPECT_EQ(outcome.symmetry.spmv_residuals.size(), 2U);
  EXPECT_GE(outcome.convergence.iterations, reference_iterations);
  EXPECT_GT(outcome.optimised_bytes, 0.0);
  expect_timed(outcome);
}

TEST(HpcgRun, TellsItsPhasesInTheirOrder) {
  RecordedTasks progress;
  run(make_plan(small_problem({8, 8, 8}), alone()),
      {.ranks = alone(), .progress = progress, .policy = {.ceiling = CeilingRule::none}});
  EXPECT_EQ(progress.tasks(),
            (std::vector<std::string>{
                "phase 1 of 11: building the system", "phase 2 of 11: checking the system",
                "phase 3 of 11: timing the reference", "phase 4 of 11: reference iterations",
                "phase 5 of 11: optimising", "phase 6 of 11: validating",
                "phase 7 of 11: iterations to the reference's residual",
                "phase 8 of 11: timed sets", "phase 9 of 11: timing each step",
                "phase 10 of 11: checking the solution", "phase 11 of 11: measuring ceilings"}));
}

TEST(HpcgRun, SaysHowLongItsPhasesTook) {
  const auto [result, outcome] = run_alone(small_problem({16, 16, 16}));
  ASSERT_EQ(result.phases.size(), 11U);
  const auto seconds = [&](const std::string& name) {
    const auto found = std::ranges::find(result.phases, name, &Phase::name);
    return found == result.phases.end() ? std::nan("") : found->seconds;
  };
  EXPECT_GE(seconds("building the system"), outcome.setup_seconds);
  EXPECT_GE(seconds("reference iterations"), outcome.reference_cg_seconds);
  EXPECT_GE(seconds("optimising"), outcome.optimise_seconds);
  EXPECT_GE(seconds("timed sets"), outcome.times.total);
}

TEST(HpcgRun, SaysItsRates) {
  const auto [result, outcome] = run_alone(small_problem({16, 16, 16}));
  ASSERT_FALSE(result.measurements.empty());
  EXPECT_DOUBLE_EQ(figure(result, "rating"), 1e-9 * rating(outcome));
  for (const char* name : {"rating", "raw", "ddot", "waxpby", "spmv", "mg"}) {
    EXPECT_GT(figure(result, name), 0.0) << name;
    EXPECT_TRUE(std::isfinite(figure(result, name))) << name;
  }
  EXPECT_EQ(result.measurements.front().seconds.samples.size(), 1U);
}

TEST(HpcgRun, DescribesTheSystem) {
  Problem problem = small_problem({9, 12, 17});
  problem.process_grid = Grid3{1, 1, 1};
  const Outcome outcome = run_alone(problem).second;
  EXPECT_EQ(outcome.global, problem.local);
  EXPECT_EQ(outcome.local, problem.local);
  EXPECT_EQ(outcome.process_grid, (Grid3{1, 1, 1}));
  EXPECT_EQ(outcome.ranks, 1);
  EXPECT_EQ(outcome.threads, 1);
  EXPECT_TRUE(outcome.valid());
  // The memory in use is that of the plan.
  const LevelSizes expected = level_sizes(problem, 1);
  for (std::size_t n = 0; n < expected.size(); ++n) {
    EXPECT_EQ(outcome.levels[n].equations, expected[n].equations);
    EXPECT_EQ(outcome.levels[n].nonzeros, expected[n].nonzeros);
    EXPECT_EQ(outcome.levels[n].local_columns, expected[n].local_columns);
  }
}

TEST(HpcgRun, SetsFillTheTime) {
  EXPECT_EQ(sets_in(0.0, 0.1), 1);
  EXPECT_EQ(sets_in(1.0, 4.0), 1);
  EXPECT_EQ(sets_in(1.0, 0.4), 3);
  EXPECT_EQ(sets_in(1.0, 0.25), 5);
}

TEST(HpcgRun, EverySetIsRecorded) {
  Problem problem = small_problem({8, 8, 8});
  problem.seconds = 0.1;
  const auto [result, outcome] = run_alone(problem);
  EXPECT_FALSE(outcome.quick);
  // Their number depends on the machine; together they take the requested time.
  EXPECT_GE(outcome.times.total, problem.seconds);
  EXPECT_GE(outcome.sets, 1);
  EXPECT_EQ(outcome.norms.residuals.size(), static_cast<std::size_t>(outcome.sets));
  // Every set does the same operations in the same order.
  EXPECT_EQ(outcome.norms.variance, 0.0);
  EXPECT_EQ(result.measurements.front().seconds.samples.size(),
            static_cast<std::size_t>(outcome.sets));
}

TEST(HpcgRun, TunedPathsHaveTheirSteps) {
  Problem problem = small_problem({16, 16, 16});
  const auto [tuned, of_tuned] = run_alone(problem);
  const Measurement& sets = tuned.measurements.front();
  ASSERT_GT(tuned.measurements.size(), 1U);
  double bytes = 0.0;
  double largest_set = 0.0;
  for (std::size_t n = 1; n < tuned.measurements.size(); ++n) {
    const Work& step = tuned.measurements[n].work;
    EXPECT_EQ(step.model.empty(), step.traffic.bytes() == 0.0) << tuned.measurements[n].name;
    bytes += step.traffic.bytes();
    largest_set = std::max(largest_set, step.working_set_bytes);
  }
  EXPECT_DOUBLE_EQ(sets.work.traffic.bytes(), of_tuned.convergence.iterations * bytes);
  EXPECT_EQ(sets.work.working_set_bytes, largest_set);
  EXPECT_EQ(sets.cache, cache_fit(largest_set, last_cache_bytes(Device::cpu())));
  EXPECT_DOUBLE_EQ(sets.work.traffic.flops, official_flops(of_tuned).total() / of_tuned.sets);
}

TEST(HpcgRun, WhatMovesBytesIsComparedWithACeiling) {
  const RunResult tuned = run_alone(small_problem({16, 16, 16}), CeilingRule::always).first;
  ASSERT_GT(tuned.measurements.size(), 1U);
  for (const Measurement& m : tuned.measurements) {
    EXPECT_EQ(m.percent_of_bankfull().has_value(), m.work.traffic.bytes() > 0.0) << m.name;
  }
}

/// Its kernels state no traffic.
TEST(HpcgRun, TheReferenceHasNoSteps) {
  Problem problem = small_problem({16, 16, 16});
  problem.variant = Variant::reference;
  const auto [reference, outcome] = run_alone(problem, CeilingRule::always);
  ASSERT_EQ(reference.measurements.size(), 1U);
  const Measurement& sets = reference.measurements.front();
  EXPECT_FALSE(sets.percent_of_bankfull().has_value());
  EXPECT_TRUE(sets.work.model.empty());
  const auto entries = static_cast<double>(outcome.levels.front().nonzeros);
  EXPECT_GT(sets.work.working_set_bytes, entries * (sizeof(double) + sizeof(std::int32_t)));
}

bool flag(const RunResult& result, const std::string& name) {
  for (const Figure& figure : result.measurements.front().figures) {
    if (figure.name == name) {
      return std::get<bool>(figure.value);
    }
  }
  ADD_FAILURE() << "no figure " << name;
  return false;
}

bool has_note(const RunResult& result, const std::string& words) {
  const auto& notes = result.measurements.front().notes;
  return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

/// The bytes by which official runs are judged are really allocated, for every variant.
TEST(HpcgMemory, IsAtLeastWhatIsCounted) {
  for (const Grid3& local : {Grid3{16, 16, 16}, Grid3{24, 16, 8}, Grid3{32, 40, 48}}) {
    for (const CpuVariant& kind : cpu_variants()) {
      Case c{small_problem(local, 1, kind.columns), alone()};
      c.problem.variant = kind.variant;
      const std::int64_t held = held_bytes(c, kind.variant);
      EXPECT_GE(held, data_bytes(c.problem)) << kind.name << " " << to_string(local);
      EXPECT_LE(held, 2 * data_bytes(c.problem)) << kind.name << " " << to_string(local);
    }
  }
}

TEST(HpcgRun, SaysWhyItIsNotOfficial) {
  const auto [result, outcome] = run_alone(small_problem({8, 8, 8}, 1, ColumnIndices::slim));
  EXPECT_TRUE(result.verified());
  EXPECT_FALSE(flag(result, "official"));
  for (const char* words : {"take at least 1800 s", "the side 8", "--columns slim",
                            "less than a quarter of the memory"}) {
    EXPECT_TRUE(has_note(result, std::string("no official result: ") + words) ||
                has_note(result, words))
        << words;
  }
}

struct PerturbedRun {
  std::string name;
  double epsilon = 0.0;
  Variant variant = Variant::tuned;
  ColumnIndices columns = ColumnIndices::full;
};

void PrintTo(const PerturbedRun& run, std::ostream* stream) { *stream << run.name; }

class Perturbed : public ::testing::TestWithParam<PerturbedRun> {
 protected:
  static std::pair<RunResult, Outcome> run_it() {
    Problem problem = small_problem({9, 12, 17}, 1, GetParam().columns);
    problem.variant = GetParam().variant;
    problem.perturbation = GetParam().epsilon;
    return run_alone(problem);
  }
};

bool failed(const RunResult& result, const std::string& words) {
  return std::any_of(result.checks.begin(), result.checks.end(), [&](const Check& check) {
    return check.name.find(words) != std::string::npos && !check.passed();
  });
}

TEST_P(Perturbed, RunsFail) {
  const auto [result, outcome] = run_it();
  EXPECT_FALSE(result.verified());
  EXPECT_FALSE(outcome.valid());
  EXPECT_TRUE(failed(result, "product with the exact solution"));
  EXPECT_TRUE(failed(result, perturbation_check_name));
  EXPECT_TRUE(has_note(result, "on purpose"));
  EXPECT_FALSE(flag(result, "official"));
}

INSTANTIATE_TEST_SUITE_P(
    Operators, Perturbed,
    ::testing::Values(PerturbedRun{"MoreByAMillionth", 1e-6},
                      PerturbedRun{"LessByAMillionth", -1e-6},
                      PerturbedRun{"MoreByABillionth", 1e-9},
                      PerturbedRun{"LessByABillionth", -1e-9},
                      PerturbedRun{"MoreByTenRoundings", 1e-15},
                      PerturbedRun{"Slim", 1e-6, Variant::tuned, ColumnIndices::slim},
                      PerturbedRun{"Reference", 1e-6, Variant::reference},
                      PerturbedRun{"ReferenceByABillionth", -1e-9, Variant::reference}),
    [](const auto& run) { return run.param.name; });

double parameter(const std::vector<Figure>& parameters, const std::string& name) {
  for (const Figure& figure : parameters) {
    if (figure.name == name) {
      return std::get<double>(figure.value);
    }
  }
  return 0.0;
}

/// Perturbations that change no bit of the matrix: the other checks cannot see them.
TEST(HpcgRun, PerturbedBelowRoundingsFailsForThatAlone) {
  for (const double epsilon : {1e-17, -1e-20}) {
    Problem problem = small_problem({8, 8, 8});
    problem.perturbation = epsilon;
    const auto [result, outcome] = run_alone(problem);
    EXPECT_FALSE(result.verified());
    EXPECT_FALSE(outcome.valid());
    for (const Check& check : result.checks) {
      const bool of_perturbation = check.name.find(perturbation_check_name) != std::string::npos;
      EXPECT_EQ(check.passed(), !of_perturbation) << check.name;
    }
  }
}

TEST(HpcgRun, PerturbationsStandInTheParameters) {
  Problem problem = small_problem({8, 8, 8});
  const auto perturbations = [&] {
    const RunResult result = run_alone(problem).first;
    std::vector<double> found{parameter(result.problem, "perturbation")};
    for (const Measurement& m : result.measurements) {
      found.push_back(parameter(m.parameters, "perturbation"));
    }
    return found;
  };
  EXPECT_THAT(perturbations(), ::testing::Each(0.0));
  problem.perturbation = 1e-6;
  EXPECT_THAT(perturbations(), ::testing::Each(1e-6));
}

/// NaN from the optimisation on: not one check of it may pass, but those of the set-up
/// and of the reference.
TEST(HpcgRun, EveryCheckFailsOnNaN) {
  Problem problem = small_problem({8, 8, 8});
  problem.perturbation = std::numeric_limits<double>::quiet_NaN();
  const auto [result, outcome] = run_alone(problem);
  EXPECT_FALSE(outcome.valid());
  for (const Check& check : result.checks) {
    const bool of_others = check.name == "hpcg rows of the matrices that are not the benchmark's" ||
                           check.name.starts_with("hpcg reference's ");
    EXPECT_EQ(check.passed(), of_others) << check.name << ": " << check.value;
  }
}

TEST(HpcgSystem, PerturbationsLeaveNoTrace) {
  const auto system = make_system(small_problem({9, 12, 17}), alone());
  const std::vector<double> before = history_of(*system->make_backend(Variant::tuned));
  system->perturb(1e-6);
  EXPECT_NE(history_of(*system->make_backend(Variant::tuned)), before);
  system->perturb(0.0);
  EXPECT_EQ(history_of(*system->make_backend(Variant::tuned)), before);
}

TEST(HpcgRun, ReferenceAndSlimColumnsAreValidToo) {
  Problem problem = small_problem({16, 16, 16});
  problem.variant = Variant::reference;
  const auto [reference, of_reference] = run_alone(problem);
  EXPECT_TRUE(reference.verified());
  EXPECT_TRUE(of_reference.reference);
  EXPECT_EQ(of_reference.convergence.iterations, reference_iterations);
  EXPECT_EQ(of_reference.convergence.residual, of_reference.convergence.reference_residual);
  EXPECT_EQ(of_reference.optimised_bytes, 0.0);
  const auto [slim, of_slim] = run_alone(small_problem({16, 16, 16}, 1, ColumnIndices::slim));
  EXPECT_TRUE(slim.verified());
  EXPECT_TRUE(of_slim.valid());
}

}  // namespace
}  // namespace bankfull::hpcg
