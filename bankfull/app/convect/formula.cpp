#include "bankfull/app/convect/formula.hpp"

#include "bankfull/app/expression.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/numerics/formula/compile.hpp"

#include <cmath>
#include <memory>

namespace bankfull::convect {
namespace {

std::string where_of(const TomlSection& section, const std::string& key, const toml::node& value) {
  return section.place(value) + ": [" + section.name() + "] " + key;
}

/// The nodes of a list of three.
std::array<const toml::node*, 3> three_of(const TomlSection& section, const std::string& key) {
  const toml::array* all = section.node(key).as_array();
  if (all == nullptr || all->size() != 3) {
    section.refuse(key, "= " + written(section.node(key)) + " is not a list of three",
                   "give three numbers or formulas, along x, y and z");
  }
  return {all->get(0), all->get(1), all->get(2)};
}

convection::TimeFunction time_function_of(const TomlSection& section, const std::string& key,
                                          const toml::node& value) {
  const std::string where = where_of(section, key, value);
  if (!value.is_string()) {
    throw UsageError(where + " = " + written(value) + " is not a formula of t",
                     "give one in quotes, \"sin(2*t)\"");
  }
  try {
    return std::make_shared<const formula::Program>(
        formula::compile(value.value_or(std::string()), "t"));
  } catch (const UsageError& error) {
    throw UsageError(where + ": " + error.what());
  }
}

convection::PointFunction function_of(const TomlSection& section, const std::string& key,
                                      const toml::node& value) {
  const std::string where = where_of(section, key, value);
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

Source source_of(const TomlSection& section, const std::string& key, toml::node& value) {
  if (!value.is_table()) {
    return {function_of(section, key, value), {}};
  }
  const TomlSection parts(*value.as_table(), section.name() + "." + key, section.file());
  parts.allow({"formula", "factor"});
  if (parts.has("formula")) {
    return {read_formula(parts, "formula"), read_time_formula(parts, "factor")};
  }
  return {[](double /*x*/, double /*y*/, double /*z*/) { return 1.0; },
          time_function_of(parts, "factor", parts.node("factor"))};
}

}  // namespace

convection::TimeFunction read_time_formula(const TomlSection& section, const std::string& key) {
  return section.has(key) ? time_function_of(section, key, section.node(key))
                          : convection::TimeFunction{};
}

std::array<convection::TimeFunction, 3> read_time_formulas(const TomlSection& section,
                                                           const std::string& key) {
  std::array<convection::TimeFunction, 3> found;
  if (!section.has(key)) {
    return found;
  }
  const std::array<const toml::node*, 3> all = three_of(section, key);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const bool is_none = all[n]->is_number() && all[n]->value_or(1.0) == 0.0;
    found[n] = is_none ? nullptr : time_function_of(section, key, *all[n]);
  }
  return found;
}

Source read_source(const TomlSection& section, const std::string& key) {
  return section.has(key) ? source_of(section, key, section.node(key)) : Source{};
}

std::array<Source, 3> read_sources(const TomlSection& section, const std::string& key) {
  std::array<Source, 3> found;
  if (!section.has(key)) {
    return found;
  }
  static_cast<void>(three_of(section, key));
  toml::array& all = *section.node(key).as_array();
  for (std::size_t n = 0; n < found.size(); ++n) {
    found[n] = source_of(section, key, *all.get(n));
  }
  return found;
}

convection::PointFunction read_formula(const TomlSection& section, const std::string& key) {
  return section.has(key) ? function_of(section, key, section.node(key))
                          : convection::PointFunction{};
}

std::array<convection::PointFunction, 3> read_formulas(const TomlSection& section,
                                                       const std::string& key) {
  if (!section.has(key)) {
    return {};
  }
  const std::array<const toml::node*, 3> all = three_of(section, key);
  return {function_of(section, key, *all[0]), function_of(section, key, *all[1]),
          function_of(section, key, *all[2])};
}

}  // namespace bankfull::convect
