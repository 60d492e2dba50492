#pragma once

#include <functional>
#include <string>

namespace bankfull {

/// Compiles a formula of x, y, z such as "2*tanh(x)": numbers, + - * / ^, comparisons, c ? a : b,
/// the constants pi and e, and the functions of muParser (sin, cos, tan, asin, acos, atan, atan2,
/// sinh, cosh, tanh, asinh, acosh, atanh, exp, ln, log2, log10, sqrt, abs, sign, rint, min, max,
/// sum, avg). One call at a time;
/// copies are independent.
///
/// Throws UsageError for what is not a formula, saying what is wrong and at which letter.
std::function<double(double x, double y, double z)> compile_expression(const std::string& formula);

}  // namespace bankfull
