#include "bankfull/app/html_report/kernels.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <map>
#include <set>

namespace bankfull::html_report {
namespace {

using recorded::text_of;

/// Settings that follow from others, or say how long was measured: the work is the same.
const std::set<std::string>& ignored_settings() {
  static const std::set<std::string> names{"iterations",
                                           "steps",
                                           "seconds",
                                           "repeats",
                                           "memory",
                                           "shape",
                                           "memory_limit",
                                           "quick",
                                           "blocks",
                                           "points_per_octave",
                                           "cells",
                                           "equations",
                                           "i",
                                           "j",
                                           "k",
                                           "nonzeros",
                                           "updated_points",
                                           "threads_per_block"};
  return names;
}

/// Those that belong to the machine.
bool is_of_machine(const std::string& name) { return name == "device" || name == "threads"; }

using Settings = std::map<std::string, std::string>;

/// One rank, of which older results say nothing.
bool goes_without_saying(const Settings::value_type& setting) {
  const auto& [name, value] = setting;
  return (name == "ranks" && value == "1") || (name == "ranks_grid" && value == "1x1x1") ||
         (name == "transport" && value == "local");
}

Settings settings_of(const RunResult& result, const Measurement& measurement) {
  Settings settings;
  // A probe states the ranges of all its parts, which are nothing of the one measurement.
  if (result.workload != "probe") {
    for (const Figure& figure : result.problem) {
      settings[figure.name] = text_of(figure);
    }
  }
  for (const Figure& figure : measurement.parameters) {
    settings[figure.name] = text_of(figure);
  }
  std::erase_if(settings, [](const auto& entry) {
    return ignored_settings().contains(entry.first) || goes_without_saying(entry);
  });
  return settings;
}

/// With what no name has between its parts.
std::string key_of(const RunResult& result, const Measurement& measurement,
                   const Settings& settings, bool with_machine) {
  std::string key = result.workload + '\n' + measurement.name;
  for (const auto& [name, value] : settings) {
    if (with_machine || !is_of_machine(name)) {
      key += '\n' + name + '=' + value;
    } else if (name == "device") {
      key += value.starts_with("cuda") ? "\nof GPUs" : "\nof processors";
    }
  }
  return key;
}

bool is_part_of_run(const RunResult& result, const Measurement& measurement) {
  const auto has = [&](const char* name, const std::string& other_than) {
    const auto found = std::ranges::find(measurement.parameters, name, &Figure::name);
    return found != measurement.parameters.end() && text_of(*found) != other_than;
  };
  return (result.workload == "hpcg" && has("step", "")) ||
         (result.workload == "convection" && has("part", "step"));
}

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

struct Found {
  std::vector<Kernel> kernels;
  std::vector<Settings> settings;  ///< of each
};

Found found_in(const std::vector<ReportRun>& runs) {
  Found found;
  std::map<std::string, std::size_t> known;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const recorded::RecordedRun& run = runs[r].run;
    for (std::size_t m = 0; m < run.result.measurements.size(); ++m) {
      const Measurement& measurement = run.result.measurements[m];
      Settings settings = settings_of(run.result, measurement);
      const std::string device = device_text(run, measurement);
      const auto [place, is_new] = known.emplace(
          key_of(run.result, measurement, settings, true) + '\n' + device, found.kernels.size());
      if (is_new) {
        found.kernels.push_back({.label = measurement.name,
                                 .workload = run.result.workload,
                                 .device = device,
                                 .work = key_of(run.result, measurement, settings, false),
                                 .is_part = is_part_of_run(run.result, measurement)});
        found.settings.push_back(std::move(settings));
      }
      found.kernels[place->second].places.push_back({.run = r, .measurement = m});
    }
  }
  return found;
}

/// The labels of kernels of one name. A setting that only some of them have, for older results do
/// not record it, is told only where it must be.
void set_labels(const std::vector<std::size_t>& members, Found& found) {
  std::vector<const Settings*> settings;
  settings.reserve(members.size());
  for (const std::size_t n : members) {
    settings.push_back(&found.settings[n]);
  }
  const std::string name = found.kernels[members.front()].label;
  std::set<std::string> labels;
  for (const bool with_missing : {false, true}) {
    if (labels.size() == members.size()) {
      return;
    }
    labels.clear();
    const std::set<std::string> telling = differing(settings, with_missing);
    for (const std::size_t n : members) {
      found.kernels[n].label = label_of(name, found.settings[n], telling);
      labels.insert(found.kernels[n].label);
    }
  }
}

struct Rates {
  std::string unit;
  std::vector<double> medians;
  double least = std::numeric_limits<double>::infinity();
  double most = 0.0;
  std::size_t repeats = 0;

  [[nodiscard]] double median() const { return medians.empty() ? 0.0 : summarise(medians).median; }
};

/// Work per second, whatever number of iterations was timed.
Rates rates_of(const Kernel& kernel, const std::vector<ReportRun>& runs) {
  Rates rates{.unit = "1/s"};
  for (const Place& place : kernel.places) {
    const Measurement& m = runs[place.run].run.result.measurements[place.measurement];
    const Traffic& traffic = m.work.traffic;
    const double bytes = traffic.bytes_read + traffic.bytes_written;
    rates.unit = traffic.flops > 0.0 ? "FLOP/s" : bytes > 0.0 ? "B/s" : "1/s";
    const double work = traffic.flops > 0.0 ? traffic.flops : bytes > 0.0 ? bytes : 1.0;
    rates.repeats += m.seconds.samples.size();
    if (m.seconds.median > 0.0) {
      rates.medians.push_back(work / m.seconds.median);
      rates.least = std::min(rates.least, work / std::max(m.seconds.max, m.seconds.median));
      rates.most =
          std::max(rates.most, work / (m.seconds.min > 0.0 ? m.seconds.min : m.seconds.median));
    }
  }
  return rates;
}

/// The kernel of the same work, on the same device if there is one.
const Kernel* counterpart(const Kernel& kernel, const std::vector<Kernel>& others) {
  const Kernel* found = nullptr;
  for (const Kernel& other : others) {
    if (other.work == kernel.work && (found == nullptr || other.device == kernel.device)) {
      found = &other;
    }
  }
  return found;
}

bool overlap(const Rates& one, const Rates& other) {
  return one.repeats < 2 || other.repeats < 2 ||
         (one.least <= other.most && other.least <= one.most);
}

}  // namespace

std::vector<Kernel> kernels_of(const std::vector<ReportRun>& runs) {
  Found found = found_in(runs);
  std::map<std::string, std::vector<std::size_t>> of_name;
  for (std::size_t n = 0; n < found.kernels.size(); ++n) {
    const Kernel& kernel = found.kernels[n];
    of_name[kernel.workload + '\n' + kernel.device + '\n' + kernel.label].push_back(n);
  }
  for (const auto& [name, members] : of_name) {
    set_labels(members, found);
  }
  return std::move(found.kernels);
}

std::vector<Comparison> compare(const std::vector<ReportRun>& runs,
                                const std::vector<ReportRun>& baseline) {
  const std::vector<Kernel> before = kernels_of(baseline);
  std::vector<Comparison> comparisons;
  for (const Kernel& kernel : kernels_of(runs)) {
    const Kernel* const other = counterpart(kernel, before);
    if (other == nullptr) {
      continue;
    }
    const Rates now = rates_of(kernel, runs);
    const Rates then = rates_of(*other, baseline);
    if (now.unit == then.unit && now.median() > 0.0 && then.median() > 0.0) {
      comparisons.push_back({.label = kernel.label,
                             .workload = kernel.workload,
                             .device = kernel.device,
                             .device_before = other->device,
                             .unit = now.unit,
                             .now = now.median(),
                             .before = then.median(),
                             .within_spread = overlap(now, then)});
    }
  }
  return comparisons;
}

}  // namespace bankfull::html_report
