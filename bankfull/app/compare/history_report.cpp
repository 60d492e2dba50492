#include "bankfull/app/compare/history_report.hpp"

#include "bankfull/app/compare/comparison_report.hpp"
#include "bankfull/app/result_lines.hpp"
#include "bankfull/app/table.hpp"
#include "bankfull/core/base/printable.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bankfull::compare {
namespace {

constexpr std::size_t longest_value = 60;
constexpr double least_range = 0.1;  // of the median

const RecordedRun& run_of(const Entry& entry) { return *entry.occurrence.run; }

std::string change_text(const Change& change) {
  const double percent = 100.0 * std::abs(change.ratio.value - 1.0);
  return fmt::format("{:.1f} % {}", percent, to_string(change.outcome));
}

std::string table_of(const Course& course) {
  Table table({"date", "revision", "driver", "per " + to_string(course.unit), "of bankfull",
               "by those before", "remark"});
  for (std::size_t n = 0; n < course.entries.size(); ++n) {
    const Entry& entry = course.entries[n];
    table.add_row({run_of(entry).date,
                   recorded::fact(run_of(entry), "build", "revision").value_or("-"),
                   recorded::fact(run_of(entry), "system", "driver").value_or("-"),
                   speed_text(entry.seconds, course.unit), percent_text(entry.percent),
                   entry.ratio ? fmt::format("{:.3f}", *entry.ratio) : "-", remark_on(course, n)});
  }
  return table.text();
}

/// The speeds of runs by their median; those that count.
std::vector<double> speeds_of(const Course& course) {
  std::vector<double> speeds;
  for (const Entry& entry : course.entries) {
    if (entry.defect.empty()) {
      speeds.push_back(1.0 / entry.seconds);
    }
  }
  if (!speeds.empty()) {
    const double median = summarise(speeds).median;
    std::ranges::transform(speeds, speeds.begin(), [&](double speed) { return speed / median; });
  }
  return speeds;
}

std::string trend_of(const Course& course) {
  const std::vector<double> speeds = speeds_of(course);
  if (speeds.size() < 2) {
    return {};
  }
  const auto [least, most] = std::ranges::minmax(speeds);
  return fmt::format("  speed {}  {:.1f} to {:.1f} % of the median\n", bars(speeds, least_range),
                     100.0 * least, 100.0 * most);
}

std::string steps_of(const Course& course) {
  std::string text;
  for (const Step& step : course.steps) {
    const int runs = step.change.before.runs;
    text += fmt::format("  {}: {} than the {} before; {}\n",
                        run_of(course.entries[step.entry]).date, change_text(step.change),
                        runs == 1 ? "run" : fmt::format("{} runs", runs), changes_at(step));
  }
  return text;
}

std::string verdict_on(const Course& course) {
  if (!course.latest) {
    return "  the only run\n";
  }
  const Change& latest = *course.latest;
  const std::string why = latest.reason.empty() ? "" : ": " + one_line(latest.reason);
  return fmt::format("  the latest by the median of those before: {:.3f}, {}{}\n",
                     latest.ratio.value, to_string(latest.outcome), why);
}

}  // namespace

std::string remark_on(const Course& course, std::size_t entry) {
  std::vector<std::string> marks;
  for (const Step& step : course.steps) {
    if (step.entry == entry) {
      marks.push_back("step: " + change_text(step.change));
    }
  }
  if (!course.entries[entry].defect.empty()) {
    marks.push_back("invalid: " + course.entries[entry].defect);
  } else if (course.entries[entry].noisy) {
    marks.emplace_back("noisy");
  }
  return fmt::format("{}", fmt::join(marks, ", "));
}

std::string changes_at(const Step& step) {
  std::vector<std::string> changes;
  for (const Difference& difference : step.differences) {
    if (difference.what != "date") {
      changes.push_back(fmt::format("{} {} -> {}", difference.what,
                                    printable(joined(difference.old_values), longest_value),
                                    printable(joined(difference.new_values), longest_value)));
    }
  }
  return changes.empty() ? "nothing that is recorded changed"
                         : fmt::format("changed: {}", fmt::join(changes, "; "));
}

std::string bars(const std::vector<double>& values, double least_range) {
  static constexpr std::array steps{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (values.empty()) {
    return {};
  }
  const auto [least, most] = std::ranges::minmax(values);
  const double range = std::max(most - least, least_range);
  const double lowest = 0.5 * (least + most - range);
  std::string text;
  for (const double value : values) {
    const double share = range > 0.0 ? (value - lowest) / range : 1.0;
    text += steps[static_cast<std::size_t>(std::lround(share * (steps.size() - 1)))];
  }
  return text;
}

std::string report_course(const Course& course) {
  return one_line(course.subject.text()) + "\n" + table_of(course) + trend_of(course) +
         steps_of(course) + verdict_on(course);
}

std::string course_line(const Course& course, double threshold) {
  const Entry& last = course.entries.back();
  std::string text =
      fmt::format("RESULT history workload={} measurement={}",
                  result_value(course.subject.workload), result_value(course.subject.name));
  text += place_keys(course.subject);
  text += fmt::format(" per={} runs={} date={} seconds={:.6g}", to_string(course.unit),
                      course.entries.size(), result_value(run_of(last).date), last.seconds);
  if (last.percent) {
    text += fmt::format(" percent={:.6g}", *last.percent);
  }
  if (course.latest) {
    text += fmt::format(" ratio={:.6g}", course.latest->ratio.value);
    if (course.latest->ratio.interval) {
      text += fmt::format(" low={:.6g} high={:.6g}", course.latest->ratio.interval->low,
                          course.latest->ratio.interval->high);
    }
  }
  return text + fmt::format(" steps={} threshold_percent={:g} verdict={}\n", course.steps.size(),
                            100.0 * threshold,
                            course.latest ? to_string(course.latest->outcome) : "only_run");
}

}  // namespace bankfull::compare
