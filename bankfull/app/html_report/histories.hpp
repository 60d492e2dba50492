#pragma once

#include "bankfull/app/compare/comparison.hpp"
#include "bankfull/app/html_report/runs.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::html_report {

/// One run in the course of a measurement.
struct HistoryPoint {
  std::size_t run = 0;    ///< among those of the report
  double seconds = 0.0;   ///< per unit of work
  double relative = 0.0;  ///< its speed by the median of the runs that count
  bool counts = true;     ///< it is valid
  bool noisy = false;
  std::string remark = {};   ///< "step: 4.1 % slower", "noisy"; empty: nothing
  std::string changes = {};  ///< of a step: what changed with it
};

/// The course of one measurement on one machine, as `bankfull history` judges it.
struct History {
  std::string label;        ///< its name, with the settings that tell it from others of that name
  std::size_t machine = 0;  ///< among machines_of
  compare::Subject subject;
  compare::Unit unit = compare::Unit::repeat;
  std::vector<HistoryPoint> points = {};       ///< by date
  std::size_t steps = 0;                       ///< how many there are
  std::optional<compare::Change> latest = {};  ///< the last run by those before

  /// The largest change that was judged to be one, as a fraction; 0: there is none.
  double largest_change = 0.0;
};

/// Of every measurement that a machine has of several dates, parts of runs left out: machine by
/// machine, workload by workload, the largest changes first.
std::vector<History> histories_of(const std::vector<ReportRun>& runs);

}  // namespace bankfull::html_report
