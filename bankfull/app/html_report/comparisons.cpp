#include "bankfull/app/html_report/comparisons.hpp"

#include "bankfull/app/html_report/labels.hpp"

#include <utility>

namespace bankfull::html_report {
namespace {

/// A GPU and a processor are not compared.
bool of_one_kind(const compare::Subject& one, const compare::Subject& other) {
  return one.place.contains("GPU") == other.place.contains("GPU");
}

/// Charts have those of one device together.
void set_labels(std::vector<Comparison>& all) {
  std::vector<Unlabelled> things;
  for (const Comparison& one : all) {
    const compare::Subject& subject = one.change.subject;
    things.push_back({.group = {subject.place_text(), one.device_before, subject.workload},
                      .name = subject.name,
                      .settings = &subject.identity});
  }
  const std::vector<std::string> labels = labels_within_groups(things);
  for (std::size_t n = 0; n < all.size(); ++n) {
    all[n].label = labels[n];
  }
}

}  // namespace

std::vector<Comparison> comparisons_of(const std::vector<ReportRun>& runs,
                                       const std::vector<ReportRun>& baseline) {
  const std::vector<recorded::RecordedRun> old_runs = recorded_in(baseline);
  const std::vector<recorded::RecordedRun> new_runs = recorded_in(runs);
  const compare::Matches matches =
      compare::match(compare::measurements_of(old_runs), compare::measurements_of(new_runs));
  std::vector<Comparison> all;
  for (const auto& [before, after] : matches.pairs) {
    if (!of_one_kind(before.subject, after.subject)) {
      continue;
    }
    constexpr double threshold = 0.01 * compare::default_threshold_percent;
    all.push_back({.label = {},
                   .device_before = before.subject.place_text(),
                   .change = compare::compare_groups(before, after, threshold)});
  }
  set_labels(all);
  return all;
}

}  // namespace bankfull::html_report
