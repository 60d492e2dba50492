#include "bankfull/app/accept/baseline.hpp"

#include "bankfull/app/data_folder.hpp"
#include "bankfull/app/input_file.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/measure/statistics.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace bankfull::accept {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* schema_name = "bankfull/baseline";
constexpr int schema_version = 1;
constexpr std::size_t max_file_bytes = 16 << 20;

/// The rates of one gauge by board.
struct Collected {
  std::string unit;
  std::map<std::string, std::vector<double>> rates_of_board;
};

/// Of one model, gauges in the order in which they occur.
struct CollectedModel {
  std::vector<std::string> order;
  std::map<std::string, Collected> gauges;
  std::string first_date;
  std::string last_date;
};

void add(const recorded::RecordedRun& run, CollectedModel& model) {
  const std::string board = device_of(run).board;
  const std::string date = run.date.substr(0, run.date.find('T'));
  for (const Reading& reading : readings_of(run)) {
    if (reading.noisy) {
      continue;
    }
    const auto [place, is_new] = model.gauges.try_emplace(reading.gauge);
    if (is_new) {
      model.order.push_back(reading.gauge);
      place->second.unit = reading.unit;
    }
    place->second.rates_of_board[board].push_back(reading.rate);
    model.first_date = model.first_date.empty() ? date : std::min(model.first_date, date);
    model.last_date = std::max(model.last_date, date);
  }
}

BaselineEntry entry_of(const std::string& gauge, const Collected& collected) {
  std::vector<double> medians;
  std::vector<double> all;
  for (const auto& [board, rates] : collected.rates_of_board) {
    medians.push_back(summarise(rates).median);
    all.insert(all.end(), rates.begin(), rates.end());
  }
  return {.gauge = gauge,
          .unit = collected.unit,
          .median = summarise(medians).median,
          .spread = summarise(all).spread(),
          .boards = static_cast<int>(medians.size()),
          .runs = static_cast<int>(all.size())};
}

Baseline baseline_from(const std::string& name, const CollectedModel& model) {
  Baseline baseline{.model = name,
                    .from = model.first_date == model.last_date
                                ? model.first_date
                                : model.first_date + " to " + model.last_date};
  for (const std::string& gauge : model.order) {
    baseline.entries.push_back(entry_of(gauge, model.gauges.at(gauge)));
  }
  return baseline;
}

BaselineEntry entry_from(const Json& object) {
  BaselineEntry entry{.gauge = object.at("gauge"),
                      .unit = object.at("unit"),
                      .median = object.at("median"),
                      .spread = object.at("spread"),
                      .boards = object.at("boards"),
                      .runs = object.at("runs")};
  if (!(entry.median > 0.0)) {
    throw UsageError(fmt::format("'{}' has no rate", entry.gauge), "make the baseline again");
  }
  return entry;
}

}  // namespace

const BaselineEntry* Baseline::find(const std::string& gauge) const {
  const auto found = std::ranges::find(entries, gauge, &BaselineEntry::gauge);
  return found == entries.end() ? nullptr : &*found;
}

std::vector<Baseline> make_baselines(const std::vector<recorded::RecordedRun>& runs) {
  std::map<std::string, CollectedModel> models;
  for (const recorded::RecordedRun& run : runs) {
    add(run, models[device_of(run).model]);
  }
  std::vector<Baseline> baselines;
  for (const auto& [name, model] : models) {
    if (!model.order.empty()) {
      baselines.push_back(baseline_from(name, model));
    }
  }
  return baselines;
}

std::string to_json(const Baseline& baseline) {
  Json entries = Json::array();
  for (const BaselineEntry& entry : baseline.entries) {
    entries.push_back({{"gauge", entry.gauge},
                       {"unit", entry.unit},
                       {"median", entry.median},
                       {"spread", entry.spread},
                       {"boards", entry.boards},
                       {"runs", entry.runs}});
  }
  return Json{{"schema", schema_name},
              {"schema_version", schema_version},
              {"model", baseline.model},
              {"from", baseline.from},
              {"entries", entries}}
             .dump(2) +
         "\n";
}

Baseline read_baseline(const fs::path& file) {
  const InputRefusal refusal{
      .problem = fmt::format("the baseline {} cannot be read", file.string()),
      .remedy = "make one with bankfull baseline make"};
  const std::string text = read_input_file(file, max_file_bytes, refusal);
  const std::string problem = fmt::format("{} is not a baseline", file.string());
  try {
    const Json document = Json::parse(text);
    if (document.at("schema") != schema_name || document.at("schema_version") != schema_version) {
      throw UsageError(problem, refusal.remedy);
    }
    Baseline baseline{.model = document.at("model"), .from = document.at("from")};
    for (const Json& object : document.at("entries")) {
      baseline.entries.push_back(entry_from(object));
    }
    return baseline;
  } catch (const nlohmann::json::exception&) {
    throw UsageError(problem, refusal.remedy);
  }
}

fs::path baseline_folder() {
  return data_folder("BANKFULL_BASELINES", "baselines", places_of_baselines());
}

std::optional<Baseline> baseline_of(const std::string& model) {
  const fs::path file = baseline_folder() / baseline_file_name(model);
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    return std::nullopt;
  }
  Baseline baseline = read_baseline(file);
  return baseline.model == model ? std::optional(std::move(baseline)) : std::nullopt;
}

std::string baseline_file_name(const std::string& model) {
  std::string name;
  for (const char letter : model) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0;
    if (plain) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (name.ends_with('-')) {
    name.pop_back();
  }
  return (name.empty() ? "device" : name) + ".json";
}

}  // namespace bankfull::accept
