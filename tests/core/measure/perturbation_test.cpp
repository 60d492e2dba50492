#include "bankfull/core/measure/perturbation.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <variant>

namespace bankfull {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

class PerturbationCheck : public ::testing::TestWithParam<double> {};

TEST_P(PerturbationCheck, Fails) {
  RunResult result;
  result.checks = {perturbation_check(GetParam())};
  EXPECT_FALSE(result.checks.front().passed());
  EXPECT_FALSE(result.verified());
}

// Down to values that vanish in a sum with 1, and to the smallest number above 0.
INSTANTIATE_TEST_SUITE_P(Epsilons, PerturbationCheck,
                         ::testing::Values(1e-6, -1e-6, 1e-17, -1e-20, 1e-300, 5e-324, not_a_number,
                                           infinity));

TEST(PerturbationCheckOfNone, Passes) { EXPECT_TRUE(perturbation_check(0.0).passed()); }

TEST(PerturbationCheckOfNone, IsNamedAfterWhatItIsOf) {
  EXPECT_EQ(perturbation_check(0.0).name, "operator not perturbed");
  EXPECT_EQ(perturbation_check(0.0, "npb cg S").name, "npb cg S operator not perturbed");
}

TEST(PerturbationNote, NamesEpsilon) {
  EXPECT_NE(perturbation_note(1e-6).find("1 + 1e-06 on purpose"), std::string::npos);
  EXPECT_NE(perturbation_note(not_a_number).find("1 + nan on purpose"), std::string::npos);
}

TEST(PerturbationParameter, IsAValueThatJsonHas) {
  EXPECT_EQ(perturbation_parameter(1e-20).name, "perturbation");
  EXPECT_EQ(std::get<double>(perturbation_parameter(1e-20).value), 1e-20);
  EXPECT_EQ(std::get<std::string>(perturbation_parameter(not_a_number).value), "nan");
  EXPECT_EQ(std::get<std::string>(perturbation_parameter(-infinity).value), "-inf");
}

TEST(Perturbation, IsStatedWhereThereIsOne) {
  for (const double epsilon : {0.0, 1e-20, not_a_number}) {
    std::vector<std::string> notes;
    std::vector<Figure> parameters;
    std::vector<Check> checks;
    add_perturbation(epsilon, notes);
    add_perturbation(epsilon, parameters);
    add_perturbation(epsilon, checks, "npb cg S");
    const std::size_t expected = epsilon == 0.0 ? 0 : 1;
    EXPECT_EQ(notes.size(), expected);
    EXPECT_EQ(parameters.size(), expected);
    EXPECT_EQ(checks.size(), expected);
  }
}

}  // namespace
}  // namespace bankfull
