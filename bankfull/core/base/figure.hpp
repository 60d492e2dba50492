#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace bankfull {

/// A named value with its unit ("" for none): a problem parameter, a machine fact, a figure.
struct Figure {
  std::string name;  ///< as results have it: "sm_clock_max"
  std::variant<bool, std::int64_t, double, std::string> value;  ///< a number is in `unit`
  std::string unit = {};                                        ///< "B", "MHz", "GB/s"; empty: none
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

/// The figure of this name; null if there is none.
inline const Figure* find_figure(const std::vector<Figure>& figures, std::string_view name) {
  const auto found = std::ranges::find(figures, name, &Figure::name);
  return found == figures.end() ? nullptr : &*found;
}

/// The value of the figure of this name, in its unit; empty if there is none, or one of another
/// type. A whole number is a double, too.
template <class T>
std::optional<T> value_of(const std::vector<Figure>& figures, std::string_view name) {
  static_assert(std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t> ||
                    std::is_same_v<T, double> || std::is_same_v<T, std::string>,
                "figures are bool, std::int64_t, double or std::string");
  const Figure* const figure = find_figure(figures, name);
  if (figure == nullptr) {
    return std::nullopt;
  }
  if constexpr (std::is_same_v<T, double>) {
    return as_number(*figure);
  } else {
    const T* const value = std::get_if<T>(&figure->value);
    return value != nullptr ? std::optional<T>(*value) : std::nullopt;
  }
}

}  // namespace bankfull
