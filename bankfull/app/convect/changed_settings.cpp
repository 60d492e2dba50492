#include "bankfull/app/convect/changed_settings.hpp"

#include "bankfull/app/toml_text.hpp"
#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>

namespace bankfull::convect {
namespace {

using Settings = std::map<std::string, std::string>;

/// Values by their full names; lists of numbers are values, lists of tables are not.
void add_settings(const toml::node& node, const std::string& name, Settings& settings) {
  const std::string within = name.empty() ? "" : name + ".";
  const toml::array* list = node.as_array();
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      add_settings(value, within + std::string(key.str()), settings);
    }
  } else if (list != nullptr && list->is_homogeneous<toml::table>() && !list->empty()) {
    for (std::size_t n = 0; n < list->size(); ++n) {
      add_settings(*list->get(n), within + std::to_string(n), settings);
    }
  } else {
    settings[name] = toml_text(node);
  }
}

Settings settings_of(const std::string& text) {
  Settings settings;
  try {
    add_settings(toml::parse(text), "", settings);
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("the case in the checkpoint is invalid TOML: {}", error.description()),
        "take another checkpoint");
  }
  return settings;
}

std::string value_in(const Settings& settings, const std::string& name) {
  const auto found = settings.find(name);
  return found == settings.end() ? "nothing" : found->second;
}

/// Why a run that has begun keeps a setting; "" where it need not.
std::string why_kept(const std::string& name) {
  constexpr std::array<std::string_view, 3> axes{"boundaries.x", "boundaries.y", "boundaries.z"};
  if (name.starts_with("domain.")) {
    return "the flow is on the grid that it began on";
  }
  if (std::ranges::find(axes, name) != axes.end()) {  // periodic, now or before
    return "the grid ends at walls where it began so";
  }
  if (name.starts_with("scalar.") && name.ends_with(".name")) {
    return "the flow carries the scalars that it began with";
  }
  if (name == "physics.advection" ||
      (name.starts_with("scalar.") && name.ends_with(".advection"))) {
    return "the next step follows from the last one's fluxes";
  }
  if (name.starts_with("initial.")) {
    return "the flow has begun";
  }
  if (name == "fields.write" || name == "fields.precision" || name == "fields.centred" ||
      name == "fields.format") {
    return "the files of its fields are alike";
  }
  const bool is_cadence = name.ends_with(".every") || name.ends_with(".time");
  if (name.starts_with("probe.") && !is_cadence) {
    return "all rows of its probes are alike";
  }
  if (name == "time.scheme" || name == "time.implicit_diffusion") {
    return "the next step follows from the last one's tendencies and pressure";
  }
  return "";
}

}  // namespace

std::vector<ChangedSetting> changed_settings(const std::string& before, const std::string& after) {
  const Settings old = settings_of(before);
  const Settings now = settings_of(after);
  std::set<std::string> names;
  for (const Settings* settings : {&old, &now}) {
    for (const auto& [name, value] : *settings) {
      names.insert(name);
    }
  }
  std::vector<ChangedSetting> changes;
  for (const std::string& name : names) {
    if (value_in(old, name) != value_in(now, name)) {
      changes.push_back({name, value_in(old, name), value_in(now, name)});
    }
  }
  return changes;
}

void require_changeable(const std::vector<ChangedSetting>& changes, const Case& wanted) {
  for (const ChangedSetting& change : changes) {
    // What a run did not say before may be said now: it had no fields, or an earlier program.
    const bool is_of_output =
        change.name.starts_with("fields.") || change.name.starts_with("probe.");
    const bool is_new = is_of_output && change.before == "nothing";
    const std::string why = is_new ? "" : why_kept(change.name);
    require(
        why.empty(),
        fmt::format("{}: a run continues with {} = {}, not {}: {}", wanted.places.of(change.name),
                    change.name, change.before, change.after, why),
        "leave it as it was, or start a new run");
  }
}

}  // namespace bankfull::convect
