#include "bankfull/app/convect/settings.hpp"

#include "bankfull/app/nearest_name.hpp"
#include "bankfull/app/toml_check.hpp"
#include "bankfull/app/toml_text.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace bankfull::convect {
namespace {

struct Setting {
  std::string whole;  ///< as given, with --set before it
  std::vector<std::string> path;
  std::string value;
};

[[noreturn]] void refuse_setting(const Setting& setting, const std::string& why) {
  throw UsageError(setting.whole + ": " + why,
                   "use --set section.key=value, as in --set time.dt=1e-3");
}

/// A short name, and the last part of a field that has one, stand for the field.
std::string full_path(const std::string& key) {
  for (const auto& [brief, full] : short_names()) {
    if (key == brief || full.ends_with("." + key)) {
      return full;
    }
  }
  return key;
}

Setting parse_setting(const std::string& text) {
  Setting setting{.whole = "--set " + text};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    refuse_setting(setting, "there is no key and value");
  }
  setting.path = parts_of(full_path(text.substr(0, equals)), '.');
  setting.value = text.substr(equals + 1);
  for (const std::string& part : setting.path) {
    if (part.empty()) {
      refuse_setting(setting, "a part of the key is empty");
    }
  }
  if (setting.path.size() > deepest_toml) {
    refuse_setting(setting, fmt::format("the key has more than {} parts", deepest_toml));
  }
  return setting;
}

/// A table with the one key "value", which knows that it comes from the setting.
toml::table parse_value(const Setting& setting, const std::string& value) {
  const std::string text = "value = " + value;
  const auto fault = toml_fault(text);
  if (fault && fault->too_deep) {
    refuse_setting(setting, "the value is " + fault->problem);
  }
  try {
    if (!fault) {
      toml::table one = toml::parse(safe_toml(text), setting.whole);
      if (one.size() == 1) {
        return one;
      }
    }
  } catch (const toml::parse_error&) {
    // Then it is a word, which on a command line should need no quotes.
  }
  try {
    return toml::parse("value = " + toml_string(value), setting.whole);
  } catch (const toml::parse_error&) {
    refuse_setting(setting, "its value is not valid UTF-8");
  }
}

/// Puts a value of the setting into a table.
void put(toml::table& table, const std::string& key, const Setting& setting,
         const std::string& value) {
  parse_value(setting, value).get("value")->visit([&](auto& concrete) {
    table.insert_or_assign(key, std::move(concrete));
  });
}

bool is_number(const std::string& part) {
  return !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
}

toml::table& element_of(toml::array& list, const std::string& part, const Setting& setting) {
  std::size_t number = 0;
  const char* end = part.data() + part.size();
  const auto [stop, error] = std::from_chars(part.data(), end, number);
  toml::node* element = error == std::errc{} && stop == end ? list.get(number) : nullptr;
  if (element == nullptr || !element->is_table()) {
    refuse_setting(
        setting, fmt::format("'{}' is not one of the list's {} sections, which count from 0", part,
                             list.size()));
  }
  return *element->as_table();
}

/// The table that the key of a setting stands in, made where it is missing: with a number in its
/// place, the first of a list.
toml::table& home_of(toml::table& root, const Setting& setting) {
  toml::table* table = &root;
  for (std::size_t n = 0; n + 1 < setting.path.size(); ++n) {
    if (!table->contains(setting.path[n])) {
      put(*table, setting.path[n], setting, is_number(setting.path[n + 1]) ? "[{}]" : "{}");
    }
    toml::node* next = table->get(setting.path[n]);
    if (next->is_array() && n + 2 < setting.path.size()) {
      table = &element_of(*next->as_array(), setting.path[n + 1], setting);
      ++n;
    } else if (next->is_table()) {
      table = next->as_table();
    } else {
      refuse_setting(setting, fmt::format("'{}' is not a section", setting.path[n]));
    }
  }
  return *table;
}

/// A step is either given or found, and a flow either described or taken from a run: setting one
/// drops the other.
void drop_alternatives(toml::table& home, const Setting& setting) {
  if (setting.path == std::vector<std::string>{"time", "dt"}) {
    home.erase("cfl");
    home.erase("longest");
  } else if (setting.path == std::vector<std::string>{"time", "cfl"}) {
    home.erase("dt");
  } else if (setting.path == std::vector<std::string>{"initial", "from"}) {
    home.erase("velocity");
  }
}

/// All names that stand for a field without its section.
std::vector<std::string> names_without_section() {
  std::vector<std::string> names{"name", "title"};
  for (const auto& [brief, full] : short_names()) {
    names.push_back(brief);
    names.push_back(full.substr(full.find('.') + 1));
  }
  return names;
}

/// "did you mean 'ra', in full 'physics.rayleigh'?"
std::string remedy_for_key(const std::string& given) {
  const std::string nearest = nearest_name(given, names_without_section());
  if (nearest.empty()) {
    std::string known;
    for (const auto& [brief, full] : short_names()) {
      known += brief + ", ";
    }
    return "use section.key, as in physics.up, or one of " + known + "name and title";
  }
  for (const auto& [brief, full] : short_names()) {
    if (nearest == brief || full.ends_with("." + nearest)) {
      return fmt::format("did you mean '{}', in full '{}'?", brief, full);
    }
  }
  return fmt::format("did you mean '{}'?", nearest);
}

/// A whole section may stand in one setting, as in --set 'statistics=[{axis="z"}]': the case's
/// reader knows which there are.
bool is_section(const Setting& setting) {
  const toml::table value = parse_value(setting, setting.value);
  return value["value"].is_table() || value["value"].is_array_of_tables();
}

void refuse_unknown_name(const toml::table& root, const Setting& setting) {
  const std::string& given = setting.path[0];
  const bool known = setting.path.size() > 1 || root.contains(given) || given == "name" ||
                     given == "title" || is_section(setting);
  if (!known) {
    throw UsageError(fmt::format("{}: unknown key '{}'", setting.whole, given),
                     remedy_for_key(given));
  }
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& short_names() {
  static const std::vector<std::pair<std::string, std::string>> names{
      {"ra", "physics.rayleigh"},
      {"pr", "physics.prandtl"},
      {"re", "physics.reynolds"},
      {"nu", "physics.viscosity"},
      {"kappa", "physics.diffusivity"},
      {"cells", "domain.cells"},
      {"scheme", "time.scheme"},
      {"dt", "time.dt"},
      {"cfl", "time.cfl"},
      {"steps", "time.steps"},
      {"end", "time.end"},
      {"solver", "solver.pressure"},
      {"divergence", "solver.divergence"},
      {"precision", "solver.precision"},
      {"schedule", "solver.schedule"},
      {"noise", "initial.noise"},
      {"seed", "initial.seed"},
  };
  return names;
}

void apply_setting(toml::table& root, const std::string& setting) {
  const Setting parsed = parse_setting(setting);
  refuse_unknown_name(root, parsed);
  toml::table& home = home_of(root, parsed);
  drop_alternatives(home, parsed);
  put(home, parsed.path.back(), parsed, parsed.value);
}

}  // namespace bankfull::convect
