#pragma once

#include "bankfull/app/recorded/recorded_run.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bankfull::compare {

/// A quiet measurement of 100 iterations a repeat.
inline Measurement measured(const std::string& name, std::vector<double> seconds) {
  return {.name = name,
          .parameters = {{.name = "iterations", .value = std::int64_t{100}},
                         {.name = "precision", .value = std::string("fp32")}},
          .seconds = summarise(std::move(seconds)),
          .work = {.traffic = {.bytes_read = 3e9, .bytes_written = 1e9, .flops = 8e9}}};
}

inline FactGroup group_of_facts(const std::string& key, std::vector<Figure> facts) {
  return {.key = key, .title = {}, .facts = std::move(facts)};
}

/// A run on the CPU of a machine with 8 cores.
inline recorded::RecordedRun run_of(std::vector<Measurement> measurements) {
  return {
      .file = "run.json",
      .date = "2026-11-23T14:12:32Z",
      .context = {group_of_facts("system", {{.name = "driver", .value = std::string("570")}}),
                  group_of_facts("cpu", {{.name = "model", .value = std::string("Xeon")},
                                         {.name = "cores", .value = std::int64_t{8}}}),
                  group_of_facts("build", {{.name = "type", .value = std::string("Release")}}),
                  group_of_facts("ranks", {{.name = "ranks", .value = std::int64_t{1}},
                                           {.name = "nodes", .value = std::int64_t{1}}})},
      .result = {.workload = "himeno",
                 .problem = {{.name = "size", .value = std::string("M")},
                             {.name = "device", .value = std::string("cpu")},
                             {.name = "threads", .value = std::int64_t{8}},
                             {.name = "memory", .value = std::int64_t{1000}}},
                 .measurements = std::move(measurements),
                 .checks = {{.name = "gosa", .value = 1.0, .reference = 1.0, .tolerance = 1e-9}}}};
}

/// A run of one measurement.
inline recorded::RecordedRun run_taking(std::vector<double> seconds) {
  return run_of({measured("himeno M fp32 tuned", std::move(seconds))});
}

/// The fact or figure of this name.
inline Figure& named(std::vector<Figure>& figures, const std::string& name) {
  return *std::ranges::find(figures, name, &Figure::name);
}

inline Figure& fact_of(recorded::RecordedRun& run, const std::string& key,
                       const std::string& name) {
  return named(std::ranges::find(run.context, key, &FactGroup::key)->facts, name);
}

}  // namespace bankfull::compare
