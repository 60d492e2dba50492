#include "bankfull/app/convect/formula.hpp"

#include "bankfull/app/expression.hpp"
#include "bankfull/core/base/error.hpp"

#include <cmath>

namespace bankfull::convect {
namespace {

convection::PointFunction function_of(const TomlSection& section, const std::string& key,
                                      const toml::node& value) {
  const std::string where = section.place(value) + ": [" + section.name() + "] " + key;
  if (value.is_string()) {
    try {
      return compile_expression(value.value_or(std::string()));
    } catch (const UsageError& error) {
      throw UsageError(where + ": " + error.what());
    }
  }
  if (!(value.is_integer() || value.is_floating_point()) || !std::isfinite(value.value_or(0.0))) {
    throw UsageError(where + " = " + written(value) + " is not a formula",
                     "give a number, or a formula of x, y and z in quotes");
  }
  const double constant = value.value_or(0.0);
  if (constant == 0.0) {
    return {};
  }
  return [constant](double /*x*/, double /*y*/, double /*z*/) { return constant; };
}

}  // namespace

convection::PointFunction read_formula(const TomlSection& section, const std::string& key) {
  return section.has(key) ? function_of(section, key, section.node(key))
                          : convection::PointFunction{};
}

std::array<convection::PointFunction, 3> read_formulas(const TomlSection& section,
                                                       const std::string& key) {
  if (!section.has(key)) {
    return {};
  }
  const toml::array* all = section.node(key).as_array();
  if (all == nullptr || all->size() != 3) {
    section.refuse(key, "= " + written(section.node(key)) + " is not a list of three",
                   "give three numbers or formulas, along x, y and z");
  }
  return {function_of(section, key, *all->get(0)), function_of(section, key, *all->get(1)),
          function_of(section, key, *all->get(2))};
}

}  // namespace bankfull::convect
