#include "bankfull/app/probe_report.hpp"

#include "bankfull/app/chart.hpp"
#include "bankfull/app/report.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull {
namespace {

/// The first series whose name begins so, or null.
const Series* find_series(const RunResult& result, const std::string& beginning) {
  const auto found =
      std::find_if(result.series.begin(), result.series.end(),
                   [&](const Series& series) { return series.name.starts_with(beginning); });
  return found == result.series.end() ? nullptr : &*found;
}

}  // namespace

std::string probe_report(const RunResult& result) {
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
