#include "bankfull/workloads/hpcg/checks.hpp"

#include "bankfull/workloads/hpcg/run.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/hpcg/comparison.hpp"
#include "tests/workloads/hpcg/recorded_outcome.hpp"
#include "tests/workloads/hpcg/solved.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

// The checks of a run: what fails, and that the verdict of the official report follows them.
namespace bankfull::hpcg {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// Names of the checks that an outcome fails.
std::vector<std::string> failures_of(const Outcome& outcome) {
  std::vector<std::string> names;
  for (const Check& check : checks_of(outcome)) {
    if (!check.passed()) {
      names.push_back(check.name);
    }
  }
  return names;
}

TEST(Checks, PassARunOfTheOfficialProgram) {
  EXPECT_TRUE(recorded_outcome().valid());
  EXPECT_THAT(failures_of(recorded_outcome()), IsEmpty());
}

TEST(Checks, PassNothingThatHasNotBeenLookedAt) {
  const Outcome nothing;
  EXPECT_FALSE(nothing.valid());
  EXPECT_EQ(failures_of(nothing).size(), checks_of(nothing).size());
  EXPECT_FALSE(ProblemCheck{}.passed());
  EXPECT_FALSE(SpectralTest{}.passed());
  EXPECT_FALSE(SymmetryTest{}.passed());
  EXPECT_TRUE(std::isnan(SymmetryTest{}.product_error()));
  EXPECT_FALSE(ConvergenceTest{}.passed());
  EXPECT_FALSE(NormsTest{}.passed());
  EXPECT_FALSE(NormsTest{}.complete());
  EXPECT_FALSE(SolutionTest{}.passed());
}

/// A change that makes a valid run invalid.
struct Defect {
  std::string name;
  void (*make)(Outcome&);
};

void PrintTo(const Defect& defect, std::ostream* stream) { *stream << defect.name; }

class ChecksOfDefects : public ::testing::TestWithParam<Defect> {};

TEST_P(ChecksOfDefects, FailAsTheVerdictDoes) {
  Outcome outcome = recorded_outcome();
  GetParam().make(outcome);
  EXPECT_FALSE(outcome.valid());
  EXPECT_FALSE(failures_of(outcome).empty());
}

std::vector<Defect> defects() {
  return {{"NoProblemCheck", [](Outcome& o) { o.problem = {}; }},
          {"NoSpectralTest", [](Outcome& o) { o.spectral = {}; }},
          {"NoSolves", [](Outcome& o) { o.spectral.solves.clear(); }},
          {"NoIterations", [](Outcome& o) { o.spectral.max_iterations_plain = 0; }},
          {"NoSymmetryTest", [](Outcome& o) { o.symmetry = {}; }},
          {"NoProducts", [](Outcome& o) { o.symmetry.spmv_residuals.clear(); }},
          {"NoConvergenceTest", [](Outcome& o) { o.convergence = {}; }},
          {"NotReached", [](Outcome& o) { o.convergence.reached = false; }},
          {"NoNormsTest", [](Outcome& o) { o.norms = {}; }},
          {"NoSets", [](Outcome& o) { o.norms.residuals.clear(); }},
          {"SetsThatDiffer", [](Outcome& o) { o.norms.spread = 1e-5; }},
          {"SetsAboveTheReference", [](Outcome& o) { o.norms.beyond_reference = 1e-5; }},
          {"SetsUnlikeTheConvergenceTest", [](Outcome& o) { o.norms.from_convergence = 1e-5; }},
          {"NoSolutionTest", [](Outcome& o) { o.solution = {}; }},
          {"Residual", [](Outcome& o) { o.solution.allowed_residual = 1e-25; }},
          {"ReferenceProduct", [](Outcome& o) { o.solution.product_error = 1e-9; }},
          {"Departure", [](Outcome& o) { o.solution.departure = 1e-9; }},
          {"NoReferenceSolution", [](Outcome& o) { o.reference_solution = {}; }},
          {"ReferenceThatDidNothing",
           [](Outcome& o) {
             o.reference_solution.true_residual = 1.0;
             o.reference_solution.reported_residual = 1.0;
             o.reference_solution.allowed_residual = 1.0;
           }},
          {"ReferenceThatReportsLess",
           [](Outcome& o) { o.reference_solution.reported_residual = 1e-9; }},
          {"DepartureOfTheReference", [](Outcome& o) { o.reference_solution.departure = 1e-9; }},
          {"PerturbedBelowRoundings", [](Outcome& o) { o.perturbation = 1e-320; }},
          {"PerturbedByNaN", [](Outcome& o) { o.perturbation = std::nan(""); }}};
}

INSTANTIATE_TEST_SUITE_P(All, ChecksOfDefects, ::testing::ValuesIn(defects()),
                         [](const auto& parameter) { return parameter.param.name; });

/// A run in which the timed sets find something else than the rest of it.
class ChecksOfSets : public ::testing::Test {
 protected:
  ChecksOfSets() : system_(make_system(problem(), alone())) {
    NoProgress progress;
    outcome_ =
        run(make_plan(problem(), alone()),
            {.ranks = alone(), .progress = progress, .policy = {.ceiling = CeilingRule::none}})
            .attached<Outcome>();
  }

  static Problem problem() { return small_problem({16, 16, 16}); }

  /// Pretends that this is the result of the last and only timed set.
  void replace_sets(const Solved& solved) {
    outcome_.norms = norms_test({solved.scaled_residual}, outcome_.convergence);
    outcome_.solution =
        solution_test(*system_->make_backend(Variant::reference), solved,
                      outcome_.convergence.reference_residual, site_of(*system_, alone()));
  }

  /// All checks that say that not enough was done.
  void expect_not_done() const {
    EXPECT_FALSE(outcome_.valid());
    EXPECT_THAT(
        failures_of(outcome_),
        UnorderedElementsAre(HasSubstr("beyond the reference's, relative"),
                             HasSubstr("from the convergence test's"), "hpcg ||b - A x|| / ||b||"));
  }

  std::unique_ptr<System> system_;
  Outcome outcome_;
};

TEST_F(ChecksOfSets, PassSetsThatDidTheirWork) {
  EXPECT_TRUE(outcome_.valid());
  replace_sets(solve(*system_->make_backend(Variant::tuned), outcome_.convergence.iterations));
  EXPECT_TRUE(outcome_.valid());
  EXPECT_THAT(failures_of(outcome_), IsEmpty());
}

TEST_F(ChecksOfSets, FailSetsOfOneIteration) {
  replace_sets(solve(*system_->make_backend(Variant::tuned), 1));
  expect_not_done();
}

/// x = 0 and r = b agree with each other, and with a recurrence that has not begun.
TEST_F(ChecksOfSets, FailSetsThatDidNothing) {
  Solved solved = solve(*system_->make_backend(Variant::tuned), 0);
  EXPECT_EQ(solved.scaled_residual, 1.0);
  EXPECT_TRUE(std::all_of(solved.x.begin(), solved.x.end(), [](double x) { return x == 0.0; }));
  replace_sets(solved);
  expect_not_done();
  // Nor does it help to claim another residual.
  solved.scaled_residual = outcome_.convergence.residual;
  replace_sets(solved);
  EXPECT_FALSE(outcome_.valid());
  EXPECT_FALSE(outcome_.solution.passed());
}

/// One iteration too few meets the reference's residual or not: the sets must do what was found.
TEST_F(ChecksOfSets, FailSetsThatStopEarlier) {
  replace_sets(solve(*system_->make_backend(Variant::tuned), outcome_.convergence.iterations - 1));
  EXPECT_FALSE(outcome_.valid());
  EXPECT_FALSE(outcome_.norms.complete());
}

}  // namespace
}  // namespace bankfull::hpcg
