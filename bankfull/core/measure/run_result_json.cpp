#include "bankfull/core/measure/run_result_json.hpp"

#include "bankfull/core/measure/context.hpp"

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

Json to_object(const Traffic& traffic, const std::string& model) {
  return {{"bytes_read", traffic.bytes_read},
          {"bytes_written", traffic.bytes_written},
          {"flops", traffic.flops},
          {"model", model}};
}

Json to_object(const Ceiling& ceiling) {
  Json object{{"name", ceiling.name},
              {"bytes_per_second", ceiling.bytes_per_second},
              {"working_set_bytes", ceiling.working_set_bytes},
              {"timing", to_object(ceiling.seconds)}};
  if (ceiling.brief) {
    object["brief"] = true;
  }
  return object;
}

Json to_object(const Measurement& measurement) {
  Json object = {{"name", measurement.name},
                 {"parameters", to_object(measurement.parameters)},
                 {"timing", to_object(measurement.seconds)},
                 {"traffic", to_object(measurement.traffic, measurement.traffic_model)},
                 {"bytes_per_second", measurement.bytes_per_second()},
                 {"flops_per_second", measurement.flops_per_second()}};
  if (measurement.ceiling) {
    object["ceiling"] = to_object(*measurement.ceiling);
    object["percent_of_bankfull"] = measurement.percent_of_bankfull().value_or(0.0);
  }
  object["fits_cache"] = measurement.fits_cache;
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

Json context(const std::string& command_line, const RankSurvey& ranks) {
  Json object = {{"date", utc_now()}, {"command", command_line}};
  for (const FactGroup& group : context_facts()) {
    object[group.key] = to_object(group.facts);
  }
  object["ranks"] = to_object(rank_facts(ranks).facts);
  return object;
}

}  // namespace

std::string to_json(const RunResult& result, const std::string& command_line,
                    const RankSurvey& ranks) {
  const char* verdict =
      result.checks.empty() ? "not applicable" : (result.verified() ? "verified" : "failed");
  const Json document = {
      {"schema", "bankfull/run-result"},
      {"schema_version", run_result_schema_version},
      {"workload", result.workload},
      {"verdict", verdict},
      {"context", context(command_line, ranks)},
      {"problem", to_object(result.problem)},
      {"verification", to_array(result.checks)},
      {"measurements", to_array(result.measurements)},
      {"series", to_array(result.series)},
      {"notes", result.notes},
  };
  return document.dump(2) + "\n";
}

}  // namespace bankfull
