#include "bankfull/app/html_report/labels.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <utility>

namespace bankfull::html_report {
namespace {

/// Those that belong to the machine.
bool is_of_machine(const std::string& name) { return name == "device" || name == "threads"; }

/// The names of the settings that are not the same in all of these; `with_missing`: also those that
/// only some have.
std::set<std::string> differing(const std::vector<const Settings*>& all, bool with_missing) {
  std::map<std::string, std::vector<std::string>> values;
  for (const Settings* settings : all) {
    for (const auto& [name, value] : *settings) {
      values[name].push_back(value);
    }
  }
  std::set<std::string> names;
  for (const auto& [name, held] : values) {
    const bool is_same = std::ranges::count(held, held.front()) == std::ssize(held);
    const bool is_missing = held.size() < all.size();
    if (!is_of_machine(name) && (!is_same || (with_missing && is_missing))) {
      names.insert(name);
    }
  }
  return names;
}

std::string label_of(const std::string& name, const Settings& settings,
                     const std::set<std::string>& telling) {
  std::vector<std::string> parts;
  for (const std::string& setting : telling) {
    const auto found = settings.find(setting);
    if (found != settings.end()) {
      std::string words = setting;
      std::ranges::replace(words, '_', ' ');
      parts.push_back(words + " " + found->second);
    }
  }
  return parts.empty() ? name : fmt::format("{} ({})", name, fmt::join(parts, ", "));
}

}  // namespace

std::vector<std::string> labels_of(const std::string& name,
                                   const std::vector<const Settings*>& settings) {
  std::vector<std::string> labels;
  for (const bool with_missing : {false, true}) {
    labels.clear();
    const std::set<std::string> telling = differing(settings, with_missing);
    for (const Settings* const of_one : settings) {
      labels.push_back(label_of(name, *of_one, telling));
    }
    if (std::set<std::string>(labels.begin(), labels.end()).size() == labels.size()) {
      break;
    }
  }
  return labels;
}

std::vector<std::string> labels_within_groups(const std::vector<Unlabelled>& things) {
  std::map<std::pair<std::vector<std::string>, std::string>, std::vector<std::size_t>> of_name;
  for (std::size_t n = 0; n < things.size(); ++n) {
    of_name[{things[n].group, things[n].name}].push_back(n);
  }
  std::vector<std::string> labels(things.size());
  for (const auto& [key, members] : of_name) {
    std::vector<const Settings*> settings;
    for (const std::size_t member : members) {
      settings.push_back(things[member].settings);
    }
    const std::vector<std::string> own = labels_of(key.second, settings);
    for (std::size_t n = 0; n < members.size(); ++n) {
      labels[members[n]] = own[n];
    }
  }
  return labels;
}

}  // namespace bankfull::html_report
