#include "bankfull/core/measure/known_ceilings.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/measure/context.hpp"
#include "bankfull/core/measure/run_result_json.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

namespace bankfull {
namespace {

using nlohmann::json;

/// Collective.
std::string device_of_rank(const Communicator& ranks, Device device, int threads) {
  const CpuInfo& cpu = survey_cpu();
  const int sharers = sharers_of_device(ranks, device);
  if (!device.is_cuda()) {
    return fmt::format("CPU {} of host {}, {} thread{}", cpu.model, cpu.host_name, threads,
                       threads == 1 ? "" : "s");
  }
  const GpuInfo& gpu = survey_gpus().gpus.at(static_cast<std::size_t>(device.index));
  return fmt::format("GPU {} of host {}{}", gpu.name, cpu.host_name,
                     sharers > 1 ? fmt::format(", shared by {} ranks", sharers) : "");
}

/// Where the run of a result took place.
CeilingHome recorded_home(const json& document) {
  const json& ranks = document.at("context").at("ranks");
  std::string devices = ranks.at("devices").at("value");
  const std::string_view between = between_devices;
  CeilingHome home{.nodes = ranks.at("nodes").at("value")};
  for (std::size_t end = 0; (end = devices.find(between)) != std::string::npos;
       devices.erase(0, end + between.size())) {
    home.devices.push_back(devices.substr(0, end));
  }
  home.devices.push_back(devices);
  return home;
}

constexpr const char* how_to_record = "record one with --ceiling always --json FILE";

std::string counts_of(const CeilingHome& home) {
  const std::size_t ranks = home.devices.size();
  return fmt::format("{} rank{} on {} node{}", ranks, ranks == 1 ? "" : "s", home.nodes,
                     home.nodes == 1 ? "" : "s");
}

/// Ceilings are valid only where they were measured: on the same number of ranks and nodes, each
/// rank on the same device with as many threads.
void require_home(const CeilingHome& recorded, const CeilingHome& here, const std::string& file) {
  const std::string remedy =
      std::string("ceilings are valid only where they were measured: ") + how_to_record;
  if (counts_of(recorded) != counts_of(here)) {
    throw UsageError(fmt::format("--ceiling {} is of {}, but this run has {}", file,
                                 counts_of(recorded), counts_of(here)),
                     remedy);
  }
  for (std::size_t rank = 0; rank < here.devices.size(); ++rank) {
    if (recorded.devices[rank] != here.devices[rank]) {
      const std::string which = here.devices.size() > 1 ? fmt::format("rank {}", rank) : "this run";
      throw UsageError(fmt::format("--ceiling {} is of {}, but {} is on {}", file,
                                   recorded.devices[rank], which, here.devices[rank]),
                       remedy);
    }
  }
}

Ceiling ceiling_from(const json& recorded, const std::string& file) {
  Ceiling ceiling{.name = recorded.at("name"),
                  .bytes_per_second = recorded.at("bytes_per_second"),
                  .working_set_bytes = recorded.at("working_set_bytes"),
                  .rates = recorded.at("rates"),
                  .key = recorded.at("key"),
                  .source = file};
  const std::vector<double> seconds = recorded.at("timing").at("samples");
  const auto is_rate = [](double rate) { return rate > 0.0 && std::isfinite(rate); };
  if (!is_rate(ceiling.bytes_per_second) || ceiling.rates.empty() || seconds.empty() ||
      !std::all_of(ceiling.rates.begin(), ceiling.rates.end(), is_rate) ||
      ceiling.bytes_per_second != *std::max_element(ceiling.rates.begin(), ceiling.rates.end())) {
    throw UsageError(fmt::format("--ceiling {}: '{}' has no rate", file, ceiling.key),
                     "record it again");
  }
  if (recorded.contains("source")) {
    throw UsageError(fmt::format("--ceiling {} did not measure its ceilings, it took them from {}",
                                 file, recorded.at("source").dump()),
                     "use that file");
  }
  ceiling.seconds = summarise(seconds);
  return ceiling;
}

void require_schema(const json& document, const std::string& file) {
  if (!document.is_object() || document.value("schema", json()) != "bankfull/run-result") {
    throw UsageError("--ceiling " + file + " is not a result of bankfull", how_to_record);
  }
  const json version = document.value("schema_version", json());
  if (version != run_result_schema_version) {
    throw UsageError(fmt::format("--ceiling {} has schema version {}, not {}", file, version.dump(),
                                 run_result_schema_version),
                     how_to_record);
  }
}

}  // namespace

CeilingHome ceiling_home(const Communicator& ranks, Device device, int threads) {
  const std::string own = device_of_rank(ranks, device, threads);
  CeilingHome home{.nodes = static_cast<int>(ranks.max(std::int64_t{ranks.node()})) + 1};
  for (const auto& text : ranks.all_gather(std::vector<char>(own.begin(), own.end()))) {
    home.devices.emplace_back(text.begin(), text.end());
  }
  return home;
}

std::vector<Ceiling> parse_ceilings(const std::string& text, const std::string& file,
                                    const CeilingHome& home) {
  std::vector<Ceiling> ceilings;
  try {
    const json document = json::parse(text);
    require_schema(document, file);
    if (document.at("workload").get<std::string>().starts_with("scaling")) {
      throw UsageError(
          "--ceiling " + file + " is of a scaling run, whose ceilings are of parts of its ranks",
          "use a result of another workload");
    }
    for (const json& measurement : document.at("measurements")) {
      if (measurement.contains("ceiling")) {
        ceilings.push_back(ceiling_from(measurement.at("ceiling"), file));
      }
    }
    if (ceilings.empty()) {
      throw UsageError("--ceiling " + file + " holds no ceiling", how_to_record);
    }
    require_home(recorded_home(document), home, file);
  } catch (const json::exception&) {
    throw UsageError("--ceiling " + file + " cannot be read as a result of bankfull",
                     how_to_record);
  }
  return ceilings;
}

}  // namespace bankfull
