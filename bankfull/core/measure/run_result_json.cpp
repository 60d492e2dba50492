#include "bankfull/core/measure/run_result_json.hpp"

#include "bankfull/core/measure/context.hpp"
#include "bankfull/core/measure/verdict_names.hpp"

#include <ctime>
#include <nlohmann/json.hpp>

namespace bankfull {
namespace {

using Json = nlohmann::ordered_json;

Json value_of(const Figure& figure) {
  return std::visit([](const auto& value) { return Json(value); }, figure.value);
}

Json to_object(const std::vector<Figure>& figures) {
  Json object = Json::object();
  for (const Figure& figure : figures) {
    object[figure.name] = {{"value", value_of(figure)}, {"unit", figure.unit}};
  }
  return object;
}

Json to_object(const Statistics& statistics) {
  return {{"median", statistics.median},
          {"min", statistics.min},
          {"max", statistics.max},
          {"unit", "s"},
          {"samples", statistics.samples}};
}

Json to_object(const Work& work) {
  return {{"bytes_read", work.traffic.bytes_read},
          {"bytes_written", work.traffic.bytes_written},
          {"flops", work.traffic.flops},
          {"model", work.model},
          {"working_set_bytes", work.working_set_bytes}};
}

Json to_object(const Ceiling& ceiling) {
  Json object{{"name", ceiling.name},
              {"key", ceiling.key},
              {"bytes_per_second", ceiling.bytes_per_second},
              {"working_set_bytes", ceiling.working_set_bytes},
              {"rates", ceiling.rates},
              {"drift", ceiling.drift()},
              {"timing", to_object(ceiling.seconds)}};
  if (!ceiling.source.empty()) {
    object["source"] = ceiling.source;
  }
  return object;
}

Json to_object(const Quietness& quietness) {
  return {{"verdict", quietness.noisy() ? "noisy" : "quiet"},
          {"disturbances", quietness.disturbances()},
          {"spread", quietness.spread},
          {"ceiling_drift", quietness.ceiling_drift},
          {"load_before", quietness.load_before},
          {"foreign_load", quietness.foreign_load},
          {"steal", quietness.steal}};
}

Json to_object(const std::vector<ThrottledShare>& shares) {
  Json object = Json::object();
  for (const ThrottledShare& each : shares) {
    object[throttle_names.to_string(each.reason)] = each.share;
  }
  return object;
}

void add_if_known(Json& object, const char* key, std::optional<double> value) {
  if (value) {
    object[key] = *value;
  }
}

Json energy_of(const Measurement& measurement, const EnergyUse& energy) {
  Json object{{"seconds", energy.seconds}, {"timed_seconds", energy.timed_seconds}};
  if (!energy.is_known()) {
    object["unknown_because"] = energy.unknown_because;
    return object;
  }
  object["joules"] = energy.joules;
  object["uncertainty"] = energy.uncertainty;
  object["covers"] = energy.covers;
  object["domains"] = to_object(energy.domains);
  add_if_known(object, "watts", measurement.watts());
  add_if_known(object, "joules_per_repeat", measurement.joules());
  add_if_known(object, "flops_per_joule", measurement.flops_per_joule());
  return object;
}

Json to_object(const Measurement& measurement) {
  Json object = {{"name", measurement.name},
                 {"parameters", to_object(measurement.parameters)},
                 {"timing", to_object(measurement.seconds)},
                 {"traffic", to_object(measurement.work)}};
  add_if_known(object, "bytes_per_second", measurement.bytes_per_second());
  add_if_known(object, "flops_per_second", measurement.flops_per_second());
  if (measurement.ceiling) {
    object["ceiling"] = to_object(*measurement.ceiling);
  }
  add_if_known(object, "percent_of_bankfull", measurement.percent_of_bankfull());
  object["cache"] = to_string(measurement.cache);
  object["quietness"] = to_object(measurement.quietness);
  if (measurement.energy) {
    object["energy"] = energy_of(measurement, *measurement.energy);
  }
  if (measurement.throttled) {
    object["throttled"] = to_object(*measurement.throttled);
  }
  object["figures"] = to_object(measurement.figures);
  object["notes"] = measurement.notes;
  return object;
}

Json to_object(const Series& series) {
  Json points = Json::array();
  for (const auto& [x, y] : series.points) {
    points.push_back({x, y});
  }
  return {{"name", series.name},
          {"x", {{"name", series.x_name}, {"unit", series.x_unit}}},
          {"y", {{"name", series.y_name}, {"unit", series.y_unit}}},
          {"parameters", to_object(series.parameters)},
          {"points", points}};
}

Json to_object(const Check& check) {
  return {{"name", check.name},           {"value", check.value},
          {"reference", check.reference}, {"deviation", check.deviation()},
          {"tolerance", check.tolerance}, {"source", check.source},
          {"passed", check.passed()}};
}

Json to_object(const Phase& phase) { return {{"name", phase.name}, {"seconds", phase.seconds}}; }

template <class Item>
Json to_array(const std::vector<Item>& items) {
  Json array = Json::array();
  for (const Item& item : items) {
    array.push_back(to_object(item));
  }
  return array;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Json to_object(const std::vector<UsedOption>& options) {
  Json object = Json::object();
  for (const UsedOption& option : options) {
    object[option.name] = {{"value", option.value.empty() ? Json() : Json(option.value)},
                           {"source", option.source}};
  }
  return object;
}

Json environment() {
  Json object = Json::object();
  for (const std::string& variable : context_environment()) {
    const std::size_t mark = variable.find('=');
    object[variable.substr(0, mark)] = variable.substr(mark + 1);
  }
  return object;
}

Json context(const Invocation& invocation, const RankSurvey& ranks) {
  Json object = {{"date", utc_now()},
                 {"command", invocation.command_line},
                 {"options", to_object(invocation.options)},
                 {"environment", environment()}};
  for (const FactGroup& group : context_facts()) {
    object[group.key] = to_object(group.facts);
  }
  object["ranks"] = to_object(rank_facts(ranks).facts);
  return object;
}

/// Arguments and variables may contain bytes that are not UTF-8.
std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const RunResult& result, const Invocation& invocation,
                    const RankSurvey& ranks) {
  Json document = {
      {"schema", "bankfull/run-result"},
      {"schema_version", run_result_schema_version},
      {"workload", result.workload},
      {"verdict", verdict_names.to_string(result.verdict())},
      {"quietness", result.noisy() ? "noisy" : "quiet"},
      {"complete", result.complete()},
      {"context", context(invocation, ranks)},
      {"problem", to_object(result.problem)},
      {"verification", to_array(result.checks)},
      {"measurements", to_array(result.measurements)},
      {"series", to_array(result.series)},
      {"notes", result.notes},
  };
  if (!result.resolution.empty()) {
    document["resolution"] = to_array(result.resolution);
  }
  if (!result.phases.empty()) {
    document["phases"] = to_array(result.phases);
  }
  if (!result.machine.parts.empty()) {
    document["machine_state"] = Json::parse(machine_to_json(result.machine));
  }
  if (!result.complete()) {
    document["ended_by"] = result.ended_by;
  }
  return text_of(document);
}

std::string context_to_json(const Invocation& invocation, const RankSurvey& ranks) {
  return text_of({{"schema", "bankfull/context"},
                  {"schema_version", run_result_schema_version},
                  {"context", context(invocation, ranks)}});
}

}  // namespace bankfull
