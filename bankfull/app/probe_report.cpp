#include "bankfull/app/probe_report.hpp"

#include "bankfull/app/chart.hpp"
#include "bankfull/app/report.hpp"
#include "bankfull/app/table.hpp"
#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
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
  return text + "plateaus found\n" + report_notes(result) + "\n";
}

}  // namespace bankfull
