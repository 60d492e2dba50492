#pragma once

#include "bankfull/numerics/formula/program.hpp"

#include <string>

namespace bankfull::formula {

/// Reads a formula of one variable, such as "1 - 0.5*exp(-2*t)": numbers, the variable, pi and e,
/// + - * / ^, comparisons, && and ||, c ? a : b, brackets, and the functions of one number sin,
/// cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, exp, ln, log2, log10, sqrt,
/// abs, sign, rint, of two atan2, of one or more min and max. Precedence is that of the formulas of
/// places (muParser): -2^2 = -4, 2^3^2 = 2^9.
///
/// Throws UsageError for what is not such a formula, or is longer than a Program holds, telling
/// what is wrong and at which letter.
Program compile(const std::string& formula, const std::string& variable);

}  // namespace bankfull::formula
