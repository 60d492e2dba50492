#pragma once

#include "bankfull/core/base/enum_names.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <toml++/toml.h>
#include <utility>
#include <vector>

namespace bankfull {

/// Which numbers a field takes, and their unit, for what is said about others.
struct NumberRange {
  std::string unit = {};  ///< "" for none
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above_least = false;  ///< `least` itself is out of range

  static NumberRange any(std::string unit = {}) { return {.unit = std::move(unit)}; }
  static NumberRange positive(std::string unit = {}) {
    return {.unit = std::move(unit), .least = 0.0, .above_least = true};
  }
  static NumberRange at_least(double least, std::string unit = {}) {
    return {.unit = std::move(unit), .least = least};
  }
  static NumberRange within(double least, double most, std::string unit = {}) {
    return {.unit = std::move(unit), .least = least, .most = most};
  }

  [[nodiscard]] bool holds(double value) const;  ///< false for NaN and infinities
  [[nodiscard]] std::string text() const;        ///< "a number above 0, in m^2/s"
};

/// Where something stands: "case.toml:12:5", or "--set ra=1e6" for what came from there. "" of what
/// nobody wrote: defaults.
std::string place_of(const toml::source_region& region, const std::string& file);

/// Where the settings of a TOML file stand, by their dotted names ("time.dt", "scalar.0.name"), for
/// what is found out about them once they have been read.
class SettingPlaces {
 public:
  SettingPlaces() = default;

  /// The places in a table as the user wrote it, without defaults.
  SettingPlaces(const toml::table& table, std::string file);

  /// The place of a setting, or of the nearest section around it that was written.
  [[nodiscard]] std::string of(const std::string& setting) const;

 private:
  void add(const std::string& name, const toml::node& node);

  std::string file_;
  std::map<std::string, std::string> places_;
};

/// A table of a TOML file that is read key by key. Whatever is wrong throws UsageError in one line
/// that begins with the place: "case.toml:12:5: [time] dt = -1 is out of range; ...".
///
/// Optional keys that are not there are added with the value they have then, so that the table ends
/// up complete.
class TomlSection {
 public:
  /// `table` must outlive the section. `name` is its dotted path, "" of a whole file.
  TomlSection(toml::table& table, std::string name, std::string file);

  /// Refuses all other keys, naming the nearest of these. Call it first: a key that is missing may
  /// be one that is misspelt.
  void allow(const std::vector<std::string>& keys) const;

  [[nodiscard]] bool has(const std::string& key) const { return table_->contains(key); }

  [[nodiscard]] double number(const std::string& key, const NumberRange& range) const;
  double number(const std::string& key, const NumberRange& range, double absent);

  /// 1e6 is a whole number too.
  [[nodiscard]] std::int64_t integer(const std::string& key, const NumberRange& range) const;
  std::int64_t integer(const std::string& key, const NumberRange& range, std::int64_t absent);

  [[nodiscard]] std::string text(const std::string& key) const;
  std::string text(const std::string& key, const std::string& absent);

  [[nodiscard]] std::array<double, 3> numbers(const std::string& key,
                                              const NumberRange& range) const;
  std::array<double, 3> numbers(const std::string& key, const NumberRange& range,
                                const std::array<double, 3>& absent);

  /// true or false.
  bool flag(const std::string& key, bool absent);

  /// A list of some of the names, each once, in their order here; where it is not there, of all, or
  /// of the first ones.
  std::vector<std::string> some_of(const std::string& key, const std::vector<std::string>& names,
                                   std::size_t absent = std::numeric_limits<std::size_t>::max());

  /// One of the names, by its place among them.
  [[nodiscard]] std::size_t choice(const std::string& key,
                                   const std::vector<std::string>& names) const;
  std::size_t choice(const std::string& key, const std::vector<std::string>& names,
                     std::size_t absent);

  /// A value of an enum, by its name.
  template <class Enum, std::size_t Count>
  Enum choice(const std::string& key, const EnumNames<Enum, Count>& names, Enum absent) {
    const std::vector<std::string> known = names.names();
    const auto values = names.values();
    const auto place = std::find(values.begin(), values.end(), absent) - values.begin();
    return values[choice(key, known, static_cast<std::size_t>(place))];
  }

  /// A table within; one that must be there, or one that is empty where it is not.
  [[nodiscard]] TomlSection section(const std::string& key) const;
  TomlSection section_or_empty(const std::string& key);

  /// The tables [[key]], none where there are none.
  [[nodiscard]] std::vector<TomlSection> sections(const std::string& key) const;

  /// The same, one empty table where there are none.
  std::vector<TomlSection> sections_or_one(const std::string& key);

  /// The value as it stands, for fields of several kinds; it must be there.
  [[nodiscard]] toml::node& node(const std::string& key) const;

  /// Puts another value in the place of one that is there.
  void replace(const std::string& key, toml::array value) const {
    table_->insert_or_assign(key, std::move(value));
  }

  /// Throws "<place of the key>: [section] key <what>; <remedy>".
  [[noreturn]] void refuse(const std::string& key, const std::string& what,
                           const std::string& remedy) const;

  /// Throws "<place of the section>: [section] <what>; <remedy>".
  [[noreturn]] void refuse_all(const std::string& what, const std::string& remedy) const;

  /// Where a node of this section stands; that of the section where nobody wrote it.
  [[nodiscard]] std::string place(const toml::node& node) const;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  [[nodiscard]] std::string title() const;
  [[nodiscard]] std::size_t place_among(const std::string& key, const std::string& chosen,
                                        const std::vector<std::string>& names) const;
  [[nodiscard]] std::string named(const std::string& key) const;
  [[nodiscard]] double checked(const std::string& key, const toml::node& value,
                               const NumberRange& range) const;
  [[nodiscard]] TomlSection within(const std::string& key, toml::table& table) const;

  toml::table* table_;
  std::string name_;
  std::string file_;
  std::string place_;  ///< of the section, or of the one around it where nobody wrote it
};

/// A value as it is written in TOML, cut short where it is long.
std::string written(const toml::node& value);

}  // namespace bankfull
