#pragma once

#include "bankfull/app/convect/case.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::convect {

/// Reads a case file, with settings such as "time.dt=1e-3" or "ra=1e6" over it: docs/convection.md
/// describes both. Device and threads are not in it.
///
/// Throws UsageError in one line for whatever is wrong, beginning with "file:line:column: " or
/// "--set ...: ", and for a file that cannot be read.
Case load_case(const std::filesystem::path& file, const std::vector<std::string>& settings);

/// The same of a text; `file` is what messages call it, and its stem the name of the case.
Case parse_case(const std::string& text, const std::string& file,
                const std::vector<std::string>& settings);

}  // namespace bankfull::convect
