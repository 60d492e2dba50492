#include "bankfull/app/probe_report.hpp"

#include "bankfull/app/chart.hpp"
#include "bankfull/app/report.hpp"
#include "bankfull/app/table.hpp"
#include "bankfull/core/base/figure.hpp"
#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace bankfull {
namespace {

/// The first series whose name begins so, or null.
const Series* find_series(const RunResult& result, const std::string& beginning) {
  const auto found =
      std::find_if(result.series.begin(), result.series.end(),
                   [&](const Series& series) { return series.name.starts_with(beginning); });
  return found == result.series.end() ? nullptr : &*found;
}

/// One row a message size, one column a link: the series whose names begin so, which all have the
/// same sizes.
std::string link_table(const RunResult& result, const std::string& beginning,
                       const std::function<std::string(double)>& show) {
  std::vector<std::string> headings{"message"};
  std::vector<std::vector<std::string>> rows;
  for (const Series& series : result.series) {
    if (!series.name.starts_with(beginning)) {
      continue;
    }
    headings.push_back(series.name.substr(beginning.size()));
    rows.resize(series.points.size());
    for (std::size_t n = 0; n < rows.size(); ++n) {
      if (rows[n].empty()) {
        rows[n].push_back(format_bytes(series.points[n].first));
      }
      rows[n].push_back(show(series.points[n].second));
    }
  }
  Table table(std::move(headings));
  for (std::vector<std::string>& row : rows) {
    table.add_row(std::move(row));
  }
  return table.text();
}

std::string link_report(const RunResult& result) {
  std::string text =
      "time of an exchange\n" + link_table(result, "exchange time, ", format_seconds);
  text += "\nGB/s that a rank sends\n" + link_table(result, "bandwidth, ", [](double rate) {
            return fmt::format("{:.3g}", rate * 1e-9);
          });
  for (const Series& series : result.series) {
    if (series.name.starts_with("bandwidth, ring")) {
      text += fmt::format("\n{}", text_chart(series));
    }
  }
  return text + "\n";
}

/// The matrix that a series is a row of; empty if of none.
std::string matrix_of(const Series& series) {
  const Figure* matrix = find_figure(series.parameters, "matrix");
  return matrix == nullptr ? std::string() : std::get<std::string>(matrix->value);
}

std::string cell_text(const Series& row, double column) {
  for (const auto& [x, y] : row.points) {
    if (x == column) {
      return fmt::format("{:.3g}", row.y_unit == "B/s" ? y * 1e-9 : y);
    }
  }
  return "-";
}

/// One row and one column per place: the series of one matrix.
std::string matrix_table(const std::vector<const Series*>& rows) {
  std::set<double> columns;
  for (const Series* row : rows) {
    for (const auto& [x, y] : row->points) {
      columns.insert(x);
    }
  }
  const Series& first = *rows.front();
  const std::string row_name = first.parameters.back().name;
  std::vector<std::string> headings{fmt::format("{} \\ {}", row_name, first.x_name)};
  for (const double column : columns) {
    headings.push_back(fmt::format("{:.0f}", column));
  }
  Table table(std::move(headings));
  for (const Series* row : rows) {
    std::vector<std::string> cells{
        fmt::format("{}", std::get<std::int64_t>(row->parameters.back().value))};
    for (const double column : columns) {
      cells.push_back(cell_text(*row, column));
    }
    table.add_row(std::move(cells));
  }
  return fmt::format("{}, {}\n{}\n", matrix_of(first),
                     first.y_unit == "B/s" ? "GB/s" : first.y_unit, table.text());
}

/// All matrices of a result, those of one pair left out: their measurement says the same.
std::string matrices(const RunResult& result) {
  std::vector<std::pair<std::string, std::vector<const Series*>>> found;
  for (const Series& series : result.series) {
    const std::string name = matrix_of(series);
    if (name.empty()) {
      continue;
    }
    if (found.empty() || found.back().first != name) {
      found.emplace_back(name, std::vector<const Series*>{});
    }
    found.back().second.push_back(&series);
  }
  std::string text;
  for (const auto& [name, rows] : found) {
    if (rows.size() > 1 || rows.front()->points.size() > 1) {
      text += matrix_table(rows);
    }
  }
  return text;
}

/// Figures of parts of a chip, which the table of measurements does not show.
std::string chip_table(const RunResult& result) {
  const std::vector<std::pair<std::string, std::string>> columns{
      {"per_clock_and_multiprocessor", "B/clock"},
      {"latency_in_clocks", "clocks"},
      {"atomic_latency_in_clocks", "atomic, clocks"},
      {"in_flight_at_90_percent", "in flight, B"},
      {"latency_times_bandwidth", "Little, B"}};
  Table table({"inside the chip", "figure", "value"});
  bool any = false;
  for (const Measurement& m : result.measurements) {
    for (const auto& [name, heading] : columns) {
      if (const Figure* figure = find_figure(m.figures, name)) {
        table.add_row({m.name, heading, fmt::format("{:.4g}", std::get<double>(figure->value))});
        any = true;
      }
    }
  }
  return any ? table.text() + "\n" : std::string();
}

/// The curves by bytes in flight, whose largest values are alike: that of most loads per thread.
std::string flight_chart(const RunResult& result) {
  const Series* last = nullptr;
  for (const Series& series : result.series) {
    last = series.name.starts_with("bandwidth by bytes in flight") ? &series : last;
  }
  return last == nullptr ? std::string() : text_chart(*last) + "\n";
}

}  // namespace

std::string probe_report(const RunResult& result) {
  if (find_series(result, "exchange time, ") != nullptr) {
    return link_report(result);
  }
  std::string text;
  for (const char* beginning : {"bandwidth, triad", "bandwidth, copy", "bandwidth, "}) {
    if (const Series* series = find_series(result, beginning)) {
      text += text_chart(*series) + "\n";
      break;
    }
  }
  if (const Series* series = find_series(result, "latency, ")) {
    text += text_chart(*series, {.log_values = true}) + "\n";
  }
  text += flight_chart(result) + chip_table(result) + matrices(result);
  return text + "plateaus found\n" + report_notes(result) + "\n";
}

}  // namespace bankfull
