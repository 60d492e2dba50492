#pragma once

#include "bankfull/app/compare/comparison.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bankfull::compare {

/// A comparison for people: its measurements, ceilings and differences as tables, what has no
/// partner, and a summary.
std::string report_comparison(const Comparison& comparison);

/// A table of these differences.
std::string report_differences(const std::vector<Difference>& differences);

/// One line a measurement and a ceiling, for scripts: "RESULT compare workload=himeno ...
/// ratio=0.95 low=0.94 high=0.96 ... verdict=slower". See docs/output.md.
std::string comparison_lines(const Comparison& comparison);

/// Why a comparison ends with another code than 0, in one line naming the worst; empty where it
/// does not.
std::string regression_text(const Comparison& comparison);

/// A speed for people: the time of a unit of work, or the rate where that is a byte.
std::string speed_text(double seconds, Unit unit);

/// The place of a subject as parts of a RESULT line: " threads=2 ranks=1".
std::string place_keys(const Subject& subject);

std::string percent_text(std::optional<double> percent);

}  // namespace bankfull::compare
