#include "bankfull/app/html_report/histories.hpp"

#include "bankfull/app/compare/history.hpp"
#include "bankfull/app/compare/history_report.hpp"
#include "bankfull/app/html_report/kernels.hpp"
#include "bankfull/app/html_report/labels.hpp"
#include "bankfull/app/html_report/machines.hpp"
#include "bankfull/core/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace bankfull::html_report {
namespace {

constexpr double history_threshold = 0.01 * compare::default_threshold_percent;

/// The runs of a machine that say when they were, with their places in the report.
struct DatedRuns {
  std::vector<std::size_t> places;
  std::vector<recorded::RecordedRun> runs;
};

DatedRuns dated_runs(const Machine& machine, const std::vector<ReportRun>& all) {
  DatedRuns dated;
  for (const std::size_t place : machine.runs) {
    if (!all[place].run.date.empty()) {
      dated.places.push_back(place);
      dated.runs.push_back(all[place].run);
    }
  }
  return dated;
}

bool is_whole(const compare::Course& course) {
  const compare::Occurrence& first = course.entries.front().occurrence;
  return !is_part_of_run(first.run->result, *first.measurement);
}

bool has_several_dates(const compare::Course& course) {
  std::set<std::string> dates;
  for (const compare::Entry& entry : course.entries) {
    dates.insert(entry.occurrence.run->date);
  }
  return dates.size() > 1;
}

/// Of the runs that count, or of all where none does.
double median_seconds(const compare::Course& course) {
  std::vector<double> counting;
  std::vector<double> all;
  for (const compare::Entry& entry : course.entries) {
    all.push_back(entry.seconds);
    if (entry.defect.empty()) {
      counting.push_back(entry.seconds);
    }
  }
  return summarise(counting.empty() ? all : counting).median;
}

double size_of(const compare::Change& change) {
  const bool is_one =
      change.outcome == compare::Outcome::slower || change.outcome == compare::Outcome::faster;
  return is_one ? std::abs(std::log(change.ratio.value)) : 0.0;
}

double largest_change_of(const compare::Course& course) {
  double largest = course.latest ? size_of(*course.latest) : 0.0;
  for (const compare::Step& step : course.steps) {
    largest = std::max(largest, size_of(step.change));
  }
  return largest;
}

HistoryPoint point_of(const compare::Course& course, std::size_t n, double median,
                      const DatedRuns& dated) {
  const compare::Entry& entry = course.entries[n];
  const auto place = static_cast<std::size_t>(entry.occurrence.run - dated.runs.data());
  HistoryPoint point{.run = dated.places[place],
                     .seconds = entry.seconds,
                     .relative = median / entry.seconds,
                     .counts = entry.defect.empty(),
                     .noisy = entry.noisy,
                     .remark = compare::remark_on(course, n)};
  const auto step = std::ranges::find(course.steps, n, &compare::Step::entry);
  if (step != course.steps.end()) {
    point.changes = compare::changes_at(*step);
  }
  return point;
}

History history_of(const compare::Course& course, std::size_t machine, const DatedRuns& dated) {
  History history{.label = course.subject.name,
                  .machine = machine,
                  .subject = course.subject,
                  .unit = course.unit,
                  .steps = course.steps.size(),
                  .latest = course.latest,
                  .largest_change = largest_change_of(course)};
  const double median = median_seconds(course);
  for (std::size_t n = 0; n < course.entries.size(); ++n) {
    history.points.push_back(point_of(course, n, median, dated));
  }
  return history;
}

void set_labels(std::vector<History>& all) {
  std::vector<Unlabelled> things;
  things.reserve(all.size());
  for (const History& one : all) {
    things.push_back(
        {.group = {std::to_string(one.machine), one.subject.place_text(), one.subject.workload},
         .name = one.subject.name,
         .settings = &one.subject.identity});
  }
  const std::vector<std::string> labels = labels_within_groups(things);
  for (std::size_t n = 0; n < all.size(); ++n) {
    all[n].label = labels[n];
  }
}

}  // namespace

std::vector<History> histories_of(const std::vector<ReportRun>& runs) {
  std::vector<History> histories;
  const std::vector<Machine> machines = machines_of(runs);
  for (std::size_t machine = 0; machine < machines.size(); ++machine) {
    const DatedRuns dated = dated_runs(machines[machine], runs);
    for (const compare::Course& course : compare::courses_of(
             dated.runs, std::numeric_limits<std::size_t>::max(), history_threshold)) {
      if (is_whole(course) && has_several_dates(course)) {
        histories.push_back(history_of(course, machine, dated));
      }
    }
  }
  set_labels(histories);
  std::ranges::stable_sort(histories, {}, [](const History& one) {
    return std::tuple(one.machine, one.subject.workload, one.subject.place_text(),
                      -one.largest_change);
  });
  return histories;
}

}  // namespace bankfull::html_report
