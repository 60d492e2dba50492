#pragma once

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bankfull {

/// A value of an enum and how it is written.
template <class Enum>
struct EnumName {
  Enum value;             ///< occurs once in a table
  std::string_view name;  ///< a literal: not owned
};

/// The one table of names of an enum's values, used for printing, recording and parsing. Created by
/// `enum_names`.
template <class Enum, std::size_t Count>
class EnumNames {
 public:
  /// Throws std::logic_error, which is an error of compilation in `enum_names`, if a value or a
  /// name occurs twice.
  constexpr explicit EnumNames(const std::array<EnumName<Enum>, Count>& entries)
      : entries_(entries) {
    for (std::size_t n = 0; n < Count; ++n) {
      for (std::size_t m = 0; m < n; ++m) {
        if (entries[n].value == entries[m].value || entries[n].name == entries[m].name) {
          throw std::logic_error("a value or a name occurs twice");  // at compile time
        }
      }
    }
  }

  /// The name of a value, which must be in the table.
  [[nodiscard]] std::string to_string(Enum value) const {
    for (const EnumName<Enum>& entry : entries_) {
      if (entry.value == value) {
        return std::string(entry.name);
      }
    }
    expects(false, "every value of the enum has a name");
    return {};
  }

  /// The value of exactly this name; empty if there is none.
  [[nodiscard]] std::optional<Enum> from_string(std::string_view text) const {
    for (const EnumName<Enum>& entry : entries_) {
      if (entry.name == text) {
        return entry.value;
      }
    }
    return std::nullopt;
  }

  /// The same for user input: throws UsageError with this problem and the list of valid names,
  /// including those that the option accepts `besides`.
  [[nodiscard]] Enum parse(std::string_view text, const std::string& problem,
                           std::initializer_list<std::string_view> besides = {}) const {
    const std::optional<Enum> value = from_string(text);
    if (!value.has_value()) {
      throw UsageError(problem, "use " + listed(besides));
    }
    return *value;
  }

  /// "cg, ep or ft".
  [[nodiscard]] std::string listed(std::initializer_list<std::string_view> besides = {}) const {
    std::vector<std::string> all = names();
    all.insert(all.end(), besides.begin(), besides.end());
    std::string list = all.front();
    for (std::size_t n = 1; n < all.size(); ++n) {
      list += (n + 1 < all.size() ? ", " : " or ") + all[n];
    }
    return list;
  }

  /// In the order of the table, as are `values` and `list`.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    all.reserve(Count);
    for (const EnumName<Enum>& entry : entries_) {
      all.emplace_back(entry.name);
    }
    return all;
  }

  /// All values of the table, also at compile time.
  [[nodiscard]] constexpr std::array<Enum, Count> values() const {
    std::array<Enum, Count> all{};
    for (std::size_t n = 0; n < Count; ++n) {
      all[n] = entries_[n].value;
    }
    return all;
  }

  /// The same as `values`, for code that takes any number of them.
  [[nodiscard]] std::vector<Enum> list() const {
    const std::array<Enum, Count> all = values();
    return {all.begin(), all.end()};
  }

  /// The table without one of its values.
  [[nodiscard]] constexpr EnumNames<Enum, Count - 1> without(Enum left_out) const {
    std::array<EnumName<Enum>, Count - 1> rest{};
    std::size_t kept = 0;
    for (const EnumName<Enum>& entry : entries_) {
      if (entry.value != left_out) {
        rest.at(kept++) = entry;
      }
    }
    return EnumNames<Enum, Count - 1>(rest);
  }

 private:
  std::array<EnumName<Enum>, Count> entries_;
};

/// enum_names<Colour>({{Colour::red, "red"}, {Colour::black, "black"}})
template <class Enum, std::size_t Count>
consteval EnumNames<Enum, Count> enum_names(const EnumName<Enum> (&entries)[Count]) {
  return EnumNames<Enum, Count>(std::to_array(entries));
}

}  // namespace bankfull
