#include "bankfull/app/html_report/kernels.hpp"

#include "bankfull/app/html_report/labels.hpp"

#include <algorithm>
#include <fmt/format.h>
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
                   const Settings& settings) {
  std::string key = result.workload + '\n' + measurement.name;
  for (const auto& [name, value] : settings) {
    key += fmt::format("\n{}={}", name, value);
  }
  return key;
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
          key_of(run.result, measurement, settings) + '\n' + device, found.kernels.size());
      if (is_new) {
        found.kernels.push_back({.label = measurement.name,
                                 .workload = run.result.workload,
                                 .device = device,
                                 .is_part = is_part_of_run(run.result, measurement)});
        found.settings.push_back(std::move(settings));
      }
      found.kernels[place->second].places.push_back({.run = r, .measurement = m});
    }
  }
  return found;
}

void set_labels(Found& found) {
  std::vector<Unlabelled> things;
  for (std::size_t n = 0; n < found.kernels.size(); ++n) {
    const Kernel& kernel = found.kernels[n];
    things.push_back({.group = {kernel.workload, kernel.device},
                      .name = kernel.label,
                      .settings = &found.settings[n]});
  }
  const std::vector<std::string> labels = labels_within_groups(things);
  for (std::size_t n = 0; n < labels.size(); ++n) {
    found.kernels[n].label = labels[n];
  }
}

}  // namespace

bool is_part_of_run(const RunResult& result, const Measurement& measurement) {
  const auto has = [&](const char* name, const std::string& other_than) {
    const auto found = std::ranges::find(measurement.parameters, name, &Figure::name);
    return found != measurement.parameters.end() && text_of(*found) != other_than;
  };
  return (result.workload == "hpcg" && has("step", "")) ||
         (result.workload == "convection" && has("part", "step"));
}

std::vector<Kernel> kernels_of(const std::vector<ReportRun>& runs) {
  Found found = found_in(runs);
  set_labels(found);
  return std::move(found.kernels);
}

}  // namespace bankfull::html_report
