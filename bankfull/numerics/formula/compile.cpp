#include "bankfull/numerics/formula/compile.hpp"

#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <numbers>
#include <string_view>
#include <utility>

namespace bankfull::formula {
namespace {

using Named = std::pair<std::string_view, Operation>;

constexpr std::array<Named, 20> functions_of_one{
    {{"sin", Operation::sin},     {"cos", Operation::cos},     {"tan", Operation::tan},
     {"asin", Operation::asin},   {"acos", Operation::acos},   {"atan", Operation::atan},
     {"sinh", Operation::sinh},   {"cosh", Operation::cosh},   {"tanh", Operation::tanh},
     {"asinh", Operation::asinh}, {"acosh", Operation::acosh}, {"atanh", Operation::atanh},
     {"exp", Operation::exp},     {"ln", Operation::ln},       {"log2", Operation::log2},
     {"log10", Operation::log10}, {"sqrt", Operation::sqrt},   {"abs", Operation::abs},
     {"sign", Operation::sign},   {"rint", Operation::rint}}};
constexpr std::array<Named, 3> functions_of_more{
    {{"atan2", Operation::atan2}, {"min", Operation::min}, {"max", Operation::max}}};

/// Operators between two values, those that bind least first. Longer signs stand before those that
/// they begin with.
constexpr std::array<std::array<Named, 6>, 5> operators_by_precedence{
    {{{{"||", Operation::either}}},
     {{{"&&", Operation::both}}},
     {{{"<=", Operation::at_most},
       {">=", Operation::at_least},
       {"==", Operation::equal},
       {"!=", Operation::unequal},
       {"<", Operation::less},
       {">", Operation::greater}}},
     {{{"+", Operation::add}, {"-", Operation::subtract}}},
     {{{"*", Operation::multiply}, {"/", Operation::divide}}}}};

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    text += part;
  }
  return text;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads by recursive descent and writes instructions as it goes.
class Compiler {
 public:
  Compiler(const std::string& formula, const std::string& variable)
      : text_(formula), variable_(variable) {}

  Program compile() {
    choice();
    skip_blanks();
    if (at_ < text_.size()) {
      refuse_letter();
    }
    return program_;
  }

 private:
  /// c ? a : b, whose parts may be choices.
  void choice() {
    // As deep as a program's stack is enough for whatever fits it.
    constexpr int deepest = 4 * Program::deepest_stack;
    if (++nested_ > deepest) {
      refuse("it is nested too deep");
    }
    between(0);
    if (take("?")) {
      choice();
      demand(":");
      choice();
      put({Operation::select});
    }
    --nested_;
  }

  /// Operators of this precedence, from left to right, between what binds more.
  void between(std::size_t precedence) {
    if (precedence == operators_by_precedence.size()) {
      signed_value();
      return;
    }
    between(precedence + 1);
    for (const Named* found = operator_here(precedence); found != nullptr;
         found = operator_here(precedence)) {
      between(precedence + 1);
      put({found->second});
    }
  }

  const Named* operator_here(std::size_t precedence) {
    for (const Named& one : operators_by_precedence[precedence]) {
      if (!one.first.empty() && take(one.first)) {
        return &one;
      }
    }
    return nullptr;
  }

  void signed_value() {
    bool negative = false;
    for (;;) {
      if (take("-")) {
        negative = !negative;
      } else if (!take("+")) {
        break;
      }
    }
    raised();
    if (negative) {
      put({Operation::negative});
    }
  }

  void raised() {
    primary();
    if (take("^")) {
      signed_value();
      put({Operation::power});
    }
  }

  void primary() {
    if (take("(")) {
      choice();
      demand(")");
      return;
    }
    skip_blanks();
    if (at_ == text_.size()) {
      refuse("it ends too early");
    }
    const char first = text_[at_];
    if (is_digit(first) || first == '.') {
      number();
    } else if (is_letter(first)) {
      word();
    } else {
      refuse_letter();
    }
  }

  void number() {
    double value = 0.0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{}) {
      refuse("a number that cannot be read");
    }
    at_ += static_cast<std::size_t>(end - begin);
    put({Operation::constant, value});
  }

  void word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) {
      ++at_;
    }
    const std::string_view name = std::string_view(text_).substr(begin, at_ - begin);
    if (name == variable_) {
      put({Operation::variable});
    } else if (name == "pi") {
      put({Operation::constant, std::numbers::pi});
    } else if (name == "e") {
      put({Operation::constant, std::numbers::e});
    } else {
      call(std::string(name), begin);
    }
  }

  void call(const std::string& name, std::size_t begin) {
    const auto is_name = [&](const Named& one) { return one.first == name; };
    const auto* const of_one = std::ranges::find_if(functions_of_one, is_name);
    const auto* const of_more = std::ranges::find_if(functions_of_more, is_name);
    if (of_one == functions_of_one.end() && of_more == functions_of_more.end()) {
      at_ = begin;
      refuse(joined({"unknown '", name, "'"}));
    }
    demand("(");
    choice();
    if (of_one != functions_of_one.end()) {
      put({of_one->second});
    } else {
      further_arguments(*of_more);
    }
    demand(")");
  }

  void further_arguments(const Named& function) {
    if (function.second == Operation::atan2) {
      demand(",");
      choice();
      put({function.second});
      return;
    }
    while (take(",")) {
      choice();
      put({function.second});
    }
  }

  void put(const Instruction& instruction) {
    if (program_.count == Program::max_instructions) {
      refuse(joined({"it has more than ", std::to_string(Program::max_instructions),
                     " numbers and operations"}));
    }
    values_ += 1 - values_of(instruction.operation);
    if (values_ > Program::deepest_stack) {
      refuse(joined(
          {"it needs more than ", std::to_string(Program::deepest_stack), " values at a time"}));
    }
    program_.code[program_.count++] = instruction;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  bool take(std::string_view sign) {
    skip_blanks();
    if (std::string_view(text_).substr(at_, sign.size()) != sign) {
      return false;
    }
    at_ += sign.size();
    return true;
  }

  void demand(std::string_view sign) {
    if (!take(sign)) {
      refuse(at_ == text_.size() ? joined({"it ends where '", sign, "' should follow"})
                                 : joined({"'", sign, "' should stand"}));
    }
  }

  [[noreturn]] void refuse_letter() const {
    refuse(joined({"unexpected '", std::string_view(text_).substr(at_, 1), "'"}));
  }

  [[noreturn]] void refuse(std::string_view why) const {
    throw UsageError(joined({"the formula '", text_, "' cannot be read: ", why, " at letter ",
                             std::to_string(at_ + 1)}),
                     joined({"use numbers, ", variable_,
                             ", pi, e, + - * / ^ and functions such as sin or tanh"}));
  }

  const std::string& text_;
  const std::string& variable_;
  std::size_t at_ = 0;
  int nested_ = 0;
  int values_ = 0;  ///< on the stack
  Program program_;
};

}  // namespace

Program compile(const std::string& formula, const std::string& variable) {
  return Compiler(formula, variable).compile();
}

}  // namespace bankfull::formula
