#include "bankfull/app/compare/matching.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace bankfull::compare {
namespace {

/// Figures of a problem or a measurement that say where and how long it ran, or follow from the
/// others. They may differ between runs of the same thing.
bool is_circumstance(const std::string& name) {
  static const std::set<std::string> circumstances{
      // Where; see place_of.
      "device", "devices", "threads", "host_threads", "ranks", "nodes", "memory", "memory_limit",
      "device_memory", "host_memory", "pages", "same_cores",
      // How long.
      "iterations", "steps", "seconds", "repeats", "message_from", "message_to",
      // What the program chose or found.
      "shape", "iterations_per_pass", "blocks", "threads_per_block", "line", "working_set",
      "footprint", "array", "ranked", "largest_block", "equations", "nonzeros", "global",
      "l2_halves_apart",
      // Which parts of a run were asked for.
      "parts"};
  return circumstances.contains(name);
}

bool is_choice(const std::string& name) {
  static const std::set<std::string> choices{"transport", "order",      "overlap",      "split",
                                             "columns",   "sweeps",     "products",     "solver",
                                             "counts",    "ranks_grid", "process_grid", "entries"};
  return choices.contains(name);
}

/// The options of a probe say what else it measured; each of its measurements says what it is.
bool problem_counts(const RecordedRun& run) { return run.result.workload != "probe"; }

void take_figures(const std::vector<Figure>& figures, Subject& subject) {
  for (const Figure& figure : figures) {
    if (is_choice(figure.name)) {
      subject.choices[figure.name] = recorded::text_of(figure);
    } else if (!is_circumstance(figure.name)) {
      subject.identity[figure.name] = recorded::text_of(figure);
    }
  }
}

std::optional<std::string> text_in(const std::vector<Figure>& figures, const std::string& name) {
  const auto found = std::ranges::find(figures, name, &Figure::name);
  return found == figures.end() ? std::nullopt : std::optional(recorded::text_of(*found));
}

/// Of the measurement, or else of its run.
std::optional<std::string> text_in(const RecordedRun& run, const Measurement& measurement,
                                   const std::string& name) {
  const auto own = text_in(measurement.parameters, name);
  return own ? own : text_in(run.result.problem, name);
}

/// "cpu", "cuda:1" ...; by the option where a workload does not say it.
std::string device_of(const RecordedRun& run, const Measurement& measurement) {
  if (const auto device = text_in(run, measurement, "device")) {
    return *device;
  }
  const auto option = std::ranges::find(run.options, "device", &UsedOption::name);
  return option == run.options.end() ? "" : option->value;
}

std::string gpu_group(const RecordedRun& run, const std::string& device) {
  const std::size_t colon = device.find(':');
  const std::string group = colon == std::string::npos ? "gpu0" : "gpu" + device.substr(colon + 1);
  return recorded::fact(run, group, "name") ? group : "gpu0";
}

Names gpu_place(const RecordedRun& run, const std::string& device) {
  const std::string group = gpu_group(run, device);
  return {{"GPU", recorded::fact(run, group, "name").value_or("unknown")},
          {"multiprocessors", recorded::fact(run, group, "multiprocessors").value_or("")}};
}

Names cpu_place(const RecordedRun& run, const Measurement& measurement) {
  return {{"processor", recorded::fact(run, "cpu", "model").value_or("unknown")},
          {"cores", recorded::fact(run, "cpu", "cores").value_or("")},
          {"threads", text_in(run, measurement, "threads").value_or("")}};
}

/// What makes it unfair to compare figures where it differs.
Names place_of(const RecordedRun& run, const Measurement& measurement) {
  const std::string device = device_of(run, measurement);
  Names place = device.starts_with("cuda") ? gpu_place(run, device) : cpu_place(run, measurement);
  place["ranks"] = recorded::fact(run, "ranks", "ranks").value_or("1");
  place["nodes"] = recorded::fact(run, "ranks", "nodes").value_or("1");
  place["build type"] = recorded::fact(run, "build", "type").value_or("");
  return place;
}

/// Groups in the order in which their subjects first occur.
class Collection {
 public:
  void add(const Subject& subject, const Occurrence& occurrence) {
    const auto [place, is_new] = places_.try_emplace(subject, groups_.size());
    if (is_new) {
      groups_.push_back({.subject = subject});
    }
    groups_[place->second].occurrences.push_back(occurrence);
  }
  std::vector<Group> take() { return std::move(groups_); }

 private:
  std::map<Subject, std::size_t> places_;
  std::vector<Group> groups_;
};

Subject subject_of(const RecordedRun& run, const Measurement& measurement) {
  Subject subject{.workload = run.result.workload,
                  .name = measurement.name,
                  .place = place_of(run, measurement)};
  if (problem_counts(run)) {
    take_figures(run.result.problem, subject);
  }
  take_figures(measurement.parameters, subject);
  return subject;
}

/// Texts of the names that both have are equal.
bool agree(const Names& one, const Names& other) {
  return std::ranges::all_of(one, [&](const auto& entry) {
    const auto found = other.find(entry.first);
    return found == other.end() || found->second == entry.second;
  });
}

bool same_thing(const Subject& one, const Subject& other) {
  return one.workload == other.workload && one.name == other.name &&
         agree(one.identity, other.identity);
}

/// The subject with every precision taken out.
Subject without_precision(Subject subject) {
  for (const std::string_view word : {"fp32", "fp64"}) {
    for (std::size_t at = subject.name.find(word); at != std::string::npos;
         at = subject.name.find(word)) {
      subject.name.replace(at, word.size(), "-");
    }
  }
  subject.identity.erase("precision");
  subject.identity.erase("case");  // names of cases may have it
  return subject;
}

using Alike = std::function<bool(const Subject&, const Subject&)>;

/// The index of the only one of `groups` that is like `subject`.
std::optional<std::size_t> only_one_like(const Subject& subject, const std::vector<Group>& groups,
                                         const Alike& alike) {
  std::optional<std::size_t> found;
  for (std::size_t n = 0; n < groups.size(); ++n) {
    if (alike(subject, groups[n].subject)) {
      if (found) {
        return std::nullopt;
      }
      found = n;
    }
  }
  return found;
}

/// Moves pairs of the only ones that are like each other from the rest to the pairs.
void pair_up(Matches& matches, const Alike& alike) {
  std::vector<Group> rest = std::exchange(matches.only_old, {});
  std::vector<bool> is_ambiguous(rest.size());
  for (std::size_t n = 0; n < rest.size(); ++n) {
    is_ambiguous[n] = std::ranges::count_if(rest, [&](const Group& other) {
                        return alike(rest[n].subject, other.subject);
                      }) > 1;
  }
  for (std::size_t n = 0; n < rest.size(); ++n) {
    const auto partner =
        is_ambiguous[n] ? std::nullopt : only_one_like(rest[n].subject, matches.only_new, alike);
    if (!partner) {
      matches.only_old.push_back(std::move(rest[n]));
      continue;
    }
    const auto place = matches.only_new.begin() + static_cast<std::ptrdiff_t>(*partner);
    matches.pairs.emplace_back(std::move(rest[n]), std::move(*place));
    matches.only_new.erase(place);
  }
}

}  // namespace

std::string Subject::place_text() const {
  const auto of_place = [&](const char* key) {
    const auto found = place.find(key);
    return found == place.end() ? std::string() : found->second;
  };
  const auto counted = [&](const std::string& key) {
    const std::string count = of_place((key + "s").c_str());
    return count.empty() ? "" : fmt::format(", {} {}{}", count, key, count == "1" ? "" : "s");
  };
  const std::string ranks = of_place("ranks") == "1" ? "" : counted("rank");
  return of_place("GPU") + of_place("processor") + counted("thread") + ranks;
}

std::string Subject::text() const {
  const std::string whole = name.starts_with(workload) ? name : workload + " " + name;
  return whole + " on " + place_text();
}

std::vector<Group> measurements_of(const std::vector<RecordedRun>& runs) {
  Collection collection;
  for (const RecordedRun& run : runs) {
    for (const Measurement& measurement : run.result.measurements) {
      collection.add(subject_of(run, measurement),
                     {.run = &run,
                      .measurement = &measurement,
                      .ceiling = measurement.ceiling ? &*measurement.ceiling : nullptr});
    }
  }
  return collection.take();
}

std::vector<Group> ceilings_of(const std::vector<RecordedRun>& runs) {
  Collection collection;
  for (const RecordedRun& run : runs) {
    std::set<Subject> seen;
    for (const Measurement& measurement : run.result.measurements) {
      if (!measurement.ceiling || !measurement.ceiling->source.empty()) {
        continue;
      }
      const Ceiling& ceiling = *measurement.ceiling;
      const Subject subject{.workload = ceilings_workload,
                            .name = ceiling.key.empty() ? ceiling.name : ceiling.key,
                            .place = place_of(run, measurement)};
      if (seen.insert(subject).second) {
        collection.add(subject, {.run = &run, .ceiling = &ceiling});
      }
    }
  }
  return collection.take();
}

Matches match(std::vector<Group> old_groups, std::vector<Group> new_groups) {
  Matches matches{.only_old = std::move(old_groups), .only_new = std::move(new_groups)};
  pair_up(matches, [](const Subject& one, const Subject& other) { return one == other; });
  pair_up(matches, [](const Subject& one, const Subject& other) {
    return same_thing(one, other) && agree(one.place, other.place);
  });
  pair_up(matches, same_thing);
  if (matches.pairs.empty()) {
    pair_up(matches, [](const Subject& one, const Subject& other) {
      return one.workload != ceilings_workload &&
             same_thing(without_precision(one), without_precision(other));
    });
  }
  return matches;
}

}  // namespace bankfull::compare
