#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <cmath>
#include <cstdint>

namespace bankfull::formula {

/// What an instruction does with the values on top of the stack, the last of which is b.
enum class Operation : std::int32_t {
  constant,  ///< pushes the instruction's value
  variable,  ///< pushes the variable
  // one value b
  negative,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  exp,
  ln,
  log2,
  log10,
  sqrt,
  abs,
  sign,
  rint,
  // two values a and b
  add,
  subtract,
  multiply,
  divide,
  power,
  atan2,
  min,
  max,
  less,
  greater,
  at_most,
  at_least,
  equal,
  unequal,
  both,    ///< a and b
  either,  ///< a or b
  // three values: the condition, a and b
  select,  ///< a where the condition is not 0, else b
};

/// How many values an operation takes from the stack.
BANKFULL_HOST_DEVICE constexpr int values_of(Operation operation) {
  if (operation < Operation::negative) {
    return 0;
  }
  if (operation < Operation::add) {
    return 1;
  }
  return operation < Operation::select ? 2 : 3;
}

/// A step of a formula in postfix order.
struct Instruction {
  /// Takes its values from the stack and leaves its result there.
  Operation operation = Operation::constant;
  double value = 0.0;  ///< of a constant
};

namespace detail {

BANKFULL_HOST_DEVICE inline double result_of_one(Operation operation, double b) {
  switch (operation) {
    case Operation::negative:
      return -b;
    case Operation::sin:
      return std::sin(b);
    case Operation::cos:
      return std::cos(b);
    case Operation::tan:
      return std::tan(b);
    case Operation::asin:
      return std::asin(b);
    case Operation::acos:
      return std::acos(b);
    case Operation::atan:
      return std::atan(b);
    case Operation::sinh:
      return std::sinh(b);
    case Operation::cosh:
      return std::cosh(b);
    case Operation::tanh:
      return std::tanh(b);
    case Operation::asinh:
      return std::asinh(b);
    case Operation::acosh:
      return std::acosh(b);
    case Operation::atanh:
      return std::atanh(b);
    case Operation::exp:
      return std::exp(b);
    case Operation::ln:
      return std::log(b);
    case Operation::log2:
      return std::log2(b);
    case Operation::log10:
      return std::log10(b);
    case Operation::sqrt:
      return std::sqrt(b);
    case Operation::abs:
      return std::fabs(b);
    case Operation::sign:
      return b > 0.0 ? 1.0 : (b < 0.0 ? -1.0 : 0.0);
    default:
      return std::floor(b + 0.5);  // as in formulas of places
  }
}

BANKFULL_HOST_DEVICE inline double result_of_two(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::power:
      return std::pow(a, b);
    case Operation::atan2:
      return std::atan2(a, b);
    case Operation::min:
      return b < a ? b : a;
    case Operation::max:
      return b > a ? b : a;
    case Operation::less:
      return a < b ? 1.0 : 0.0;
    case Operation::greater:
      return a > b ? 1.0 : 0.0;
    case Operation::at_most:
      return a <= b ? 1.0 : 0.0;
    case Operation::at_least:
      return a >= b ? 1.0 : 0.0;
    case Operation::equal:
      return a == b ? 1.0 : 0.0;
    case Operation::unequal:
      return a != b ? 1.0 : 0.0;
    case Operation::both:
      return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
    default:
      return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
  }
}

}  // namespace detail

/// A formula of one variable as instructions for a machine with a stack: plain data, which host and
/// device evaluate alike, so that a GPU does not depend on the host for values of a formula. Made
/// by `compile`.
struct Program {
  static constexpr int max_instructions = 64;  ///< `compile` refuses longer formulas
  static constexpr int deepest_stack = 16;     ///< and those that need more values at a time

  Instruction code[max_instructions] = {};  ///< in postfix order, `count` of them
  int count = 0;                            ///< 0: there is no formula

  /// Whether there is a formula.
  [[nodiscard]] bool given() const { return count > 0; }

  /// The formula's value; 0 where there is none.
  [[nodiscard]] BANKFULL_HOST_DEVICE double at(double variable) const {
    double stack[deepest_stack] = {};
    int top = -1;
    for (int n = 0; n < count; ++n) {
      const Operation operation = code[n].operation;
      top += 1 - values_of(operation);
      double& result = stack[top];
      switch (values_of(operation)) {
        case 0:
          result = operation == Operation::constant ? code[n].value : variable;
          break;
        case 1:
          result = detail::result_of_one(operation, result);
          break;
        case 2:
          result = detail::result_of_two(operation, result, stack[top + 1]);
          break;
        default:
          result = result != 0.0 ? stack[top + 1] : stack[top + 2];
          break;
      }
    }
    return stack[0];
  }
};

}  // namespace bankfull::formula
