#pragma once

#include <string>

namespace bankfull {

/// Version and build facts, several lines.
std::string version_text();

}  // namespace bankfull
