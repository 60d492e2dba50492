#include "bankfull/app/html_report/report_json.hpp"

#include "bankfull/app/compare/comparison_report.hpp"
#include "bankfull/app/html_report/comparisons.hpp"
#include "bankfull/app/html_report/histories.hpp"
#include "bankfull/app/html_report/kernels.hpp"
#include "bankfull/app/html_report/machines.hpp"
#include "bankfull/app/html_report/verdicts.hpp"
#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/measure/verdict_names.hpp"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bankfull::html_report {
namespace {

using Json = nlohmann::ordered_json;

/// As many digits as anybody reads: the page is half as large.
Json rounded(double value) {
  return std::isfinite(value) ? Json(std::strtod(fmt::format("{:.7g}", value).c_str(), nullptr))
                              : Json();
}

Json rounded(const std::optional<double>& value) { return value ? rounded(*value) : Json(); }

template <class Items, class ToJson>
Json list_of(const Items& items, const ToJson& to_json) {
  Json list = Json::array();
  for (const auto& item : items) {
    list.push_back(to_json(item));
  }
  return list;
}

Json to_json(const Figure& figure) {
  const Json value = std::visit(
      [](const auto& held) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, double>) {
          return rounded(held);
        } else {
          return held;
        }
      },
      figure.value);
  return {{"name", figure.name}, {"value", value}, {"unit", figure.unit}};
}

Json figures_to_json(const std::vector<Figure>& figures) {
  return list_of(figures, [](const Figure& figure) { return to_json(figure); });
}

Json to_json(const Check& check) {
  return {{"name", check.name},
          {"value", rounded(check.value)},
          {"reference", rounded(check.reference)},
          {"tolerance", rounded(check.tolerance)},
          {"source", check.source},
          {"passed", check.passed()}};
}

Json checks_to_json(const std::vector<Check>& checks) {
  return list_of(checks, [](const Check& check) { return to_json(check); });
}

Json to_json(const Ceiling& ceiling) {
  return {{"name", ceiling.name}, {"bytes_per_second", rounded(ceiling.bytes_per_second)}};
}

Json to_json(const recorded::RecordedRun& run, const Measurement& m) {
  const Traffic& traffic = m.work.traffic;
  Json json{{"name", m.name},
            {"device", device_text(run, m)},
            {"parameters", figures_to_json(m.parameters)},
            {"seconds", rounded(m.seconds.median)},
            {"least_seconds", rounded(m.seconds.min)},
            {"most_seconds", rounded(m.seconds.max)},
            {"repeats", m.seconds.samples.size()},
            {"bytes", rounded(traffic.bytes_read + traffic.bytes_written)},
            {"flops", rounded(traffic.flops)},
            {"bytes_per_second", rounded(m.bytes_per_second())},
            {"flops_per_second", rounded(m.flops_per_second())},
            {"percent", rounded(m.percent_of_bankfull())},
            {"cache", to_string(m.cache)},
            {"disturbances", m.quietness.disturbances()},
            {"figures", figures_to_json(m.figures)},
            {"notes", m.notes}};
  json["ceiling"] = m.ceiling ? to_json(*m.ceiling) : Json();
  return json;
}

Json to_json(const Series& series) {
  return {{"name", series.name},
          {"x", {{"name", series.x_name}, {"unit", series.x_unit}}},
          {"y", {{"name", series.y_name}, {"unit", series.y_unit}}},
          {"points", list_of(series.points, [](const auto& point) {
             return Json::array({rounded(point.first), rounded(point.second)});
           })}};
}

Json to_json(const Picture& picture) {
  return {{"slice", picture.slice}, {"time", picture.time}, {"place", picture.place},
          {"least", picture.least}, {"most", picture.most}, {"url", picture.data_url}};
}

Json to_json(const ReportRun& one) {
  const recorded::RecordedRun& run = one.run;
  const RunResult& result = run.result;
  return {
      {"file", run.file.filename().string()},
      {"workload", result.workload},
      {"date", run.date},
      {"command", run.command},
      {"device", device_text(run)},
      {"verdict", verdict_names.to_string(result.verdict())},
      {"noisy", result.noisy()},
      {"limits", result.machine.limits()},
      {"ended_by", result.ended_by},
      {"problem", figures_to_json(result.problem)},
      {"measurements",
       list_of(result.measurements, [&](const Measurement& m) { return to_json(run, m); })},
      {"series", list_of(result.series, [](const Series& series) { return to_json(series); })},
      {"checks", checks_to_json(result.checks)},
      {"resolution", checks_to_json(result.resolution)},
      {"notes", result.notes},
      {"pictures", list_of(one.pictures, [](const Picture& picture) { return to_json(picture); })}};
}

Json to_json(const std::vector<CacheLevel>& levels) {
  return list_of(levels, [](const CacheLevel& level) {
    return Json{{"name", level.name}, {"bytes_each", level.bytes_each}, {"bytes", level.bytes}};
  });
}

Json to_json(const Machine& machine) {
  return {{"name", machine.name},
          {"facts", list_of(machine.facts,
                            [](const auto& one) {
                              return Json::array({one.first, one.second});
                            })},
          {"cpu_caches", to_json(machine.cpu_caches)},
          {"gpu_caches", to_json(machine.gpu_caches)},
          {"runs", machine.runs}};
}

Json to_json(const Kernel& kernel) {
  return {{"label", kernel.label},
          {"workload", kernel.workload},
          {"device", kernel.device},
          {"is_part", kernel.is_part},
          {"places", list_of(kernel.places, [](const Place& place) {
             return Json::array({place.run, place.measurement});
           })}};
}

Json to_json(const compare::Change& change) {
  const auto bound = [&](double compare::Interval::*end) {
    return change.ratio.interval ? rounded((*change.ratio.interval).*end) : Json();
  };
  return {{"now", compare::speed_text(change.after.seconds, change.unit)},
          {"before", compare::speed_text(change.before.seconds, change.unit)},
          {"unit", compare::to_string(change.unit)},
          {"ratio", rounded(change.ratio.value)},
          {"low", bound(&compare::Interval::low)},
          {"high", bound(&compare::Interval::high)},
          {"outcome", compare::to_string(change.outcome)},
          {"reason", change.reason}};
}

Json to_json(const Comparison& one) {
  Json json{{"label", one.label},
            {"workload", one.change.subject.workload},
            {"device", one.change.subject.place_text()},
            {"device_before", one.device_before}};
  json.update(to_json(one.change));
  return json;
}

Json to_json(const History& history) {
  const auto point_to_json = [&](const HistoryPoint& point) {
    return Json{{"run", point.run},
                {"speed", compare::speed_text(point.seconds, history.unit)},
                {"relative", rounded(point.relative)},
                {"counts", point.counts},
                {"noisy", point.noisy},
                {"remark", point.remark},
                {"changes", point.changes}};
  };
  return {{"label", history.label},
          {"workload", history.subject.workload},
          {"device", history.subject.place_text()},
          {"machine", history.machine},
          {"unit", compare::to_string(history.unit)},
          {"steps", history.steps},
          {"points", list_of(history.points, point_to_json)},
          {"latest", history.latest ? to_json(*history.latest) : Json()}};
}

Json to_json(const reproduce::RecordedRow& row) {
  const auto value_to_json = [](const reproduce::RecordedValue& value) {
    return Json{{"machine", value.machine},
                {"value", rounded(value.value)},
                {"ratio", rounded(value.ratio)}};
  };
  return {{"label", row.label},
          {"unit", row.unit},
          {"published", list_of(row.published, value_to_json)},
          {"ours", rounded(row.ours)},
          {"percent", rounded(row.percent)},
          {"verdict", row.verdict},
          {"noisy", row.noisy},
          {"device", row.device},
          {"reason", row.reason},
          {"note", row.note}};
}

Json to_json(const reproduce::RecordedItem& item) {
  return {
      {"id", item.id},
      {"title", item.title},
      {"shows", item.shows},
      {"instead", item.instead},
      {"note", item.note},
      {"rows", list_of(item.rows, [](const reproduce::RecordedRow& row) { return to_json(row); })}};
}

Json to_json(const reproduce::RecordedReproduction& one) {
  const Counts rows = counts_of(std::vector{one});
  return {{"paper", one.paper},
          {"file", one.file.filename().string()},
          {"citation", one.citation},
          {"values_from", one.values_from},
          {"sentence", sentence(rows)},
          {"items",
           list_of(one.items, [](const reproduce::RecordedItem& item) { return to_json(item); })}};
}

Json to_json(const Fault& fault) {
  Json json{{"kind", fault.kind}, {"text", fault.text}};
  if (fault.run) {
    json["run"] = *fault.run;
  }
  return json;
}

/// Of the runs, and of the rows of reproductions, which the sentence tells of where there are any.
Json verdict_to_json(const Inputs& inputs) {
  const Counts rows = counts_of(inputs.reproductions);
  const bool has_runs = !inputs.runs.empty();
  const Counts counts = has_runs ? counts_of(inputs.runs) : rows;
  const bool has_both = has_runs && rows.runs > 0;
  return {
      {"overall", has_both ? worse(overall(counts), overall(rows)) : overall(counts)},
      {"sentence", sentence(counts) + (has_both ? " " + sentence(rows) : "")},
      {"what", counts.what + "s"},
      {"counts",
       {{"runs", counts.runs},
        {"verified", counts.verified},
        {"under-resolved", counts.under_resolved},
        {"failed", counts.failed},
        {"unchecked", counts.unchecked},
        {"noisy", counts.noisy},
        {"incomplete", counts.incomplete}}},
      {"faults", list_of(faults_of(inputs), [](const Fault& fault) { return to_json(fault); })}};
}

Json baseline_to_json(const ReportInput& input) {
  if (input.baseline.runs.empty()) {
    return {};
  }
  return {{"verdict", verdict_to_json({.runs = input.baseline.runs})},
          {"machines", list_of(machines_of(input.baseline.runs),
                               [](const Machine& machine) { return to_json(machine); })},
          {"comparisons", list_of(comparisons_of(input.inputs.runs, input.baseline.runs),
                                  [](const Comparison& one) { return to_json(one); })}};
}

/// A page ends a script at "</script", wherever that stands; JSON has a "<" in strings alone.
std::string safe_in_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char letter : json) {
    letter == '<' ? text.append("\\u003c") : text.append(1, letter);
  }
  return text;
}

}  // namespace

std::string report_json(const ReportInput& input) {
  const std::vector<ReportRun>& runs = input.inputs.runs;
  const auto in_json = [](const auto& one) { return to_json(one); };
  const Json json{{"title", input.title},
                  {"version", build_facts().version},
                  {"date", input.date},
                  {"verdict", verdict_to_json(input.inputs)},
                  {"machines", list_of(machines_of(runs), in_json)},
                  {"runs", list_of(runs, in_json)},
                  {"kernels", list_of(kernels_of(runs), in_json)},
                  {"histories", list_of(histories_of(runs), in_json)},
                  {"papers", list_of(input.inputs.reproductions, in_json)},
                  {"baseline", baseline_to_json(input)}};
  return safe_in_script(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace bankfull::html_report
