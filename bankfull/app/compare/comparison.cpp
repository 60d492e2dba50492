#include "bankfull/app/compare/comparison.hpp"

#include "bankfull/core/base/enum_names.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace bankfull::compare {
namespace {

constexpr auto outcome_names = enum_names<Outcome>({{Outcome::same, "same"},
                                                    {Outcome::faster, "faster"},
                                                    {Outcome::slower, "slower"},
                                                    {Outcome::unclear, "unclear"},
                                                    {Outcome::invalid, "invalid"}});

constexpr auto unit_names = enum_names<Unit>({{Unit::iteration, "iteration"},
                                              {Unit::step, "step"},
                                              {Unit::byte, "byte"},
                                              {Unit::repeat, "repeat"}});

/// The count of this name that a measurement did in each repeat.
std::optional<double> count_of(const Measurement& measurement, const char* name) {
  const auto count = recorded::number(measurement.parameters, name);
  return count && *count > 0.0 ? count : std::nullopt;
}

/// How many units of work a repeat did; empty: it cannot be told.
std::optional<double> units_of(const Occurrence& occurrence, Unit unit) {
  switch (unit) {
    case Unit::iteration:
      return count_of(*occurrence.measurement, "iterations");
    case Unit::step:
      return count_of(*occurrence.measurement, "steps");
    case Unit::byte: {
      const double bytes = occurrence.measurement->work.traffic.bytes();
      return bytes > 0.0 ? std::optional(bytes) : std::nullopt;
    }
    case Unit::repeat:
      break;
  }
  return 1.0;
}

bool all_tell(const Group& group, Unit unit) {
  return std::ranges::all_of(group.occurrences, [&](const Occurrence& occurrence) {
    return units_of(occurrence, unit).has_value();
  });
}

/// The samples of a measurement per unit; the median where a file has no samples.
Times times_of(const Statistics& seconds, double units) {
  Times times;
  for (const double sample : seconds.samples) {
    if (std::isfinite(sample) && sample > 0.0) {
      times.push_back(sample / units);
    }
  }
  if (times.empty() && std::isfinite(seconds.median) && seconds.median > 0.0) {
    times.push_back(seconds.median / units);
  }
  return times;
}

/// A ceiling is its fastest pass, and each pass of its best measurement moved as many bytes.
Times times_of_ceiling(const Ceiling& ceiling) {
  if (ceiling.bytes_per_second > 0.0 && ceiling.seconds.min > 0.0) {
    return times_of(ceiling.seconds, ceiling.bytes_per_second * ceiling.seconds.min);
  }
  return ceiling.bytes_per_second > 0.0 ? Times{1.0 / ceiling.bytes_per_second} : Times{};
}

std::vector<Times> times_of(const Group& group, Unit unit) {
  std::vector<Times> runs;
  for (const Occurrence& occurrence : group.occurrences) {
    Times times =
        occurrence.measurement == nullptr
            ? times_of_ceiling(*occurrence.ceiling)
            : times_of(occurrence.measurement->seconds, units_of(occurrence, unit).value_or(1.0));
    if (!times.empty()) {
      runs.push_back(std::move(times));
    }
  }
  return runs;
}

std::optional<double> percent_of(const Group& group) {
  std::vector<double> percents;
  for (const Occurrence& occurrence : group.occurrences) {
    if (occurrence.measurement != nullptr) {
      if (const auto percent = occurrence.measurement->percent_of_bankfull()) {
        percents.push_back(*percent);
      }
    }
  }
  return percents.empty() ? std::nullopt : std::optional(summarise(percents).median);
}

Side side_of(const Group& group, const std::vector<Times>& times) {
  Side side{.percent = percent_of(group), .runs = static_cast<int>(times.size())};
  for (const Times& run : times) {
    side.samples += static_cast<int>(run.size());
  }
  side.seconds = times.empty() ? 0.0 : median_over_runs(times);
  return side;
}

std::string why_any_is_invalid(const Group& group) {
  for (const Occurrence& occurrence : group.occurrences) {
    if (std::string why = why_invalid(*occurrence.run); !why.empty()) {
      return why;
    }
  }
  return {};
}

/// The first thing that disturbed a measurement; empty: nothing.
std::string disturbance_by(const Occurrence& occurrence, const Quietness& quietness) {
  if (occurrence.measurement == nullptr) {
    const double drift = occurrence.ceiling->drift();
    return drift > max_quiet_drift
               ? fmt::format("its measurements differ by {:.1f} %", 100.0 * drift)
               : "";
  }
  const std::vector<std::string> found = quietness.disturbances();
  return found.empty() ? "" : found.front();
}

std::string disturbance_of(const Occurrence& occurrence) {
  return disturbance_by(occurrence, occurrence.measurement == nullptr
                                        ? Quietness{}
                                        : occurrence.measurement->quietness);
}

/// Whether something may have slowed down all samples of a measurement alike, so that they do not
/// show it: all noise but the spread of the samples.
bool may_be_slow_throughout(const Occurrence& occurrence) {
  Quietness others =
      occurrence.measurement == nullptr ? Quietness{} : occurrence.measurement->quietness;
  others.spread = 0.0;
  return !disturbance_by(occurrence, others).empty();
}

bool may_be_slow_throughout(const Group& group) {
  return std::ranges::any_of(group.occurrences, [](const Occurrence& occurrence) {
    return may_be_slow_throughout(occurrence);
  });
}

std::string disturbance_of(const Group& group, const char* side) {
  for (const Occurrence& occurrence : group.occurrences) {
    const std::string found = disturbance_of(occurrence);
    if (!found.empty()) {
      return fmt::format("{} was noisy: {}", side, found);
    }
  }
  return {};
}

/// Noisy runs do not count where others of the group were quiet.
Group quiet_of(const Group& group) {
  Group quiet{.subject = group.subject};
  std::ranges::copy_if(
      group.occurrences, std::back_inserter(quiet.occurrences),
      [](const Occurrence& occurrence) { return disturbance_of(occurrence).empty(); });
  return quiet.occurrences.empty() ? group : quiet;
}

std::string noise_of(const Group& before, const Group& after) {
  const std::string noise = disturbance_of(before, "OLD");
  return noise.empty() ? disturbance_of(after, "NEW") : noise;
}

/// Noise takes time: what was disturbed may be faster than it seems, but not slower. So a change is
/// clear where the whole interval is beyond the threshold, unless something may have slowed down
/// all samples of the side that seems slower. See docs/adr/0031.
Outcome outcome_in_spite_of_noise(const Group& before, const Group& after, const Interval& interval,
                                  double threshold) {
  if (interval.high < 1.0 - threshold && !may_be_slow_throughout(after)) {
    return Outcome::slower;
  }
  if (interval.low > 1.0 + threshold && !may_be_slow_throughout(before)) {
    return Outcome::faster;
  }
  return Outcome::unclear;
}

void judge(const Group& before, const Group& after, double threshold, Change& change) {
  if (change.ratio.value <= 0.0) {
    change.reason = "no times";
    return;
  }
  if (!change.ratio.interval) {
    change.reason = fmt::format("no interval: fewer than {} samples", fewest_samples);
    return;
  }
  const Interval& interval = *change.ratio.interval;
  change.reason = noise_of(before, after);
  if (!change.reason.empty()) {
    change.outcome = outcome_in_spite_of_noise(before, after, interval, threshold);
    return;
  }
  const bool is_significant = !interval.contains(1.0);
  if (is_significant && change.ratio.value < 1.0 - threshold) {
    change.outcome = Outcome::slower;
  } else if (is_significant && change.ratio.value > 1.0 + threshold) {
    change.outcome = Outcome::faster;
  } else if (interval.low >= 1.0 - threshold && interval.high <= 1.0 + threshold) {
    change.outcome = Outcome::same;
  } else {
    change.reason = fmt::format("the interval reaches beyond {:g} %", 100.0 * threshold);
  }
}

std::vector<Change> compare_pairs(const Matches& matches, double threshold) {
  std::vector<Change> changes;
  changes.reserve(matches.pairs.size());
  for (const auto& [before, after] : matches.pairs) {
    changes.push_back(compare_groups(before, after, threshold));
  }
  return changes;
}

std::vector<Subject> subjects_of(const std::vector<Group>& groups) {
  std::vector<Subject> subjects;
  subjects.reserve(groups.size());
  for (const Group& group : groups) {
    subjects.push_back(group.subject);
  }
  return subjects;
}

/// The runs of matched groups, each once, in the order of `all`.
std::vector<const RecordedRun*> matched_runs(const std::vector<RecordedRun>& all,
                                             const Matches& matches) {
  std::set<const RecordedRun*> used;
  for (const auto& [before, after] : matches.pairs) {
    for (const Group* group : {&before, &after}) {
      for (const Occurrence& occurrence : group->occurrences) {
        used.insert(occurrence.run);
      }
    }
  }
  std::vector<const RecordedRun*> runs;
  for (const RecordedRun& run : all) {
    if (used.contains(&run)) {
      runs.push_back(&run);
    }
  }
  return runs;
}

std::vector<std::string> old_defects(const Matches& matches) {
  for (const auto& pair : matches.pairs) {
    const std::string why = why_any_is_invalid(pair.first);
    if (!why.empty()) {
      return {fmt::format("{} of OLD is no result: {}", pair.first.subject.name, why)};
    }
  }
  return {};
}

[[noreturn]] void refuse_strangers(const Matches& matches) {
  const auto example = [](const std::vector<Group>& groups) {
    return groups.empty() ? "nothing" : groups.front().subject.text();
  };
  throw UsageError(fmt::format("OLD and NEW have no measurement in common: OLD measured {}, NEW {}",
                               example(matches.only_old), example(matches.only_new)),
                   "compare runs of the same thing");
}

}  // namespace

std::string why_invalid(const RecordedRun& run) {
  if (!run.result.verified()) {
    return "its verification failed";
  }
  return run.result.complete() ? "" : "it was ended early by " + run.result.ended_by;
}

std::string to_string(Outcome outcome) { return outcome_names.to_string(outcome); }

std::string to_string(Unit unit) { return unit_names.to_string(unit); }

bool Comparison::has_regressions() const {
  return std::ranges::any_of(measurements, &Change::is_regression) ||
         std::ranges::any_of(ceilings, &Change::is_regression);
}

ExitCode Comparison::exit_code() const {
  if (failed) {
    return ExitCode::verification_failed;
  }
  return has_regressions() ? ExitCode::below_threshold : ExitCode::ok;
}

/// Arrays of a probe differ by some bytes, and latencies are of one load; of all other work that
/// states no iterations a repeat is the same work, however the program does it.
Unit common_unit(const Group& before, const Group& after) {
  if (before.subject.workload == ceilings_workload) {
    return Unit::byte;
  }
  for (const Unit unit : {Unit::iteration, Unit::step}) {
    if (all_tell(before, unit) && all_tell(after, unit)) {
      return unit;
    }
  }
  const bool moves_arrays =
      before.subject.workload == "probe" &&
      before.occurrences.front().measurement->name.find("latency") == std::string::npos;
  return moves_arrays && all_tell(before, Unit::byte) && all_tell(after, Unit::byte) ? Unit::byte
                                                                                     : Unit::repeat;
}

Side figures_of(const Group& group, Unit unit) { return side_of(group, times_of(group, unit)); }

double ratio_of_medians(const Group& all_before, const Group& all_after) {
  const Group before = quiet_of(all_before);
  const Group after = quiet_of(all_after);
  const Unit unit = common_unit(before, after);
  const double new_seconds = figures_of(after, unit).seconds;
  return new_seconds > 0.0 ? figures_of(before, unit).seconds / new_seconds : 0.0;
}

Change compare_groups(const Group& all_before, const Group& all_after, double threshold) {
  const Group before = quiet_of(all_before);
  const Group after = quiet_of(all_after);
  Change change{.subject = after.subject, .unit = common_unit(before, after)};
  const std::vector<Times> old_times = times_of(before, change.unit);
  const std::vector<Times> new_times = times_of(after, change.unit);
  change.before = side_of(before, old_times);
  change.after = side_of(after, new_times);
  if (!old_times.empty() && !new_times.empty()) {
    change.ratio = speed_ratio(old_times, new_times);
  }
  change.reason = why_any_is_invalid(all_after);
  if (!change.reason.empty()) {
    change.outcome = Outcome::invalid;
  } else {
    judge(before, after, threshold, change);
  }
  return change;
}

Comparison compare_runs(const std::vector<RecordedRun>& old_runs,
                        const std::vector<RecordedRun>& new_runs, double threshold) {
  const Matches matches = match(measurements_of(old_runs), measurements_of(new_runs));
  if (matches.pairs.empty()) {
    refuse_strangers(matches);
  }
  const Matches ceilings = match(ceilings_of(old_runs), ceilings_of(new_runs));
  Comparison comparison{
      .threshold = threshold,
      .measurements = compare_pairs(matches, threshold),
      .ceilings = compare_pairs(ceilings, threshold),
      .differences = differences(matched_runs(old_runs, matches), matched_runs(new_runs, matches)),
      .unfair = unfair_differences(matches),
      .only_old = subjects_of(matches.only_old),
      .only_new = subjects_of(matches.only_new),
      .failed = std::ranges::any_of(new_runs,
                                    [](const RecordedRun& run) { return !run.result.verified(); })};
  for (std::string& defect : old_defects(matches)) {
    comparison.unfair.push_back(std::move(defect));
  }
  return comparison;
}

void require_fair(const Comparison& comparison, const std::string& remedy) {
  require(comparison.unfair.empty(),
          fmt::format("OLD and NEW cannot be compared: {}", fmt::join(comparison.unfair, "; ")),
          remedy);
}

}  // namespace bankfull::compare
