#pragma once

#include <string>

namespace bankfull::html_report {

/// The bytes as RFC 4648 writes them, for data: URLs.
std::string base64(const std::string& bytes);

}  // namespace bankfull::html_report
