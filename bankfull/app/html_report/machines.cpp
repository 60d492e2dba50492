#include "bankfull/app/html_report/machines.hpp"

#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <set>

namespace bankfull::html_report {
namespace {

using recorded::fact;
using recorded::RecordedRun;

std::string fact_or(const RecordedRun& run, const char* key, const char* name) {
  return fact(run, key, name).value_or("");
}

double number_of(const RecordedRun& run, const std::string& key, const std::string& name) {
  const auto group = std::ranges::find(run.context, key, &FactGroup::key);
  return group == run.context.end() ? 0.0 : recorded::number(group->facts, name).value_or(0.0);
}

std::string bytes_of(const RecordedRun& run, const char* key, const char* name) {
  const double bytes = number_of(run, key, name);
  return bytes > 0.0 ? format_bytes(bytes) : "";
}

bool is_gpu(const FactGroup& group) {
  return group.key.size() > 3 && group.key.starts_with("gpu") &&
         std::ranges::all_of(group.key.substr(3), [](char c) { return c >= '0' && c <= '9'; });
}

/// "4 x NVIDIA H200, 140 GiB each".
std::string gpus_of(const RecordedRun& run) {
  std::map<std::string, int> counts;
  for (const FactGroup& group : run.context) {
    if (is_gpu(group)) {
      const std::string memory = bytes_of(run, group.key.c_str(), "memory");
      ++counts[fact_or(run, group.key.c_str(), "name") + (memory.empty() ? "" : ", " + memory)];
    }
  }
  std::vector<std::string> names;
  names.reserve(counts.size());
  for (const auto& [name, count] : counts) {
    names.push_back(count == 1 ? name : fmt::format("{} x {} each", count, name));
  }
  return fmt::format("{}", fmt::join(names, "; "));
}

std::string processor_of(const RecordedRun& run) {
  const std::string sockets = fact_or(run, "cpu", "sockets");
  return fmt::format("{}{}, {} cores, {} hardware threads",
                     sockets.empty() || sockets == "1" ? "" : sockets + " x ",
                     fact_or(run, "cpu", "model"), fact_or(run, "cpu", "cores"),
                     fact_or(run, "cpu", "hardware_threads"));
}

std::string caches_text(const std::vector<CacheLevel>& caches) {
  std::vector<std::string> texts;
  texts.reserve(caches.size());
  for (const CacheLevel& cache : caches) {
    texts.push_back(cache.name + " " + format_bytes(cache.bytes));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<CacheLevel> cpu_caches(const RecordedRun& run) {
  std::vector<CacheLevel> levels;
  for (int n = 1; n <= 4; ++n) {
    const double each = number_of(run, "cpu", fmt::format("l{}_cache", n));
    const double count = number_of(run, "cpu", fmt::format("l{}_caches", n));
    if (each > 0.0 && count > 0.0) {
      levels.push_back({.name = fmt::format("L{}", n), .bytes_each = each, .bytes = each * count});
    }
  }
  return levels;
}

std::vector<CacheLevel> gpu_caches(const RecordedRun& run) {
  const double bytes = number_of(run, "gpu0", "l2_cache");
  return bytes > 0.0 ? std::vector<CacheLevel>{{.name = "L2", .bytes_each = bytes, .bytes = bytes}}
                     : std::vector<CacheLevel>{};
}

/// The day of "2026-11-23T14:12:32Z".
std::string day_of(const RecordedRun& run) { return run.date.substr(0, run.date.find('T')); }

using Fact = std::pair<std::string, std::string>;

std::vector<Fact> facts_of(const RecordedRun& run) {
  std::vector<Fact> facts{{"host", fact_or(run, "system", "host")},
                          {"GPUs", gpus_of(run)},
                          {"GPU caches", caches_text(gpu_caches(run))},
                          {"processor", processor_of(run)},
                          {"caches, all together", caches_text(cpu_caches(run))},
                          {"memory", bytes_of(run, "cpu", "memory")},
                          {"NUMA nodes", fact_or(run, "cpu", "numa_nodes")},
                          {"operating system", fact_or(run, "system", "os")},
                          {"GPU driver", fact_or(run, "system", "driver")},
                          {"bankfull", fact_or(run, "build", "version")},
                          {"revision", fact_or(run, "build", "revision")},
                          {"compiler", fact_or(run, "build", "compiler")},
                          {"compiler flags", fact_or(run, "build", "flags")},
                          {"CUDA", gpus_of(run).empty() ? "" : fact_or(run, "build", "cuda")},
                          {"ranks", fact_or(run, "ranks", "ranks")},
                          {"date", day_of(run)}};
  std::erase_if(facts, [](const Fact& one) { return one.second.empty(); });
  return facts;
}

/// Hardware threads are no part of it: a launcher may give a run only some of them.
std::string key_of(const RecordedRun& run) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", fact_or(run, "system", "host"),
                     fact_or(run, "cpu", "model"), fact_or(run, "cpu", "sockets"),
                     fact_or(run, "cpu", "cores"), gpus_of(run));
}

std::string name_of(const RecordedRun& run) {
  const std::string gpus = gpus_of(run);
  const std::string model = fact(run, "cpu", "model").value_or("an unnamed machine");
  return gpus.empty() ? model : gpus.substr(0, gpus.find(',')) + " with " + model;
}

/// All different values of each fact, in their order; of many the first and the last dates.
std::vector<Fact> merged(const std::vector<std::vector<Fact>>& all) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> values;
  for (const auto& facts : all) {
    for (const auto& [name, value] : facts) {
      std::vector<std::string>& known = values[name];
      if (known.empty()) {
        names.push_back(name);
      }
      if (std::ranges::find(known, value) == known.end()) {
        known.push_back(value);
      }
    }
  }
  std::vector<Fact> facts;
  for (const std::string& name : names) {
    std::vector<std::string>& known = values[name];
    if (name == "date" && known.size() > 1) {
      const auto [first, last] = std::ranges::minmax(known);
      facts.emplace_back("dates", fmt::format("{} to {}", first, last));
    } else {
      facts.emplace_back(name, fmt::format("{}", fmt::join(known, "; ")));
    }
  }
  return facts;
}

}  // namespace

std::vector<Machine> machines_of(const std::vector<ReportRun>& runs) {
  std::map<std::string, std::size_t> known;
  std::vector<Machine> machines;
  std::vector<std::vector<std::vector<Fact>>> facts;
  for (std::size_t n = 0; n < runs.size(); ++n) {
    const RecordedRun& run = runs[n].run;
    const auto [place, is_new] = known.emplace(key_of(run), machines.size());
    if (is_new) {
      machines.push_back({.name = name_of(run),
                          .facts = {},
                          .cpu_caches = cpu_caches(run),
                          .gpu_caches = gpu_caches(run),
                          .runs = {}});
      facts.emplace_back();
    }
    machines[place->second].runs.push_back(n);
    facts[place->second].push_back(facts_of(run));
  }
  for (std::size_t n = 0; n < machines.size(); ++n) {
    machines[n].facts = merged(facts[n]);
  }
  return machines;
}

}  // namespace bankfull::html_report
