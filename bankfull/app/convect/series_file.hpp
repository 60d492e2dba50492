#pragma once

#include "bankfull/workloads/convection/run.hpp"

#include <string>

namespace bankfull::convect {

/// The first line of a run's series.csv: the names of its columns.
std::string series_heading(const convection::Problem& problem);

/// A row of it. What does not apply is an empty cell. `drives_heat`: the problem has a heat path,
/// and with it Nusselt numbers.
std::string series_line(const convection::SeriesRow& row, const convection::Problem& problem,
                        bool drives_heat);

}  // namespace bankfull::convect
