#include "bankfull/app/compare/differences.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace bankfull::compare {
namespace {

using Values = std::map<std::string, std::set<std::string>>;

/// Groups of the context that hold for all work: of several GPUs the first stands for all, and the
/// list of devices follows from other facts.
bool is_told(const std::string& group) {
  return group == "system" || group == "cpu" || group == "gpu0" || group == "build" ||
         group == "ranks" || group == "process";
}

bool is_momentary(const std::string& fact) {
  static const std::set<std::string> facts{"gpu0.sm_clock", "gpu0.memory_clock", "gpu0.pci_bus_id",
                                           "ranks.devices", "system.load",       "system.uptime"};
  return facts.contains(fact);
}

/// Options that say where results go or when to fail, not what is measured.
bool is_of_publication(const std::string& option) {
  static const std::set<std::string> options{
      "json",        "quiet",     "progress",   "dry-run",   "max-spread",
      "min-percent", "min-gbs",   "min-gflops", "baseline",  "output",
      "output-dir",  "no-output", "help",       "overwrite", "max-loss"};
  return options.contains(option);
}

void take_facts(const RecordedRun& run, Values& values) {
  for (const FactGroup& group : run.context) {
    if (!is_told(group.key)) {
      continue;
    }
    for (const Figure& figure : group.facts) {
      const std::string what = group.key + "." + figure.name;
      if (!is_momentary(what)) {
        values[what].insert(recorded::text_of(figure));
      }
    }
  }
}

/// Which board or which cgroup it was says nothing of speed; models are facts of the context.
bool is_identity(const std::string& setting) {
  static const std::set<std::string> settings{"uuid", "pci_bus_id", "model", "cgroup"};
  return settings.contains(setting);
}

/// How the hosts and the GPUs were set up: "host.governor". Of several the first stands for all.
void take_settings(const RecordedRun& run, Values& values) {
  std::set<std::string> told;
  for (const ObservedPart& part : run.result.machine.parts) {
    if (!told.insert(part.kind).second) {
      continue;
    }
    for (const Figure& setting : part.settings) {
      if (!is_identity(setting.name)) {
        values[part.kind + "." + setting.name].insert(recorded::text_of(setting));
      }
    }
  }
}

void take_options(const RecordedRun& run, Values& values) {
  for (const UsedOption& option : run.options) {
    if (!is_of_publication(option.name)) {
      values["--" + option.name].insert(option.value.empty() ? "(none)" : option.value);
    }
  }
}

/// Variables that stand for options are among these.
void take_environment(const RecordedRun& run, Values& values) {
  for (const Figure& variable : run.environment) {
    if (!variable.name.starts_with("BANKFULL_")) {
      values[variable.name].insert(recorded::text_of(variable));
    }
  }
}

/// Of many runs the first and the last tell enough.
std::string days_of(const std::vector<const RecordedRun*>& runs) {
  const auto date = [](const RecordedRun* run) { return run->date; };
  const auto [first, last] = std::ranges::minmax(runs, {}, date);
  return first->date == last->date ? first->date : first->date + " to " + last->date;
}

Values values_of(const std::vector<const RecordedRun*>& runs) {
  Values values;
  values["date"].insert(days_of(runs));
  for (const RecordedRun* run : runs) {
    take_facts(*run, values);
    take_settings(*run, values);
    take_options(*run, values);
    take_environment(*run, values);
  }
  return values;
}

std::vector<std::string> values_in(const Values& values, const std::string& what) {
  const auto found = values.find(what);
  return found == values.end()
             ? std::vector<std::string>{}
             : std::vector<std::string>(found->second.begin(), found->second.end());
}

/// An option that one program does not have yet says nothing about its runs, nor does a setting
/// that one does not record or may not read.
bool is_new_kind(const Difference& difference) {
  const std::string& what = difference.what;
  return (what.starts_with("--") || what.starts_with("host.") || what.starts_with("gpu.") ||
          what == "ranks.thread_binding") &&
         (difference.old_values.empty() || difference.new_values.empty());
}

void add_unfair(const Names& before, const Names& after, std::vector<std::string>& found) {
  for (const auto& [what, old_value] : before) {
    const auto other = after.find(what);
    const std::string new_value = other == after.end() ? "(none)" : other->second;
    if (new_value != old_value) {
      found.push_back(fmt::format("{}: {} against {}", what, old_value, new_value));
    }
  }
}

std::string precision_of(const Subject& subject) {
  for (const char* precision : {"fp32", "fp64"}) {
    if (subject.name.find(precision) != std::string::npos) {
      return precision;
    }
  }
  const auto found = subject.identity.find("precision");
  return found == subject.identity.end() ? "" : found->second;
}

/// A device of another kind has other facts, which alone would say less.
void add_unfair_pair(const Subject& before, const Subject& after, std::vector<std::string>& found) {
  if (before.place.contains("GPU") != after.place.contains("GPU")) {
    const auto kind = [](const Subject& subject) {
      return subject.place.contains("GPU") ? "GPU" : "CPU";
    };
    found.push_back(fmt::format("device: {} against {}", kind(before), kind(after)));
  } else {
    add_unfair(before.place, after.place, found);
  }
  add_unfair({{"precision", precision_of(before)}}, {{"precision", precision_of(after)}}, found);
}

}  // namespace

std::vector<Difference> differences(const std::vector<const RecordedRun*>& old_runs,
                                    const std::vector<const RecordedRun*>& new_runs) {
  const Values before = values_of(old_runs);
  const Values after = values_of(new_runs);
  std::set<std::string> keys;
  for (const Values* values : {&before, &after}) {
    for (const auto& entry : *values) {
      keys.insert(entry.first);
    }
  }
  std::vector<Difference> found;
  for (const std::string& key : keys) {
    Difference difference{
        .what = key, .old_values = values_in(before, key), .new_values = values_in(after, key)};
    if (difference.old_values != difference.new_values && !is_new_kind(difference)) {
      found.push_back(std::move(difference));
    }
  }
  return found;
}

std::vector<std::string> unfair_differences(const Matches& matches) {
  std::vector<std::string> found;
  for (const auto& [before, after] : matches.pairs) {
    add_unfair_pair(before.subject, after.subject, found);
  }
  std::vector<std::string> once;
  for (const std::string& text : found) {
    if (std::ranges::find(once, text) == once.end()) {
      once.push_back(text);
    }
  }
  return once;
}

std::string joined(const std::vector<std::string>& values) {
  return values.empty() ? "-" : fmt::format("{}", fmt::join(values, ", "));
}

}  // namespace bankfull::compare
