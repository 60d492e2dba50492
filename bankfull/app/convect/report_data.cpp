#include "bankfull/app/convect/report_data.hpp"

#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

namespace bankfull::convect {
namespace {

using Json = nlohmann::ordered_json;

constexpr int schema_version = 1;
constexpr std::size_t max_warnings = 50;
constexpr std::size_t max_averages = 200;
constexpr std::size_t max_pictures = 200;  // of a slice
constexpr std::size_t longest_case = 100'000;
constexpr int stops_of_colour_bar = 9;

const std::vector<std::string>& averaged_columns() {
  static const std::vector<std::string> names{"nusselt_lower", "nusselt_upper", "nusselt_volume",
                                              "nusselt_thermal", "nusselt_kinetic"};
  return names;
}

/// So many that all columns together stay within some hundred thousand numbers.
std::size_t max_buckets(const std::string& series_heading) {
  const auto columns = static_cast<std::size_t>(std::ranges::count(series_heading, ',')) + 1;
  return std::clamp<std::size_t>(50'000 / columns, 50, 500);
}

/// As many digits as a chart can show: the file is half as large.
Json rounded(double value) {
  return std::isfinite(value) ? Json(std::strtod(fmt::format("{:.7g}", value).c_str(), nullptr))
                              : Json();
}

Json rounded(const std::optional<double>& value) { return value ? rounded(*value) : Json(); }

template <class Value>
Json rounded_list(const std::vector<Value>& values, std::size_t stride = 1) {
  Json list = Json::array();
  for (std::size_t n = 0; n < values.size(); n += stride) {
    list.push_back(rounded(values[n]));
  }
  return list;
}

/// Numbers as numbers, to the last digit.
Json of_cell(const std::string& cell) {
  if (cell.empty()) {
    return {};
  }
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  return *end == '\0' && std::isfinite(value) ? Json(value) : Json(cell);
}

Json to_json(const ReportSeries& series) {
  Json columns = Json::object();
  Json last = Json::object();
  for (std::size_t n = 0; n < series.names().size(); ++n) {
    const std::string& name = series.names()[n];
    last[name] = series.rows() > 0 ? of_cell(series.last()[n]) : Json();
    const std::vector<std::optional<double>> values = series.column(n);
    if (std::ranges::any_of(values, [](const auto& value) { return value.has_value(); })) {
      columns[name] = rounded_list(values);
    }
  }
  return {{"rows", series.rows()}, {"columns", columns}, {"last", last}};
}

Json averages_of(const ReportSeries& series) {
  Json all = Json::object();
  for (const std::string& name : averaged_columns()) {
    Json times = Json::array();
    Json means = Json::array();
    Json errors = Json::array();
    for (const ReportSeries::Average& average : series.averages(name, max_averages)) {
      times.push_back(rounded(average.time));
      means.push_back(rounded(average.mean));
      errors.push_back(rounded(average.error));
    }
    if (!times.empty()) {
      all[name] = {{"time", times}, {"mean", means}, {"error", errors}};
    }
  }
  return all;
}

Json colour_bar(ColourMap map) {
  Json colours = Json::array();
  for (int n = 0; n < stops_of_colour_bar; ++n) {
    const Colour colour = colour_at(map, static_cast<double>(n) / (stops_of_colour_bar - 1));
    colours.push_back(fmt::format("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2]));
  }
  return colours;
}

/// Every so many places, that all columns together stay within some hundred thousand numbers.
std::size_t stride_of(const std::vector<convection::Profile>& profiles) {
  std::size_t numbers = 0;
  for (const convection::Profile& profile : profiles) {
    for (const convection::ProfileTable& table : profile.tables) {
      numbers += table.places.size() * (1 + 2 * table.columns.size());
    }
  }
  return 1 + numbers / 100'000;
}

Json to_json(const convection::ProfileTable& table, std::size_t stride) {
  Json columns = Json::array();
  for (const convection::ProfileColumn& column : table.columns) {
    if (column.name != "width") {
      columns.push_back({{"name", column.name},
                         {"unit", column.unit},
                         {"values", rounded_list(column.values, stride)},
                         {"errors", rounded_list(column.errors, stride)}});
    }
  }
  return {{"on_faces", table.on_faces},
          {"places", rounded_list(table.places, stride)},
          {"columns", columns}};
}

Json to_json(const std::vector<convection::Profile>& profiles) {
  const std::size_t stride = stride_of(profiles);
  Json all = Json::array();
  for (const convection::Profile& profile : profiles) {
    Json tables = Json::array();
    for (const convection::ProfileTable& table : profile.tables) {
      tables.push_back(to_json(table, stride));
    }
    all.push_back({{"window", profile.window},
                   {"axis", convection::axis_names[profile.axis]},
                   {"from", profile.from},
                   {"until", profile.until},
                   {"samples", profile.samples},
                   {"tables", tables}});
  }
  return all;
}

/// What run.json says about the machine is for the record, not for who is shown a report: paths and
/// variables of its user are among it.
Json without_context(const std::string& result) {
  Json document = Json::parse(result);
  document.erase("context");
  return document;
}

}  // namespace

ReportFacts physics_facts(const Case& run) {
  ReportFacts facts;
  const toml::table table = toml::parse(run.resolved);
  if (const toml::table* physics = table["physics"].as_table()) {
    for (const auto& [key, value] : *physics) {
      if (value.is_number()) {
        facts.emplace_back(key.str(), fmt::format("{:.6g}", value.value_or(0.0)));
      }
    }
  }
  return facts;
}

ReportData::ReportData(const Case& run, ReportFacts facts, const std::string& series_heading,
                       std::vector<std::string> slice_names)
    : run_(&run),
      facts_(std::move(facts)),
      slice_names_(std::move(slice_names)),
      series_(series_heading, averaged_columns(), max_buckets(series_heading)),
      pictures_(slice_names_.size()) {}

void ReportData::add_picture(const std::string& line) {
  const std::vector<std::string> cells = parts_of(line, ',');
  constexpr std::size_t columns = 7;  // file, time, field, normal, at, least, most
  if (cells.size() != columns) {
    return;
  }
  const std::string name = cells[0].substr(cells[0].find('/') + 1);
  const auto slice = std::ranges::find(slice_names_, name.substr(0, name.rfind('-')));
  if (slice != slice_names_.end()) {
    pictures_[static_cast<std::size_t>(slice - slice_names_.begin())].push_back(
        {cells[0], std::strtod(cells[1].c_str(), nullptr), std::strtod(cells[5].c_str(), nullptr),
         std::strtod(cells[6].c_str(), nullptr)});
  }
}

void ReportData::set_resolution(const convection::Resolution& resolution) {
  using Bounds = convection::ResolutionBounds;
  resolution_.clear();
  const auto add = [this](const char* name, const std::optional<double>& value, double bound) {
    if (value) {
      resolution_.push_back({name, *value, bound});
    }
  };
  add("cell_over_batchelor", resolution.cell_over_batchelor, Bounds::cell_over_batchelor);
  add("cell_in_boundary_layer", resolution.cell_in_boundary_layer, Bounds::cell_in_boundary_layer);
  add("overshoot", resolution.overshoot, Bounds::overshoot);
  add("cell_over_gradients", resolution.cell_over_gradients, Bounds::cell_over_gradients);
  add("rounding", resolution.rounding, Bounds::rounding);
}

void ReportData::add_warning(const std::string& warning) {
  if (warnings_.size() < max_warnings) {
    warnings_.push_back(warning);
  }
}

void ReportData::fail(const std::string& why) {
  if (result_.empty()) {
    failure_ = why;
  } else {
    add_warning(why);
  }
}

/// How far the run is; what Nusselt numbers may end earlier is not foreseen.
double ReportData::part() const {
  if (series_.rows() == 0) {
    return 0.0;
  }
  const auto last = [this](const char* name) {
    const auto column = std::ranges::find(series_.names(), name) - series_.names().begin();
    return std::strtod(series_.last()[static_cast<std::size_t>(column)].c_str(), nullptr);
  };
  const convection::Problem& problem = run_->problem;
  const double by_steps =
      problem.steps > 0 ? last("step") / static_cast<double>(problem.steps) : 0.0;
  const double by_time = problem.end_time > 0.0 ? last("time") / problem.end_time : 0.0;
  return std::min(1.0, std::max(by_steps, by_time));
}

Json ReportData::pictures() const {
  Json all = Json::array();
  for (std::size_t n = 0; n < pictures_.size(); ++n) {
    const std::vector<Picture>& pictures = pictures_[n];
    if (pictures.empty()) {
      continue;
    }
    const std::size_t stride = (pictures.size() + max_pictures - 1) / max_pictures;
    Json files = Json::array();
    for (std::size_t p = (pictures.size() - 1) % stride; p < pictures.size(); p += stride) {
      files.push_back({{"file", pictures[p].file},
                       {"time", pictures[p].time},
                       {"least", pictures[p].least},
                       {"most", pictures[p].most}});
    }
    const SliceRequest& slice = run_->slices[n];
    all.push_back({{"name", slice_names_[n]},
                   {"field", slice.field},
                   {"normal", convection::axis_names[static_cast<std::size_t>(slice.normal)]},
                   {"at", slice.position},
                   // A frame has its own bar.
                   {"colours", run_->frames ? Json::array() : colour_bar(slice.colours)},
                   {"files", files}});
  }
  return all;
}

Json ReportData::document(const Moment& moment) const {
  const bool has_ended = !result_.empty();
  Json facts = Json::array();
  for (const auto& [name, value] : facts_) {
    facts.push_back({name, value});
  }
  Json resolution = Json::array();
  for (const Bound& bound : resolution_) {
    resolution.push_back({{"name", bound.name}, {"value", bound.value}, {"bound", bound.bound}});
  }
  Json document{{"schema", "bankfull/convect-report"},
                {"schema_version", schema_version},
                {"name", run_->problem.name},
                {"title", run_->title},
                {"version", build_facts().version},
                {"state", has_ended          ? "ended"
                          : failure_.empty() ? "running"
                                             : "failed"},
                {"failure", failure_},
                {"written", moment.written},
                {"expected_within", moment.expected_within},
                {"progress",
                 {{"part", part()},
                  {"part_at_begin", part_at_begin_},
                  {"seconds", moment.seconds},
                  {"seconds_before", seconds_before_},
                  {"steps", run_->problem.steps},
                  {"end_time", run_->problem.end_time}}},
                {"facts", facts},
                {"warnings", warnings_},
                {"series", to_json(series_)},
                {"averages", averages_of(series_)},
                {"resolution", resolution},
                {"pictures", pictures()},
                {"profiles", to_json(profiles_)}};
  if (run_->resolved.size() <= longest_case) {
    document["case"] = run_->resolved;
  }
  if (has_ended) {
    document["result"] = without_context(result_);
  }
  return document;
}

std::string ReportData::script(const Moment& moment) const {
  // Titles and paths may hold bytes that are no UTF-8.
  return "bankfullReport(" + document(moment).dump(-1, ' ', false, Json::error_handler_t::replace) +
         ");\n";
}

}  // namespace bankfull::convect
