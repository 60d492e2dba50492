#include "bankfull/app/toml_section.hpp"

#include "bankfull/app/nearest_name.hpp"
#include "bankfull/app/toml_text.hpp"
#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bankfull {
namespace {

constexpr std::size_t longest_shown = 40;

/// Beyond this a floating-point number no longer distinguishes one whole number from the next.
constexpr double largest_whole = 9007199254740992.0;

/// The beginning of a file, where things are missing that it does not have at all.
std::string beginning_of(const std::string& file) { return file + ":1:1"; }

bool is_number(const toml::node& value) { return value.is_integer() || value.is_floating_point(); }

}  // namespace

bool NumberRange::holds(double value) const {
  return std::isfinite(value) && value <= most && (above_least ? value > least : value >= least);
}

std::string NumberRange::text() const {
  const std::string in_unit = unit.empty() ? "" : ", in " + unit;
  if (std::isfinite(least) && std::isfinite(most)) {
    return fmt::format("a number from {} to {}{}", least, most, in_unit);
  }
  if (std::isfinite(least)) {
    return above_least ? fmt::format("a number above {}{}", least, in_unit)
                       : fmt::format("a number not below {}{}", least, in_unit);
  }
  return "a finite number" + in_unit;
}

std::string place_of(const toml::source_region& region, const std::string& file) {
  const std::string path = region.path ? *region.path : file;
  if (region.begin.line == 0) {
    return {};
  }
  return path == file ? fmt::format("{}:{}:{}", path, static_cast<int>(region.begin.line),
                                    static_cast<int>(region.begin.column))
                      : path;
}

SettingPlaces::SettingPlaces(const toml::table& table, std::string file) : file_(std::move(file)) {
  for (const auto& [key, value] : table) {
    add(std::string(key.str()), value);
  }
}

void SettingPlaces::add(const std::string& name, const toml::node& node) {
  if (std::string place = place_of(node.source(), file_); !place.empty()) {
    places_[name] = std::move(place);
  }
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      add(name + "." + std::string(key.str()), value);
    }
  } else if (const toml::array* list = node.as_array()) {
    for (std::size_t n = 0; n < list->size(); ++n) {
      add(fmt::format("{}.{}", name, n), *list->get(n));
    }
  }
}

std::string SettingPlaces::of(const std::string& setting) const {
  const auto found = places_.find(setting);
  if (found != places_.end()) {
    return found->second;
  }
  const std::size_t last = setting.rfind('.');
  return last == std::string::npos ? beginning_of(file_) : of(setting.substr(0, last));
}

std::string written(const toml::node& value) {
  const std::string all = toml_text(value);
  return all.size() > longest_shown ? all.substr(0, longest_shown) + "..." : all;
}

TomlSection::TomlSection(toml::table& table, std::string name, std::string file)
    : table_(&table),
      name_(std::move(name)),
      file_(std::move(file)),
      place_(place_of(table.source(), file_)) {
  if (place_.empty()) {
    place_ = beginning_of(file_);
  }
}

std::string TomlSection::place(const toml::node& node) const {
  const std::string own = place_of(node.source(), file_);
  return own.empty() ? place_ : own;
}

std::string TomlSection::title() const { return name_.empty() ? "the case" : "[" + name_ + "]"; }

std::string TomlSection::named(const std::string& key) const {
  return name_.empty() ? key : title() + " " + key;
}

void TomlSection::refuse(const std::string& key, const std::string& what,
                         const std::string& remedy) const {
  const toml::node* value = table_->get(key);
  const std::string where = value == nullptr ? place(*table_) : place(*value);
  throw UsageError(fmt::format("{}: {} {}", where, named(key), what), remedy);
}

void TomlSection::refuse_all(const std::string& what, const std::string& remedy) const {
  throw UsageError(fmt::format("{}: {} {}", place(*table_), title(), what), remedy);
}

toml::node& TomlSection::node(const std::string& key) const {
  if (!has(key)) {
    throw UsageError(fmt::format("{}: {} has no '{}'", place(*table_), title(), key), "add it");
  }
  return *table_->get(key);
}

double TomlSection::checked(const std::string& key, const toml::node& value,
                            const NumberRange& range) const {
  if (!is_number(value)) {
    throw UsageError(
        fmt::format("{}: {} = {} is not a number", place(value), named(key), written(value)),
        "give " + range.text());
  }
  const double number = value.value_or(0.0);
  if (!range.holds(number)) {
    throw UsageError(
        fmt::format("{}: {} = {} is out of range", place(value), named(key), written(value)),
        "give " + range.text());
  }
  return number;
}

double TomlSection::number(const std::string& key, const NumberRange& range) const {
  return checked(key, node(key), range);
}

double TomlSection::number(const std::string& key, const NumberRange& range, double absent) {
  if (!has(key)) {
    table_->insert(key, absent);
  }
  return number(key, range);
}

std::int64_t TomlSection::integer(const std::string& key, const NumberRange& range) const {
  const double value = number(key, range);
  if (value != std::rint(value) || std::abs(value) > largest_whole) {
    refuse(key, fmt::format("= {} is not whole", written(node(key))), "give " + range.text());
  }
  return static_cast<std::int64_t>(value);
}

std::int64_t TomlSection::integer(const std::string& key, const NumberRange& range,
                                  std::int64_t absent) {
  if (!has(key)) {
    table_->insert(key, absent);
  }
  return integer(key, range);
}

std::string TomlSection::text(const std::string& key) const {
  const toml::node& value = node(key);
  if (!value.is_string()) {
    refuse(key, fmt::format("= {} is not text", written(value)), "put it in quotes");
  }
  return value.value_or(std::string());
}

std::string TomlSection::text(const std::string& key, const std::string& absent) {
  if (!has(key)) {
    table_->insert(key, absent);
  }
  return text(key);
}

std::array<double, 3> TomlSection::numbers(const std::string& key, const NumberRange& range) const {
  const toml::node& value = node(key);
  const toml::array* all = value.as_array();
  if (all == nullptr || all->size() != 3) {
    refuse(key, fmt::format("= {} is not a list of three", written(value)),
           "give [a, b, c] for x, y and z");
  }
  return {checked(key, *all->get(0), range), checked(key, *all->get(1), range),
          checked(key, *all->get(2), range)};
}

std::array<double, 3> TomlSection::numbers(const std::string& key, const NumberRange& range,
                                           const std::array<double, 3>& absent) {
  if (!has(key)) {
    table_->insert(key, toml::array{absent[0], absent[1], absent[2]});
  }
  return numbers(key, range);
}

bool TomlSection::flag(const std::string& key, bool absent) {
  if (!has(key)) {
    table_->insert(key, absent);
  }
  const toml::node& value = node(key);
  if (!value.is_boolean()) {
    refuse(key, fmt::format("= {} is neither true nor false", written(value)), "give one of them");
  }
  return value.value_or(absent);
}

std::vector<std::string> TomlSection::some_of(const std::string& key,
                                              const std::vector<std::string>& names,
                                              std::size_t absent) {
  if (!has(key)) {
    toml::array all;
    for (std::size_t n = 0; n < std::min(absent, names.size()); ++n) {
      all.push_back(names[n]);
    }
    table_->insert(key, std::move(all));
  }
  const toml::array* list = node(key).as_array();
  std::vector<bool> chosen(names.size(), false);
  for (std::size_t n = 0; list != nullptr && n < list->size(); ++n) {
    const auto name = list->get(n)->value<std::string>();
    if (!name) {
      refuse(key, fmt::format("has {}, which is not a name", written(*list->get(n))),
             "give a list of names in quotes");
    }
    chosen[place_among(key, *name, names)] = true;
  }
  std::vector<std::string> some;
  for (std::size_t n = 0; n < names.size(); ++n) {
    if (chosen[n]) {
      some.push_back(names[n]);
    }
  }
  if (some.empty()) {
    refuse(key, fmt::format("= {} names none", written(node(key))),
           fmt::format("give a list of some of {}", fmt::join(names, ", ")));
  }
  return some;
}

std::size_t TomlSection::choice(const std::string& key,
                                const std::vector<std::string>& names) const {
  return place_among(key, text(key), names);
}

std::size_t TomlSection::place_among(const std::string& key, const std::string& chosen,
                                     const std::vector<std::string>& names) const {
  for (std::size_t n = 0; n < names.size(); ++n) {
    if (names[n] == chosen) {
      return n;
    }
  }
  const std::string nearest = nearest_name(chosen, names);
  refuse(key, fmt::format("= '{}' is unknown", chosen),
         nearest.empty() || names.size() == 1
             ? fmt::format("use {}", fmt::join(names, ", "))
             : fmt::format("did you mean '{}'? Known: {}", nearest, fmt::join(names, ", ")));
}

std::size_t TomlSection::choice(const std::string& key, const std::vector<std::string>& names,
                                std::size_t absent) {
  if (!has(key)) {
    table_->insert(key, names[absent]);
  }
  return choice(key, names);
}

TomlSection TomlSection::within(const std::string& key, toml::table& table) const {
  TomlSection section(table, name_.empty() ? key : name_ + "." + key, file_);
  section.place_ = place(table);
  return section;
}

TomlSection TomlSection::section(const std::string& key) const {
  if (!has(key)) {
    throw UsageError(fmt::format("{}: there is no section [{}]", place_,
                                 name_.empty() ? key : name_ + "." + key),
                     "add it");
  }
  toml::table* table = table_->get(key)->as_table();
  if (table == nullptr) {
    refuse(key, fmt::format("= {} is not a section", written(node(key))),
           fmt::format("write [{}]", name_.empty() ? key : name_ + "." + key));
  }
  return within(key, *table);
}

TomlSection TomlSection::section_or_empty(const std::string& key) {
  if (!has(key)) {
    table_->insert(key, toml::table{});
  }
  return section(key);
}

std::vector<TomlSection> TomlSection::sections(const std::string& key) const {
  if (!has(key)) {
    return {};
  }
  toml::array* all = table_->get(key)->as_array();
  if (all == nullptr || !(all->empty() || all->is_homogeneous<toml::table>())) {
    refuse(key, "is not a list of sections",
           fmt::format("write [[{}]]", name_.empty() ? key : name_ + "." + key));
  }
  std::vector<TomlSection> found;
  for (toml::node& element : *all) {
    found.push_back(within(key, *element.as_table()));
  }
  return found;
}

std::vector<TomlSection> TomlSection::sections_or_one(const std::string& key) {
  if (!has(key)) {
    table_->insert(key, toml::array{toml::table{}});
  }
  return sections(key);
}

void TomlSection::allow(const std::vector<std::string>& keys) const {
  for (const auto& [key, value] : *table_) {
    const std::string given(key.str());
    if (std::find(keys.begin(), keys.end(), given) == keys.end()) {
      const std::string where = place_of(key.source(), file_);
      throw UsageError(fmt::format("{}: {} has an unknown key '{}'",
                                   where.empty() ? place(value) : where, title(), given),
                       remedy_for_name(given, keys));
    }
  }
}

}  // namespace bankfull
