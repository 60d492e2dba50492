#include "bankfull/app/recorded/recorded_run.hpp"

#include "bankfull/app/input_file.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/measure/verdict_names.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace bankfull::recorded {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;  // figures stay in the order in which they were written

constexpr const char* schema_name = "bankfull/run-result";
constexpr std::size_t max_file_bytes = std::size_t{256} << 20;

decltype(Figure::value) value_from(const Json& value) {
  if (value.is_boolean()) {
    return value.get<bool>();
  }
  if (value.is_number_integer()) {
    return value.get<std::int64_t>();
  }
  if (value.is_string()) {
    return value.get<std::string>();
  }
  // JSON has no NaN: what is not a number is written as null.
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

double number_from(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

std::vector<Figure> figures_from(const Json& object) {
  std::vector<Figure> figures;
  for (const auto& [name, entry] : object.items()) {
    figures.push_back(
        {.name = name, .value = value_from(entry.at("value")), .unit = entry.at("unit")});
  }
  return figures;
}

Statistics statistics_from(const Json& timing) {
  Statistics statistics{.samples = timing.at("samples"),
                        .median = number_from(timing.at("median")),
                        .min = number_from(timing.at("min")),
                        .max = number_from(timing.at("max"))};
  return statistics;
}

Work work_from(const Json& traffic) {
  return {.traffic = {.bytes_read = traffic.at("bytes_read"),
                      .bytes_written = traffic.at("bytes_written"),
                      .flops = traffic.at("flops")},
          .model = traffic.at("model"),
          .working_set_bytes = traffic.value("working_set_bytes", 0.0)};
}

Ceiling ceiling_from(const Json& object) {
  return {
      .name = object.at("name"),
      .bytes_per_second = object.at("bytes_per_second"),
      .working_set_bytes = object.value("working_set_bytes", 0.0),
      .seconds = object.contains("timing") ? statistics_from(object.at("timing")) : Statistics{},
      .rates = object.value("rates", std::vector<double>{}),
      .key = object.value("key", std::string()),
      .source = object.value("source", std::string())};
}

Quietness quietness_from(const Json& object) {
  Quietness quietness{.spread = object.at("spread"),
                      .ceiling_drift = object.at("ceiling_drift"),
                      .load_before = object.at("load_before"),
                      .foreign_load = object.at("foreign_load"),
                      .steal = object.at("steal")};
  // Load counts for work on processors only, which is not recorded but follows.
  quietness.on_cpu = false;
  quietness.on_cpu = quietness.noisy() != (object.at("verdict") == "noisy") ||
                     quietness.disturbances().size() != object.at("disturbances").size();
  return quietness;
}

EnergyUse energy_from(const Json& object) {
  return {.joules = object.value("joules", 0.0),
          .seconds = object.at("seconds"),
          .timed_seconds = object.at("timed_seconds"),
          .uncertainty = object.value("uncertainty", 0.0),
          .covers = object.value("covers", std::string()),
          .domains = figures_from(object.value("domains", Json::object())),
          .unknown_because = object.value("unknown_because", std::string())};
}

/// Reasons that this version does not know are left out.
std::vector<ThrottledShare> throttled_from(const Json& object) {
  std::vector<ThrottledShare> shares;
  for (const auto& [name, share] : object.items()) {
    if (const auto reason = throttle_names.from_string(name)) {
      shares.push_back({.reason = *reason, .share = share});
    }
  }
  return shares;
}

CacheFit cache_from(const Json& measurement) {
  if (measurement.value("fits_cache", false)) {
    return CacheFit::inside;
  }
  const std::string name = measurement.value("cache", std::string());
  for (const CacheFit fit : {CacheFit::inside, CacheFit::partly}) {
    if (name == to_string(fit)) {
      return fit;
    }
  }
  return CacheFit::beyond;
}

Measurement measurement_from(const Json& object) {
  Measurement measurement{.name = object.at("name"),
                          .parameters = figures_from(object.at("parameters")),
                          .seconds = statistics_from(object.at("timing")),
                          .work = work_from(object.at("traffic")),
                          .figures = figures_from(object.at("figures")),
                          .notes = object.value("notes", std::vector<std::string>{}),
                          .cache = cache_from(object)};
  if (object.contains("ceiling")) {
    measurement.ceiling = ceiling_from(object.at("ceiling"));
  }
  if (object.contains("quietness")) {
    measurement.quietness = quietness_from(object.at("quietness"));
  }
  if (object.contains("energy")) {
    measurement.energy = energy_from(object.at("energy"));
  }
  if (object.contains("throttled")) {
    measurement.throttled = throttled_from(object.at("throttled"));
  }
  return measurement;
}

Series series_from(const Json& object) {
  Series series{.name = object.at("name"),
                .x_name = object.at("x").at("name"),
                .x_unit = object.at("x").at("unit"),
                .y_name = object.at("y").at("name"),
                .y_unit = object.at("y").at("unit"),
                .parameters = figures_from(object.value("parameters", Json::object()))};
  for (const Json& point : object.at("points")) {
    series.points.emplace_back(number_from(point.at(0)), number_from(point.at(1)));
  }
  return series;
}

Check check_from(const Json& object) {
  return {.name = object.at("name"),
          .value = number_from(object.at("value")),
          .reference = number_from(object.at("reference")),
          .tolerance = number_from(object.at("tolerance")),
          .source = object.value("source", std::string())};
}

template <class Item, class Parse>
std::vector<Item> list_from(const Json& array, const Parse& parse) {
  std::vector<Item> items;
  for (const Json& item : array) {
    items.push_back(parse(item));
  }
  return items;
}

RunResult result_from(const Json& document) {
  return {.workload = document.at("workload"),
          .problem = figures_from(document.at("problem")),
          .measurements = list_from<Measurement>(document.at("measurements"), measurement_from),
          .series = list_from<Series>(document.at("series"), series_from),
          .checks = list_from<Check>(document.at("verification"), check_from),
          .resolution = list_from<Check>(document.value("resolution", Json::array()), check_from),
          .notes = document.value("notes", std::vector<std::string>{}),
          .ended_by = document.value("ended_by", std::string())};
}

/// The date, the command and the ranks, which version 1 has beside the context.
const Json& beside_context(const Json& document, const char* key) {
  const Json& context = document.at("context");
  return context.contains(key) ? context.at(key) : document.at(key);
}

std::vector<UsedOption> options_from(const Json& object) {
  std::vector<UsedOption> options;
  for (const auto& [name, entry] : object.items()) {
    const Json& value = entry.at("value");
    options.push_back({.name = name,
                       .value = value.is_null() ? "" : value.get<std::string>(),
                       .source = entry.at("source")});
  }
  return options;
}

std::vector<Figure> environment_from(const Json& object) {
  std::vector<Figure> variables;
  for (const auto& [name, value] : object.items()) {
    variables.push_back({.name = name, .value = value.get<std::string>()});
  }
  return variables;
}

bool is_group_of_facts(const std::string& key) {
  static const std::set<std::string> others{"date", "command", "options", "environment"};
  return !others.contains(key);
}

std::vector<FactGroup> groups_from(const Json& document) {
  std::vector<FactGroup> groups;
  for (const auto& [key, facts] : document.at("context").items()) {
    if (is_group_of_facts(key)) {
      groups.push_back({.key = key, .title = {}, .facts = figures_from(facts)});
    }
  }
  if (document.contains("ranks")) {
    groups.push_back({.key = "ranks", .title = {}, .facts = figures_from(document.at("ranks"))});
  }
  return groups;
}

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw UsageError(fmt::format("{} {}", file.string(), why),
                   "give the file that a run wrote with --json");
}

MachineState machine_from(const Json& document, const fs::path& file) {
  if (!document.contains("machine_state")) {
    return {};
  }
  try {
    return machine_from_json(document.at("machine_state").dump());
  } catch (const nlohmann::json::exception&) {
    refuse(file, "has a machine_state that no run of bankfull wrote");
  }
}

RecordedRun run_from(const Json& document, const fs::path& file) {
  const Json& context = document.at("context");
  RunResult result = result_from(document);
  result.machine = machine_from(document, file);
  return {.file = file,
          .schema_version = document.at("schema_version"),
          .date = beside_context(document, "date"),
          .command = beside_context(document, "command"),
          .options = options_from(context.value("options", Json::object())),
          .environment = environment_from(context.value("environment", Json::object())),
          .context = groups_from(document),
          .result = std::move(result)};
}

bool is_result(const Json& document) {
  return document.is_object() && document.value("schema", Json()) == schema_name;
}

std::string text_of_file(const fs::path& file) {
  return read_input_file(
      file, max_file_bytes,
      {.problem = fmt::format("{} cannot be read", file.string()),
       .remedy = "give a file that a run wrote with --json, or a folder of them"});
}

struct TextOf {
  std::string operator()(bool value) const { return value ? "yes" : "no"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{:.6g}", value); }
  std::string operator()(const std::string& value) const { return value; }
};

/// The devices of so many ranks.
std::string device_text_on(const RecordedRun& run, const std::string& ranks,
                           const std::optional<double>& threads) {
  const auto device = std::ranges::find(run.result.problem, "device", &Figure::name);
  const std::string where = device == run.result.problem.end() ? "" : text_of(*device);
  const std::string times = ranks == "1" ? "" : ranks + " x ";
  if (where.starts_with("cuda")) {
    const std::size_t colon = where.find(':');
    const std::string group = "gpu" + (colon == std::string::npos ? "0" : where.substr(colon + 1));
    const std::string first = fact(run, "gpu0", "name").value_or("GPU");
    return times + fact(run, group, "name").value_or(first);
  }
  if (where.empty() && fact(run, "gpu0", "name")) {
    return "device not recorded";
  }
  return fmt::format(
      "{}{}{}", times, fact(run, "cpu", "model").value_or("CPU"),
      threads ? fmt::format(", {:.0f} thread{}", *threads, *threads == 1.0 ? "" : "s") : "");
}

}  // namespace

std::string text_of(const Figure& figure) { return std::visit(TextOf{}, figure.value); }

std::optional<double> number(const std::vector<Figure>& figures, const std::string& name) {
  const auto found = std::ranges::find(figures, name, &Figure::name);
  if (found == figures.end()) {
    return std::nullopt;
  }
  if (const auto* const count = std::get_if<std::int64_t>(&found->value)) {
    return static_cast<double>(*count);
  }
  const auto* const value = std::get_if<double>(&found->value);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<std::string> fact(const RecordedRun& run, const std::string& key,
                                const std::string& name) {
  const auto group = std::ranges::find(run.context, key, &FactGroup::key);
  if (group == run.context.end()) {
    return std::nullopt;
  }
  const auto found = std::ranges::find(group->facts, name, &Figure::name);
  return found == group->facts.end() ? std::nullopt : std::optional(text_of(*found));
}

std::string device_text(const RecordedRun& run) {
  return device_text_on(run, fact(run, "ranks", "ranks").value_or("1"),
                        number(run.result.problem, "threads"));
}

std::string device_text(const RecordedRun& run, const Measurement& measurement) {
  const auto ranks = std::ranges::find(measurement.parameters, "ranks", &Figure::name);
  const auto threads = number(measurement.parameters, "threads");
  return device_text_on(run,
                        ranks == measurement.parameters.end()
                            ? fact(run, "ranks", "ranks").value_or("1")
                            : text_of(*ranks),
                        threads ? threads : number(run.result.problem, "threads"));
}

RecordedRun parse_run(const std::string& text, const fs::path& file) {
  try {
    const Json document = Json::parse(text);
    if (!is_result(document)) {
      refuse(file, "is not a result of bankfull");
    }
    const int version = document.at("schema_version");
    if (version < 1 || version > run_result_schema_version) {
      refuse(file, fmt::format("has schema version {}; this program reads 1 to {}", version,
                               run_result_schema_version));
    }
    return run_from(document, file);
  } catch (const nlohmann::json::exception& failure) {
    refuse(file, fmt::format("cannot be read as a result of bankfull ({})", failure.what()));
  }
}

RecordedRun read_run(const fs::path& file) { return parse_run(text_of_file(file), file); }

std::vector<fs::path> json_files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
    if (entry.path().extension() == ".json" && entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<RecordedRun> runs_in(const fs::path& folder) {
  std::vector<RecordedRun> runs;
  for (const fs::path& file : json_files_in(folder)) {
    const std::string text = text_of_file(file);
    if (is_result(Json::parse(text, nullptr, false))) {
      runs.push_back(parse_run(text, file));
    }
  }
  return runs;
}

std::vector<RecordedRun> read_runs(const fs::path& file_or_folder) {
  if (!fs::is_directory(file_or_folder)) {
    return {read_run(file_or_folder)};
  }
  std::vector<RecordedRun> runs = runs_in(file_or_folder);
  if (runs.empty()) {
    refuse(file_or_folder, "has no results of bankfull");
  }
  return runs;
}

}  // namespace bankfull::recorded
