#pragma once

#include <string_view>

namespace bankfull::convect {

/// The page of a run's report, made of the files in report/: it is the same for all runs, and reads
/// what it shows from report-data.js beside it.
std::string_view report_page();

}  // namespace bankfull::convect
