#pragma once

#include "bankfull/app/html_report/runs.hpp"

#include <string>

namespace bankfull::html_report {

/// What a report is made of.
struct ReportInput {
  std::string title;
  Inputs inputs;
  Inputs baseline = {};  ///< its runs; empty: nothing to compare with
  std::string date;      ///< when the report is written, for its foot
};

/// All that the page shows, as one JSON object that may stand in a script element: every `<` in it
/// is escaped. Bytes that are no UTF-8 become U+FFFD.
std::string report_json(const ReportInput& input);

}  // namespace bankfull::html_report
