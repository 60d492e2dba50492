#pragma once

#include "bankfull/app/compare/comparison.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::compare {

/// One run in the course of a subject.
struct Entry {
  Occurrence occurrence;
  double seconds = 0.0;                ///< per unit of work, median
  std::optional<double> percent = {};  ///< of bankfull
  std::optional<double> ratio = {};  ///< its speed by the median of those before; empty: the first
  std::string defect = {};           ///< why it does not count; empty: it does
  bool noisy = false;
};

/// A change of speed that lasted, or is the latest.
struct Step {
  std::size_t entry = 0;                     ///< the first that is different
  Change change = {};                        ///< from the runs since the step before
  std::vector<Difference> differences = {};  ///< from the run before
};

/// All runs of one subject by date.
struct Course {
  Subject subject;
  Unit unit = Unit::repeat;
  std::vector<Entry> entries = {};
  std::vector<Step> steps = {};
  std::optional<Change> latest = {};  ///< the last run by those before; empty: there are none

  [[nodiscard]] bool has_regressed() const { return latest && latest->is_regression(); }
};

/// The courses of runs, which must outlive them, in the order in which their subjects first occur.
/// `last`: how many runs of each count, the latest ones. `threshold` is a fraction.
std::vector<Course> courses_of(const std::vector<RecordedRun>& runs, std::size_t last,
                               double threshold);

}  // namespace bankfull::compare
