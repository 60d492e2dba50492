#include "bankfull/app/compare/comparison_report.hpp"

#include "bankfull/app/result_lines.hpp"
#include "bankfull/app/table.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/base/printable.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::compare {
namespace {

constexpr std::size_t max_value_length = 60;

std::string ratio_text(const Change& change) {
  return change.ratio.value > 0.0 ? fmt::format("{:.3f}", change.ratio.value) : "-";
}

std::string interval_text(const Change& change) {
  const auto& interval = change.ratio.interval;
  return interval ? fmt::format("{:.3f} to {:.3f}", interval->low, interval->high) : "none";
}

std::string samples_text(const Side& side) {
  return side.runs == 1 ? fmt::format("{}", side.samples)
                        : fmt::format("{} of {} runs", side.samples, side.runs);
}

std::string measurements_table(const std::vector<Change>& changes) {
  Table table({"measurement", "per", "OLD", "NEW", "samples", "NEW/OLD speed", "95 % interval",
               "bankfull OLD", "bankfull NEW", "verdict"});
  for (const Change& change : changes) {
    table.add_row({change.subject.name, to_string(change.unit),
                   speed_text(change.before.seconds, change.unit),
                   speed_text(change.after.seconds, change.unit),
                   samples_text(change.before) + ", " + samples_text(change.after),
                   ratio_text(change), interval_text(change), percent_text(change.before.percent),
                   percent_text(change.after.percent), to_string(change.outcome)});
  }
  return table.text();
}

std::string ceilings_table(const std::vector<Change>& changes) {
  Table table({"ceiling (median pass)", "OLD", "NEW", "samples", "NEW/OLD speed", "95 % interval",
               "verdict"});
  for (const Change& change : changes) {
    table.add_row({change.subject.name, speed_text(change.before.seconds, change.unit),
                   speed_text(change.after.seconds, change.unit),
                   samples_text(change.before) + ", " + samples_text(change.after),
                   ratio_text(change), interval_text(change), to_string(change.outcome)});
  }
  return table.text();
}

/// Why verdicts are what they are, one line for each that needs it.
std::string reasons(const std::vector<Change>& changes) {
  std::string text;
  for (const Change& change : changes) {
    if (!change.reason.empty()) {
      text += fmt::format("  {}: {}: {}\n", to_string(change.outcome), change.subject.name,
                          one_line(change.reason));
    }
  }
  return text;
}

std::string strangers(const std::vector<Subject>& subjects, const char* side) {
  std::string text;
  for (const Subject& subject : subjects) {
    text += fmt::format("  only in {}: {}\n", side, one_line(subject.text()));
  }
  return text;
}

int count(const Comparison& comparison, Outcome outcome) {
  const auto is_it = [&](const Change& change) { return change.outcome == outcome; };
  return static_cast<int>(std::ranges::count_if(comparison.measurements, is_it) +
                          std::ranges::count_if(comparison.ceilings, is_it));
}

std::string summary(const Comparison& comparison) {
  std::string text = fmt::format("  threshold {:g} %:", 100.0 * comparison.threshold);
  const char* separator = " ";
  for (const Outcome outcome :
       {Outcome::slower, Outcome::invalid, Outcome::unclear, Outcome::faster, Outcome::same}) {
    if (const int number = count(comparison, outcome); number > 0) {
      text += fmt::format("{}{} {}", separator, number, to_string(outcome));
      separator = ", ";
    }
  }
  return text + "\n";
}

std::string figures_of(const Change& change) {
  std::string text =
      fmt::format(" per={} old_seconds={:.6g} new_seconds={:.6g}", to_string(change.unit),
                  change.before.seconds, change.after.seconds);
  if (change.ratio.value > 0.0) {
    text += fmt::format(" ratio={:.6g}", change.ratio.value);
  }
  if (change.ratio.interval) {
    text += fmt::format(" low={:.6g} high={:.6g}", change.ratio.interval->low,
                        change.ratio.interval->high);
  }
  if (change.before.percent) {
    text += fmt::format(" old_percent={:.6g}", *change.before.percent);
  }
  if (change.after.percent) {
    text += fmt::format(" new_percent={:.6g}", *change.after.percent);
  }
  return text + fmt::format(" old_runs={} new_runs={} old_samples={} new_samples={}",
                            change.before.runs, change.after.runs, change.before.samples,
                            change.after.samples);
}

std::string line_of(const Change& change, double threshold) {
  const std::string text =
      fmt::format("RESULT compare workload={} measurement={}",
                  result_value(change.subject.workload), result_value(change.subject.name));
  return text + place_keys(change.subject) + figures_of(change) +
         fmt::format(" threshold_percent={:g} verdict={}\n", 100.0 * threshold,
                     to_string(change.outcome));
}

/// The regression that is worst, if any.
const Change* worst(const Comparison& comparison) {
  const Change* found = nullptr;
  for (const std::vector<Change>* changes : {&comparison.measurements, &comparison.ceilings}) {
    for (const Change& change : *changes) {
      if (change.is_regression() && (found == nullptr || change.ratio.value < found->ratio.value)) {
        found = &change;
      }
    }
  }
  return found;
}

}  // namespace

std::string speed_text(double seconds, Unit unit) {
  if (seconds <= 0.0) {
    return "-";
  }
  return unit == Unit::byte ? format_si(1.0 / seconds, "B/s") : format_seconds(seconds);
}

std::string place_keys(const Subject& subject) {
  std::string text;
  for (const auto& [name, value] : subject.place) {
    if (!value.empty()) {
      text += fmt::format(" {}={}", result_value(name), result_value(value));
    }
  }
  return text;
}

std::string percent_text(std::optional<double> percent) {
  return percent ? fmt::format("{:.1f} %", *percent) : "-";
}

std::string report_differences(const std::vector<Difference>& differences) {
  Table table({"differs", "OLD", "NEW"});
  for (const Difference& difference : differences) {
    table.add_row({difference.what, printable(joined(difference.old_values), max_value_length),
                   printable(joined(difference.new_values), max_value_length)});
  }
  return table.text();
}

std::string report_comparison(const Comparison& comparison) {
  std::string text = measurements_table(comparison.measurements) + reasons(comparison.measurements);
  if (!comparison.ceilings.empty()) {
    text += "\n" + ceilings_table(comparison.ceilings) + reasons(comparison.ceilings);
  }
  if (!comparison.differences.empty()) {
    text += "\n" + report_differences(comparison.differences);
  }
  text += strangers(comparison.only_old, "OLD") + strangers(comparison.only_new, "NEW");
  for (const std::string& unfair : comparison.unfair) {
    text += fmt::format("  compared although they differ in {}\n", one_line(unfair));
  }
  return text + summary(comparison);
}

std::string comparison_lines(const Comparison& comparison) {
  std::string text;
  for (const std::vector<Change>* changes : {&comparison.measurements, &comparison.ceilings}) {
    for (const Change& change : *changes) {
      text += line_of(change, comparison.threshold);
    }
  }
  return text;
}

std::string regression_text(const Comparison& comparison) {
  const Change* const change = worst(comparison);
  if (comparison.failed) {
    return "NEW failed its verification; its figures are not valid";
  }
  if (change == nullptr) {
    return {};
  }
  if (change->outcome == Outcome::invalid) {
    return fmt::format("{} is no result: {}", change->subject.name, change->reason);
  }
  return fmt::format("{} is {:.1f} % slower than before, beyond the threshold of {:g} %{}",
                     change->subject.name, 100.0 * (1.0 - change->ratio.value),
                     100.0 * comparison.threshold,
                     change->reason.empty() ? "" : ", although " + change->reason);
}

}  // namespace bankfull::compare
