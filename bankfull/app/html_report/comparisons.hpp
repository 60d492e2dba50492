#pragma once

#include "bankfull/app/compare/comparison.hpp"
#include "bankfull/app/html_report/runs.hpp"

#include <string>
#include <vector>

namespace bankfull::html_report {

/// A measurement that both sets have, compared as `bankfull compare` does.
struct Comparison {
  std::string label;  ///< its name, with the settings that tell it from others of that name
  std::string device_before;
  compare::Change change;  ///< from the baseline
};

/// Every measurement of `runs` that the baseline has too, wherever it ran.
std::vector<Comparison> comparisons_of(const std::vector<ReportRun>& runs,
                                       const std::vector<ReportRun>& baseline);

}  // namespace bankfull::html_report
