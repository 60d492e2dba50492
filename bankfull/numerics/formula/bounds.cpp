#include "bankfull/numerics/formula/bounds.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <numbers>

namespace bankfull::formula {
namespace {

constexpr double pi = std::numbers::pi;
constexpr Interval truth{0.0, 1.0};

/// From the least to the most of some numbers; all there are where one of these is none.
Interval around(std::initializer_list<double> numbers) {
  Interval found{HUGE_VAL, -HUGE_VAL};
  for (const double number : numbers) {
    if (std::isnan(number)) {
      return {};
    }
    found = {std::min(found.least, number), std::max(found.most, number)};
  }
  return found;
}

Interval united(const Interval& a, const Interval& b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

bool holds(const Interval& interval, double number) {
  return interval.least <= number && number <= interval.most;
}

/// The next number above.
double above(double number) { return std::nextafter(number, HUGE_VAL); }

/// Bounds of a function that is monotone on the whole interval.
template <class Function>
Interval monotone(const Interval& b, const Function& function) {
  return around({function(b.least), function(b.most)});
}

/// Whether first + n period lies in an interval for a whole number n.
bool holds_one_of(const Interval& b, double first, double period) {
  return std::floor((b.most - first) / period) >= std::ceil((b.least - first) / period);
}

/// sin(b + shift)
Interval wave(const Interval& b, double shift) {
  if (!b.finite()) {
    return {-1.0, 1.0};
  }
  Interval found = around({std::sin(b.least + shift), std::sin(b.most + shift)});
  if (holds_one_of(b, 0.5 * pi - shift, 2.0 * pi)) {
    found.most = 1.0;
  }
  if (holds_one_of(b, -0.5 * pi - shift, 2.0 * pi)) {
    found.least = -1.0;
  }
  return found;
}

/// Bounds of a function that is even and increases with the magnitude.
template <class Function>
Interval even(const Interval& b, const Function& function) {
  Interval found = monotone(b, function);
  if (holds(b, 0.0)) {
    found = united(found, around({function(0.0)}));
  }
  return found;
}

Interval product(const Interval& a, const Interval& b) {
  return around({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
}

Interval quotient(const Interval& a, const Interval& b) {
  return holds(b, 0.0) ? Interval{} : product(a, {1.0 / b.most, 1.0 / b.least});
}

Interval power(const Interval& a, const Interval& b) {
  const bool is_number = b.least == b.most;
  if (is_number && b.least >= 0.0 && b.least == std::floor(b.least)) {
    const auto raised = [&](double x) { return std::pow(x, b.least); };
    return std::fmod(b.least, 2.0) == 0.0 ? even(a, raised) : monotone(a, raised);
  }
  if (is_number && b.least > 0.0 && a.least >= 0.0) {
    return monotone(a, [&](double x) { return std::pow(x, b.least); });
  }
  if (a.least > 0.0) {
    const Interval exponent = product(b, {std::log(a.least), std::log(a.most)});
    return {std::exp(exponent.least), std::exp(exponent.most)};
  }
  return {};
}

Interval tangent(const Interval& b) {
  const bool whole = b.finite() && !holds_one_of(b, 0.5 * pi, pi);
  return whole ? monotone(b, [](double x) { return std::tan(x); }) : Interval{};
}

Interval bounds_of_one(Operation operation, const Interval& b) {
  const auto result = [operation](double x) { return detail::result_of_one(operation, x); };
  switch (operation) {
    case Operation::negative:
      return {-b.most, -b.least};
    case Operation::sin:
      return wave(b, 0.0);
    case Operation::cos:
      return wave(b, 0.5 * pi);
    case Operation::tan:
      return tangent(b);
    case Operation::abs:
    case Operation::cosh:
      return even(b, result);
    default:
      // All others are monotone wherever they are defined, and NaN elsewhere.
      return monotone(b, result);
  }
}

Interval bounds_of_two(Operation operation, const Interval& a, const Interval& b) {
  switch (operation) {
    case Operation::add:
      return around({a.least + b.least, a.most + b.most});
    case Operation::subtract:
      return around({a.least - b.most, a.most - b.least});
    case Operation::multiply:
      return product(a, b);
    case Operation::divide:
      return quotient(a, b);
    case Operation::power:
      return power(a, b);
    case Operation::atan2:
      return {-pi, pi};
    case Operation::min:
      return {std::min(a.least, b.least), std::min(a.most, b.most)};
    case Operation::max:
      return {std::max(a.least, b.least), std::max(a.most, b.most)};
    case Operation::less:
    case Operation::at_most:
      return a.most < b.least ? Interval{1.0, 1.0}
                              : (a.least > b.most ? Interval{0.0, 0.0} : truth);
    case Operation::greater:
    case Operation::at_least:
      return a.least > b.most ? Interval{1.0, 1.0}
                              : (a.most < b.least ? Interval{0.0, 0.0} : truth);
    default:
      return truth;
  }
}

Interval bounds_of_choice(const Interval& condition, const Interval& a, const Interval& b) {
  if (!holds(condition, 0.0)) {
    return a;
  }
  return condition.least == 0.0 && condition.most == 0.0 ? b : united(a, b);
}

Interval bounds_of_piece(const Program& program, const Interval& variable) {
  std::array<Interval, Program::deepest_stack> stack;
  std::size_t size = 0;
  for (int n = 0; n < program.count; ++n) {
    const Instruction& instruction = program.code[n];
    const auto taken = static_cast<std::size_t>(values_of(instruction.operation));
    size -= taken;
    Interval& result = stack[size];
    switch (taken) {
      case 0:
        result = instruction.operation == Operation::constant
                     ? Interval{instruction.value, instruction.value}
                     : variable;
        break;
      case 1:
        result = bounds_of_one(instruction.operation, result);
        break;
      case 2:
        result = bounds_of_two(instruction.operation, result, stack[size + 1]);
        break;
      default:
        result = bounds_of_choice(result, stack[size + 1], stack[size + 2]);
        break;
    }
    ++size;
  }
  return size == 0 ? Interval{0.0, 0.0} : stack[0];
}

/// From the number after the least one: the least is left out, for an interval that contains 0 does
/// not say from which side t approaches it in 1/t.
Interval bounds_beyond_the_least(const Program& program, const Interval& variable) {
  const double begin = above(variable.least);
  if (!variable.finite()) {
    return bounds_of_piece(program, {begin, variable.most});
  }
  constexpr int pieces = 1024;
  const auto place = [&](int n) {
    const double part = static_cast<double>(n) / pieces;
    return n == pieces ? variable.most : begin + part * (variable.most - begin);
  };
  Interval found = bounds_of_piece(program, {place(0), place(1)});
  for (int n = 1; n < pieces; ++n) {
    found = united(found, bounds_of_piece(program, {place(n), place(n + 1)}));
  }
  return found;
}

/// The first number after 0 is 5e-324, so that the bound of 1/sqrt(t) there is of no use.
Interval useful(const Interval& found) {
  constexpr double useless = 1e30;
  return {found.least < -useless ? -HUGE_VAL : found.least,
          found.most > useless ? HUGE_VAL : found.most};
}

}  // namespace

Interval bounds_of(const Program& program, const Interval& variable) {
  if (!std::isfinite(variable.least)) {
    return useful(bounds_of_piece(program, variable));
  }
  const Interval first = around({program.at(variable.least)});
  return variable.least < variable.most
             ? useful(united(first, bounds_beyond_the_least(program, variable)))
             : first;
}

}  // namespace bankfull::formula
