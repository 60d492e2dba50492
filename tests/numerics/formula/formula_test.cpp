#include "bankfull/core/base/error.hpp"
#include "bankfull/numerics/formula/bounds.hpp"
#include "bankfull/numerics/formula/compile.hpp"
#include "bankfull/numerics/formula/program.hpp"

#include <array>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

// That formulas mean what those of places mean is tested beside muParser in tests/app.
namespace bankfull::formula {
namespace {

using testing::HasSubstr;

std::string refusal_of(const std::string& formula) {
  try {
    compile(formula, "t");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Formula, HasTheValueOfItsExpression) {
  const double t = 0.37;
  EXPECT_DOUBLE_EQ(compile("1 - 0.5*exp(-2*t)", "t").at(t), 1.0 - 0.5 * std::exp(-2.0 * t));
  EXPECT_DOUBLE_EQ(compile("sin(2*pi*t)^2", "t").at(t), std::pow(std::sin(2.0 * M_PI * t), 2.0));
  EXPECT_DOUBLE_EQ(compile(" t < 1 ? t : 2*t ", "t").at(t), t);
  EXPECT_DOUBLE_EQ(compile("t < 1 ? t : 2*t", "t").at(3.0), 6.0);
}

TEST(Formula, OfNothingIsZero) {
  EXPECT_FALSE(Program{}.given());
  EXPECT_EQ(Program{}.at(3.0), 0.0);
}

TEST(Formula, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(refusal_of("2*sin(x)"), HasSubstr("unknown 'x' at letter 7"));
  EXPECT_THAT(refusal_of("2*"), HasSubstr("it ends too early at letter 3"));
  EXPECT_THAT(refusal_of("(t"), HasSubstr("it ends where ')' should follow at letter 3"));
  EXPECT_THAT(refusal_of("t t"), HasSubstr("unexpected 't' at letter 3"));
  EXPECT_THAT(refusal_of("sin t"), HasSubstr("'(' should stand at letter 5"));
  EXPECT_THAT(refusal_of("atan2(t)"), HasSubstr("',' should stand"));
  EXPECT_THAT(refusal_of("sin(t, 2)"), HasSubstr("')' should stand"));
  EXPECT_THAT(refusal_of("t ? 1"), HasSubstr("':' should follow"));
  for (const std::string formula :
       {"", " ", "t = 3", "sin", "1,5", "\"t\"", "1e999", "t ** 2", "$"}) {
    EXPECT_THAT(refusal_of(formula), HasSubstr("cannot be read")) << formula;
    EXPECT_THAT(refusal_of(formula), HasSubstr("; use numbers, t, pi")) << formula;
  }
}

TEST(Formula, WhatIsTooLongForAProgramIsRefused) {
  std::string sum = "t";
  std::string deep = "t";
  std::string powers = "t";
  for (int n = 0; n < 40; ++n) {
    sum += " + t";
    deep = "1 - (" + deep + ")";
    powers += "^t";
  }
  EXPECT_THAT(refusal_of(sum), HasSubstr("more than 64 numbers and operations"));
  EXPECT_THAT(refusal_of(deep), HasSubstr("more than 16 values at a time"));
  EXPECT_THAT(refusal_of(powers), HasSubstr("more than 16 values at a time"));
  EXPECT_THAT(refusal_of(std::string(100000, '(')), HasSubstr("nested too deep"));
  EXPECT_THAT(refusal_of(std::string(100000, '-')), HasSubstr("ends too early"));
}

TEST(FormulaBounds, HoldAllValuesAndNotMuchMore) {
  constexpr std::array<const char*, 24> formulas{"3 - 2*t",
                                                 "sin(3*t)",
                                                 "cos(t + 1)",
                                                 "t*exp(-t)",
                                                 "t^2",
                                                 "t^3 - t",
                                                 "(t - 1)^4",
                                                 "2^(-t)",
                                                 "sqrt(4 + t)",
                                                 "abs(t)",
                                                 "atan(t) + tanh(t)",
                                                 "1/(3 + t)",
                                                 "max(0, sin(5*t))",
                                                 "min(t, 0.5)",
                                                 "t < 0.5 ? -2 : 3",
                                                 "exp(-40*(t - 0.7)^2)",
                                                 "cosh(t) - sinh(t)",
                                                 "sign(t)*rint(3*t)",
                                                 "ln(4 + t)*log10(5 + t)",
                                                 "tan(t/3)",
                                                 "t > 0 && t < 1",
                                                 "asin(t/3) - acos(t/4)",
                                                 "-(t^0.5 + 1)",
                                                 "sin(t)^2 + cos(t)^2"};
  for (const std::string formula : formulas) {
    const Program program = compile(formula, "t");
    const bool needs_positive = formula.find("t^0.5") != std::string::npos;
    const Interval times{needs_positive ? 0.0 : -1.3, 2.1};
    const Interval bounds = bounds_of(program, times);
    Interval found{HUGE_VAL, -HUGE_VAL};
    constexpr int samples = 10000;
    for (int n = 0; n <= samples; ++n) {
      const double value = program.at(times.least + (times.most - times.least) * n / samples);
      found = {std::fmin(found.least, value), std::fmax(found.most, value)};
    }
    const double slack = 1e-12 * (1.0 + found.magnitude());
    EXPECT_LE(bounds.least, found.least + slack) << formula;
    EXPECT_GE(bounds.most, found.most - slack) << formula;
    const double wide = 0.02 * (found.most - found.least) + 0.01;
    EXPECT_GE(bounds.least, found.least - wide) << formula;
    EXPECT_LE(bounds.most, found.most + wide) << formula;
  }
}

TEST(FormulaBounds, OfAllTimes) {
  const Interval forever{0.0, HUGE_VAL};
  EXPECT_EQ(bounds_of(compile("2 + sin(3*t)", "t"), forever).most, 3.0);
  EXPECT_EQ(bounds_of(compile("exp(-t)", "t"), forever).magnitude(), 1.0);
  EXPECT_FALSE(bounds_of(compile("t", "t"), forever).finite());
  EXPECT_FALSE(bounds_of(compile("1/(t - 1)", "t"), forever).finite());
}

TEST(FormulaBounds, AreInfiniteWhereAFormulaHasNone) {
  const Interval times{0.0, 4.0};
  for (const char* formula :
       {"1/(t - 1)", "tan(t)", "ln(t)", "sqrt(t - 1)", "1/t", "t^(-1)", "asin(t)", "(t - 1)^0.5",
        "t > 0 ? 1/sqrt(t) : 1", "min(1, 1/(t - 1))", "max(1, 1/t)", "min(1, 1/(0 - t))", "t/t"}) {
    EXPECT_FALSE(bounds_of(compile(formula, "t"), times).finite()) << formula;
  }
}

/// A run begins at 0, where the machine finds 1/0 = inf and min(1, inf) = 1.
TEST(FormulaBounds, KnowTheFirstValueWhereAPartOfItIsInfinite) {
  for (const double end : {4.0, HUGE_VAL}) {
    const Interval times{0.0, end};
    for (const char* formula :
         {"min(1, 1/t)", "min(1/t, 1)", "-max(-1, -1/t)", "min(1, t^(-1))", "min(1, 1/sqrt(t))"}) {
      const Program program = compile(formula, "t");
      EXPECT_EQ(program.at(0.0), 1.0) << formula;
      EXPECT_EQ(bounds_of(program, times).most, 1.0) << formula;
      EXPECT_GE(bounds_of(program, times).least, 0.0) << formula;
    }
  }
  EXPECT_EQ(bounds_of(compile("1/t", "t"), {2.0, 2.0}).most, 0.5);
  EXPECT_FALSE(bounds_of(compile("1/t", "t"), {0.0, 0.0}).finite());
}

TEST(FormulaBounds, OfNothingAreZero) {
  EXPECT_EQ(bounds_of(Program{}, Interval{0.0, 1.0}).magnitude(), 0.0);
}

}  // namespace
}  // namespace bankfull::formula
