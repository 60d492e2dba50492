#include "bankfull/app/expression.hpp"

#include "bankfull/core/base/error.hpp"

#include <muParser.h>
#include <numbers>

namespace bankfull {
namespace {

/// muParser knows x = 3, which would change the place for the rest of the formula.
bool assigns(const std::string& formula) {
  for (std::size_t at = formula.find('='); at != std::string::npos;
       at = formula.find('=', at + 1)) {
    const bool compares = at > 0 && std::string("=<>!").find(formula[at - 1]) != std::string::npos;
    const bool doubled = at + 1 < formula.size() && formula[at + 1] == '=';
    if (!compares && !doubled) {
      return true;
    }
  }
  return false;
}

/// A compiled formula and the variables that it reads; one call at a time. Copies compile it anew.
class Formula {
 public:
  explicit Formula(const std::string& text) : text_(text) {
    parser_.ClearConst();
    parser_.DefineConst("pi", std::numbers::pi);
    parser_.DefineConst("e", std::numbers::e);
    parser_.DefineVar("x", &x_);
    parser_.DefineVar("y", &y_);
    parser_.DefineVar("z", &z_);
    parser_.SetExpr(text);
    value_at(0.0, 0.0, 0.0);  // what is wrong shows at the first call only
  }
  ~Formula() = default;
  Formula(const Formula& other) : Formula(other.text_) {}
  Formula(Formula&& other) noexcept(false) : Formula(other.text_) {}
  Formula& operator=(const Formula&) = delete;
  Formula& operator=(Formula&&) = delete;

  double value_at(double x, double y, double z) {
    x_ = x;
    y_ = y;
    z_ = z;
    int values = 0;
    const double* first = parser_.Eval(values);
    if (values != 1) {
      throw UsageError("it has " + std::to_string(values) + " values", "use a point for decimals");
    }
    return *first;
  }

 private:
  std::string text_;
  mu::Parser parser_;
  double x_ = 0.0;
  double y_ = 0.0;
  double z_ = 0.0;
};

}  // namespace

std::function<double(double x, double y, double z)> compile_expression(const std::string& formula) {
  const std::string given = "the formula '" + formula + "'";
  if (assigns(formula)) {
    throw UsageError(given + " cannot be read: it assigns with =", "compare with ==");
  }
  try {
    return [compiled = Formula(formula)](double x, double y, double z) mutable {
      return compiled.value_at(x, y, z);
    };
  } catch (const UsageError& error) {
    throw UsageError(given + " cannot be read: " + error.what());
  } catch (const mu::ParserError& error) {
    std::string why = error.GetMsg();
    why.erase(why.find_last_not_of(". ") + 1);
    throw UsageError(given + " cannot be read: " + why,
                     "use numbers, x, y, z, pi, e, + - * / ^ and functions such as sin or tanh");
  }
}

}  // namespace bankfull
