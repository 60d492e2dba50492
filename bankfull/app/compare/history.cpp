#include "bankfull/app/compare/history.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull::compare {
namespace {

Group group_of(const Course& course, const std::vector<std::size_t>& entries) {
  Group group{.subject = course.subject};
  for (const std::size_t entry : entries) {
    group.occurrences.push_back(course.entries[entry].occurrence);
  }
  return group;
}

/// The indices of entries that count, in [from, to).
std::vector<std::size_t> counting(const Course& course, std::size_t from, std::size_t to) {
  std::vector<std::size_t> indices;
  for (std::size_t n = from; n < to; ++n) {
    if (course.entries[n].defect.empty()) {
      indices.push_back(n);
    }
  }
  return indices;
}

double median_of(const Course& course, const std::vector<std::size_t>& entries) {
  std::vector<double> seconds;
  seconds.reserve(entries.size());
  for (const std::size_t entry : entries) {
    seconds.push_back(course.entries[entry].seconds);
  }
  return summarise(seconds).median;
}

Entry entry_of(const Course& course, const Occurrence& occurrence) {
  const Side itself =
      figures_of({.subject = course.subject, .occurrences = {occurrence}}, course.unit);
  return {.occurrence = occurrence,
          .seconds = itself.seconds,
          .percent = itself.percent,
          .defect = why_invalid(*occurrence.run),
          .noisy = occurrence.measurement->quietness.noisy()};
}

void add_ratios(Course& course) {
  for (std::size_t n = 1; n < course.entries.size(); ++n) {
    const std::vector<std::size_t> before = counting(course, 0, n);
    if (!before.empty() && course.entries[n].seconds > 0.0) {
      course.entries[n].ratio = median_of(course, before) / course.entries[n].seconds;
    }
  }
}

bool is_step(Outcome outcome) { return outcome == Outcome::slower || outcome == Outcome::faster; }

/// A single run may be off for reasons of its own: the one after it must be so, too, unless there
/// is none.
bool is_lasting(const Course& course, const std::vector<std::size_t>& segment, std::size_t entry,
                const Change& change, double threshold) {
  const std::vector<std::size_t> after = counting(course, entry + 1, course.entries.size());
  if (after.empty()) {
    return true;
  }
  const double ratio = median_of(course, segment) / course.entries[after.front()].seconds;
  return change.outcome == Outcome::slower ? ratio < 1.0 - threshold : ratio > 1.0 + threshold;
}

void add_steps(Course& course, double threshold) {
  std::size_t begin = 0;
  for (const std::size_t n : counting(course, 1, course.entries.size())) {
    const std::vector<std::size_t> segment = counting(course, begin, n);
    if (segment.empty()) {
      continue;
    }
    const Group before = group_of(course, segment);
    const Group after = group_of(course, {n});
    // Intervals take long, and of most runs the ratio tells enough.
    if (std::abs(ratio_of_medians(before, after) - 1.0) <= threshold) {
      continue;
    }
    Change change = compare_groups(before, after, threshold);
    if (is_step(change.outcome) && is_lasting(course, segment, n, change, threshold)) {
      const RecordedRun* const last = course.entries[segment.back()].occurrence.run;
      course.steps.push_back(
          {.entry = n,
           .change = std::move(change),
           .differences = differences({last}, {course.entries[n].occurrence.run})});
      begin = n;
    }
  }
}

Course course_of(Group group, std::size_t last, double threshold) {
  std::ranges::stable_sort(group.occurrences, {},
                           [](const Occurrence& occurrence) { return occurrence.run->date; });
  if (group.occurrences.size() > last) {
    group.occurrences.erase(group.occurrences.begin(),
                            group.occurrences.end() - static_cast<std::ptrdiff_t>(last));
  }
  Course course{.subject = group.subject, .unit = common_unit(group, group)};
  for (const Occurrence& occurrence : group.occurrences) {
    course.entries.push_back(entry_of(course, occurrence));
  }
  std::erase_if(course.entries, [](const Entry& entry) { return entry.seconds <= 0.0; });
  add_ratios(course);
  add_steps(course, threshold);
  const std::size_t count = course.entries.size();
  const std::vector<std::size_t> before = counting(course, 0, std::max<std::size_t>(count, 1) - 1);
  if (!before.empty()) {
    course.latest =
        compare_groups(group_of(course, before), group_of(course, {count - 1}), threshold);
  }
  return course;
}

}  // namespace

std::vector<Course> courses_of(const std::vector<RecordedRun>& runs, std::size_t last,
                               double threshold) {
  std::vector<Course> courses;
  for (Group& group : measurements_of(runs)) {
    Course course = course_of(std::move(group), last, threshold);
    if (!course.entries.empty()) {
      courses.push_back(std::move(course));
    }
  }
  return courses;
}

}  // namespace bankfull::compare
