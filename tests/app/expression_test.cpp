#include "bankfull/app/expression.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/numerics/formula/compile.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

namespace bankfull {
namespace {

using testing::HasSubstr;

std::string refusal_of(const std::string& formula) {
  try {
    compile_expression(formula);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Expression, ReadsPlaceConstantsAndFunctions) {
  EXPECT_DOUBLE_EQ(compile_expression("2*tanh(x)")(0.5, 9.0, 9.0), 2.0 * std::tanh(0.5));
  EXPECT_DOUBLE_EQ(compile_expression("x - 2*y + z^3")(1.0, 2.0, 3.0), 24.0);
  EXPECT_DOUBLE_EQ(compile_expression("cos(pi*x) * ln(e)")(1.0, 0.0, 0.0), -1.0);
  EXPECT_DOUBLE_EQ(compile_expression("x < 0 ? -1 : 1")(-0.1, 0.0, 0.0), -1.0);
  EXPECT_DOUBLE_EQ(compile_expression("1e-3")(0.0, 0.0, 0.0), 1e-3);
}

/// Formulas of time are compiled by a reader of our own, since GPUs evaluate them.
TEST(Expression, FormulasOfOneVariableMeanTheSame) {
  for (const std::string formula : {"-x^2",
                                    "2^-x",
                                    "2^3^2",
                                    "2^-3^2*x",
                                    "-2^2",

                                    "-x*-x",
                                    "3 - 2 - x",
                                    "12/3/x",
                                    "2*x + 3*x^2 - 4",
                                    "(x + 1)*(x - 1)",
                                    "x < 0.5 ? 1 : 2",
                                    "x > 0 ? x < 1 ? 5 : 6 : 7",
                                    "x > 0 && x < 1",
                                    "x < 0 || x > 1 && 0",
                                    "1 + 1 == 2",
                                    "x != 0.25",
                                    "x <= 0.25",
                                    "x >= 0.25",
                                    "1.5e-3*x",
                                    ".5 + x",
                                    "2.",
                                    "pi*e",
                                    "sin(x) + cos(2*x)*tan(x/3)",
                                    "asin(x/4) + acos(x/5)",
                                    "atan(x) - atan2(x, -2)",
                                    "sinh(x) + cosh(x) + tanh(x)",
                                    "asinh(x) + acosh(3 + x) + atanh(x/9)",
                                    "exp(-x^2) + ln(3 + x) + log2(5 + x) + log10(4 + x)",
                                    "sqrt(abs(x)) + sign(x) + rint(x)",
                                    "min(x, 0.3)",
                                    "max(1, x, -x, 0.1)",
                                    "min(x)"}) {
    const formula::Program program = formula::compile(formula, "x");
    const auto expected = compile_expression(formula);
    for (const double x : {-1.7, -0.25, 0.0, 0.25, 0.5, 1.0, 2.9}) {
      EXPECT_DOUBLE_EQ(program.at(x), expected(x, 0.0, 0.0)) << formula << " at " << x;
    }
  }
}

TEST(Expression, LivesOnInCopies) {
  std::function<double(double, double, double)> copy;
  {
    const auto original = compile_expression("x*y*z");
    copy = original;
  }
  EXPECT_DOUBLE_EQ(copy(2.0, 3.0, 4.0), 24.0);
}

TEST(Expression, SaysWhatIsWrong) {
  EXPECT_THAT(refusal_of("2*sin(q)"), HasSubstr("'2*sin(q)' cannot be read"));
  EXPECT_THAT(refusal_of("2*sin(q)"), HasSubstr("\"q\""));
  EXPECT_THAT(refusal_of("2*"), HasSubstr("end of expression"));
  EXPECT_THAT(refusal_of("1,5"), HasSubstr("2 values"));
  for (const std::string formula : {"", " ", "x=3", "(x", "sin", "x y", "\"x\""}) {
    EXPECT_THAT(refusal_of(formula), HasSubstr("cannot be read")) << formula;
  }
}

TEST(Expression, CopiesServeSeveralThreads) {
  const auto square = compile_expression("x*x");
  std::vector<int> wrong(4);
  std::vector<std::thread> team;
  for (std::size_t n = 0; n < wrong.size(); ++n) {
    team.emplace_back([square, &count = wrong[n], n] {
      for (int m = 0; m < 2000; ++m) {
        const double x = static_cast<double>(n) * 1000.0 + m;
        count += square(x, 0.0, 0.0) == x * x ? 0 : 1;
      }
    });
  }
  for (std::thread& worker : team) {
    worker.join();
  }
  EXPECT_EQ(wrong, std::vector<int>(4));
}

}  // namespace
}  // namespace bankfull
