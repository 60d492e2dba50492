#include "bankfull/core/measure/known_ceilings.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/measure/run_result_json.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bankfull {
namespace {

using nlohmann::json;

std::string home_of(const std::string& kind, const std::string& model, const std::string& host,
                    std::int64_t threads, std::int64_t ranks) {
  const std::string team =
      threads > 0 ? fmt::format(", {} thread{} a rank", threads, threads == 1 ? "" : "s") : "";
  return fmt::format("{} {} of host {}{}, {} rank{}", kind, model, host, team, ranks,
                     ranks == 1 ? "" : "s");
}

/// Where the run of a result took place.
std::string recorded_home(const json& document) {
  const auto fact = [](const json& figures, const std::string& name) -> const json& {
    return figures.at(name).at("value");
  };
  const json& problem = document.at("problem");
  const json& context = document.at("context");
  const auto ranks = fact(context.at("ranks"), "ranks").get<std::int64_t>();
  const std::string host = fact(context.at("system"), "host");
  std::string device = fact(problem, "device");
  if (device == "cpu") {
    return home_of("CPU", fact(context.at("cpu"), "model"), host,
                   fact(problem, "threads").get<std::int64_t>(), ranks);
  }
  std::erase(device, ':');  // "cuda:0" is described as "gpu0"
  return home_of("GPU", fact(context.at(device.replace(0, 4, "gpu")), "name"), host, 0, ranks);
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

/// Of each mix a run has one ceiling; runs on several numbers of ranks have more.
void require_one_each(const std::vector<Ceiling>& ceilings, const std::string& file) {
  for (const Ceiling& ceiling : ceilings) {
    for (const Ceiling& other : ceilings) {
      if (ceiling.key == other.key && ceiling.bytes_per_second != other.bytes_per_second) {
        throw UsageError(
            fmt::format("--ceiling {} holds several ceilings of '{}'", file, ceiling.key),
            "use a result of one run on one number of ranks");
      }
    }
  }
}

constexpr const char* how_to_record = "record one with --ceiling always --json FILE";

void require_schema(const json& document, const std::string& file) {
  if (!document.is_object() || document.value("schema", json()) != "bankfull/run-result") {
    throw UsageError("--ceiling " + file + " is no result of bankfull", how_to_record);
  }
  const json version = document.value("schema_version", json());
  if (version != run_result_schema_version) {
    throw UsageError(fmt::format("--ceiling {} has schema version {}, not {}", file, version.dump(),
                                 run_result_schema_version),
                     how_to_record);
  }
}

}  // namespace

std::string ceiling_home(Device device, int threads, int ranks) {
  if (device.is_cuda()) {
    const auto& gpu = survey_gpus().gpus.at(static_cast<std::size_t>(device.index));
    return home_of("GPU", gpu.name, survey_cpu().host_name, 0, ranks);
  }
  return home_of("CPU", survey_cpu().model, survey_cpu().host_name, threads, ranks);
}

std::vector<Ceiling> parse_ceilings(const std::string& text, const std::string& file,
                                    const std::string& home) {
  std::vector<Ceiling> ceilings;
  try {
    const json document = json::parse(text);
    require_schema(document, file);
    for (const json& measurement : document.at("measurements")) {
      if (measurement.contains("ceiling")) {
        ceilings.push_back(ceiling_from(measurement.at("ceiling"), file));
      }
    }
    if (ceilings.empty()) {
      throw UsageError("--ceiling " + file + " holds no ceiling", how_to_record);
    }
    require_one_each(ceilings, file);
    if (const std::string other = recorded_home(document); other != home) {
      throw UsageError(
          fmt::format("--ceiling {} is of {}, but this run is on {}", file, other, home),
          "ceilings hold only where they were measured");
    }
  } catch (const json::exception&) {
    throw UsageError("--ceiling " + file + " cannot be read as a result of bankfull",
                     how_to_record);
  }
  return ceilings;
}

}  // namespace bankfull
