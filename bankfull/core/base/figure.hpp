#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace bankfull {

/// A named value with its unit ("" for none): a problem parameter, a machine fact, a figure.
struct Figure {
  std::string name;
  std::variant<bool, std::int64_t, double, std::string> value;
  std::string unit = {};
};

/// Adds what is known, under this name.
template <class T>
void add_known(std::vector<Figure>& figures, const std::string& name, const std::optional<T>& value,
               const std::string& unit = {}) {
  if (value) {
    figures.push_back({.name = name, .value = *value, .unit = unit});
  }
}

/// A numeric figure as a number; empty for texts and truths.
inline std::optional<double> as_number(const Figure& figure) {
  if (const auto* whole = std::get_if<std::int64_t>(&figure.value)) {
    return static_cast<double>(*whole);
  }
  const auto* real = std::get_if<double>(&figure.value);
  return real != nullptr ? std::optional(*real) : std::nullopt;
}

}  // namespace bankfull
