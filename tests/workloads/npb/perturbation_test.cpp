#include "bankfull/core/measure/perturbation.hpp"

#include "bankfull/workloads/npb/cg/cg.hpp"
#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/ft/ft.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"
#include "bankfull/workloads/npb/run.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/npb/verification.hpp"

#include <cmath>
#include <limits>

namespace bankfull::npb {
namespace {

/// A kernel whose operator is multiplied by 1 + `perturbation`, on so many threads.
struct Case {
  Kernel kernel;
  double perturbation;
  int threads;
};

std::vector<Case> cases() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Case> all;
  for (const Kernel kernel : all_kernels) {
    for (const double perturbation : {small_perturbation, -small_perturbation, nan}) {
      for (const int threads : {1, 3}) {
        all.push_back({kernel, perturbation, threads});
      }
    }
  }
  return all;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const double perturbation = info.param.perturbation;
  const std::string by = std::isnan(perturbation) ? "Nan" : perturbation > 0.0 ? "Up" : "Down";
  return to_string(info.param.kernel) + by + std::to_string(info.param.threads);
}

class Perturbed : public testing::TestWithParam<Case> {};

TEST_P(Perturbed, FailsItsVerification) {
  Problem problem;
  problem.size = Class::s;
  problem.threads = GetParam().threads;
  problem.perturbation = GetParam().perturbation;
  expect_refuted(*make_benchmark(GetParam().kernel, problem, alone()));
}

INSTANTIATE_TEST_SUITE_P(Npb, Perturbed, testing::ValuesIn(cases()), case_name);

// Too small for the criteria, but the result changes: the perturbation reaches the kernel.
class PerturbedALittle : public testing::TestWithParam<Kernel> {};

TEST_P(PerturbedALittle, ChangesTheResult) {
  std::vector<double> values;
  for (const double perturbation : {0.0, 1e-11}) {
    Problem problem;
    problem.size = Class::s;
    problem.perturbation = perturbation;
    const auto benchmark = make_benchmark(GetParam(), problem, alone());
    benchmark->rewind();
    benchmark->run();
    values.push_back(benchmark->checks().front().value);
  }
  EXPECT_NE(values[0], values[1]);
}

INSTANTIATE_TEST_SUITE_P(Npb, PerturbedALittle, testing::ValuesIn(all_kernels), kernel_name);

/// Runs of EP with a perturbed operator; the parameter is the perturbation.
class PerturbedRun : public testing::TestWithParam<double> {};

TEST_P(PerturbedRun, SaysSoAndIsNotVerified) {
  Problem problem;
  problem.kernels = {Kernel::ep};
  problem.size = Class::s;
  problem.repeats = 1;
  problem.perturbation = GetParam();
  NoProgress progress;
  const RunResult result =
      run(make_plan(problem, alone()), {.ranks = alone(), .progress = progress});
  EXPECT_FALSE(result.verified());
  EXPECT_FALSE(result.attached<std::vector<Outcome>>().front().verified);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_EQ(result.notes.front(), perturbation_note(GetParam()));
  EXPECT_EQ(result.measurements.front().parameters.back().name, "perturbation");
  EXPECT_EQ(result.problem.back().name, "perturbation");
  ASSERT_EQ(result.checks.size(), 6U);
  EXPECT_EQ(result.checks.back().name, "npb ep S operator not perturbed");
  EXPECT_FALSE(result.checks.back().passed());
  // NPB's own criteria detect what they can.
  EXPECT_EQ(result.checks.front().name, "npb ep S sum of |X|");
  EXPECT_EQ(result.checks.front().passed(), std::abs(GetParam()) < small_perturbation);
}

// The last two are too small to change any sum.
INSTANTIATE_TEST_SUITE_P(Epsilons, PerturbedRun,
                         testing::Values(small_perturbation, -small_perturbation, 1e-17, -1e-20));

/// A kernel's criteria, applied to a result with one NaN.
struct NoNumber {
  std::string where;
  std::vector<Check> checks;
};

std::vector<NoNumber> no_numbers() {
  const double nan = std::nan("");
  std::vector<NoNumber> all{{"cg", cg::checks_of(nan, Class::s)},
                            {"mg", mg::checks_of(nan, Class::s)}};
  const ep::Tally right = ep::tally_serially(Class::s);
  for (std::size_t n = 0; n < 2; ++n) {
    ep::Tally tally = right;
    tally.sums[n] = nan;
    all.push_back({"epSum" + std::to_string(n), ep::checks_of(tally, Class::s)});
    tally = right;
    tally.absolute_sums[n] = nan;
    all.push_back({"epAbsolute" + std::to_string(n), ep::checks_of(tally, Class::s)});
  }
  const auto references = ft_checksums(Class::s);
  for (const std::size_t t : {std::size_t{0}, references.size() - 1}) {
    std::vector<ft::Complex> checksums(references.begin(), references.end());
    checksums[t].imag(nan);
    all.push_back({"ft" + std::to_string(t), ft::checks_of(checksums, Class::s)});
  }
  return all;
}

TEST(Verification, FailsWhatIsNoNumberAnywhere) {
  for (const NoNumber& found : no_numbers()) {
    EXPECT_FALSE(std::all_of(found.checks.begin(), found.checks.end(), [](const Check& check) {
      return check.passed();
    })) << found.where;
  }
}

}  // namespace
}  // namespace bankfull::npb
