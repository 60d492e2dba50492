#pragma once

#include "bankfull/app/recorded/recorded_run.hpp"
#include "bankfull/app/reproduce/paper.hpp"
#include "bankfull/app/reproduce/units.hpp"

#include <optional>
#include <string>

namespace bankfull::reproduce {

/// A number that was taken out of a result.
struct Taken {
  std::optional<InBaseUnits> number = {};  ///< empty: it has none
  std::optional<double> percent = {};      ///< of bankfull, of the measurement that it belongs to
  std::string reason = {};                 ///< why there is no number
};

Taken take(const recorded::RecordedRun& run, const Quantity& quantity);

/// A row of the results of its quantities; `other` is null if it is of one. Its number is in the
/// row's unit.
Taken take_row(const Row& row, const recorded::RecordedRun& ours,
               const recorded::RecordedRun* other);

}  // namespace bankfull::reproduce
