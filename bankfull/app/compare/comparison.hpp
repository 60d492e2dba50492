#pragma once

#include "bankfull/app/compare/differences.hpp"
#include "bankfull/app/compare/matching.hpp"
#include "bankfull/app/compare/statistics.hpp"
#include "bankfull/core/base/error.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bankfull::compare {

/// What became of the speed of something; see docs/adr/0031.
enum class Outcome {
  same,     ///< the interval lies within the threshold
  faster,   ///< beyond the threshold, and the interval excludes 1; of noisy runs all of it beyond
  slower,   ///< likewise: a regression
  unclear,  ///< noisy, no interval, or one that reaches beyond the threshold
  invalid,  ///< new runs failed their verification, or ended early: a regression
};

std::string to_string(Outcome outcome);

/// What times are divided by: repeats may differ in work.
enum class Unit { iteration, step, byte, repeat };

std::string to_string(Unit unit);

/// The figures of one subject in the old runs, or in the new ones.
struct Side {
  double seconds = 0.0;                ///< per unit of work, median over runs
  std::optional<double> percent = {};  ///< of bankfull, likewise
  int runs = 0;
  int samples = 0;
};

/// One subject, compared.
struct Change {
  Subject subject;  ///< of the new runs
  Unit unit = Unit::repeat;
  Side before = {};
  Side after = {};
  SpeedRatio ratio = {};
  Outcome outcome = Outcome::unclear;
  std::string reason = {};  ///< why it is unclear or invalid, or what was noisy; empty otherwise

  [[nodiscard]] bool is_regression() const {
    return outcome == Outcome::slower || outcome == Outcome::invalid;
  }
};

/// Old runs and new runs of the same things.
struct Comparison {
  double threshold = 0.0;  ///< as a fraction
  std::vector<Change> measurements = {};
  std::vector<Change> ceilings = {};
  std::vector<Difference> differences = {};
  std::vector<std::string> unfair = {};  ///< what forbids the comparison: "ranks: 2 against 4"
  std::vector<Subject> only_old = {};    ///< measurements without a partner
  std::vector<Subject> only_new = {};
  bool failed = false;  ///< a new run failed its verification

  [[nodiscard]] bool has_regressions() const;

  /// verification_failed where a new run failed, or else below_threshold for regressions, or ok.
  [[nodiscard]] ExitCode exit_code() const;
};

inline constexpr double default_threshold_percent = 3.0;

/// Why the figures of a run are no results; empty: they are.
std::string why_invalid(const RecordedRun& run);

/// The unit of work that all of both groups state.
Unit common_unit(const Group& before, const Group& after);

/// The figures of all of a group.
Side figures_of(const Group& group, Unit unit);

/// The ratio that compare_groups would find, without its interval, which takes most of the time. 0
/// where there are no times.
double ratio_of_medians(const Group& before, const Group& after);

/// Compares the groups of one pair, which may be of different places. Noisy runs are left out where
/// there are quiet ones.
Change compare_groups(const Group& before, const Group& after, double threshold);

/// Compares runs by subject; `threshold` is a fraction. Throws UsageError where they have no
/// measurement in common.
Comparison compare_runs(const std::vector<RecordedRun>& old_runs,
                        const std::vector<RecordedRun>& new_runs, double threshold);

/// Throws UsageError naming what is unfair, if anything is, with this remedy.
void require_fair(const Comparison& comparison, const std::string& remedy);

}  // namespace bankfull::compare
