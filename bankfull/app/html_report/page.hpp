#pragma once

#include <string>

namespace bankfull::html_report {

/// The whole page around the data of report_json: one file, which needs no other and no network.
std::string page_of(const std::string& json);

}  // namespace bankfull::html_report
