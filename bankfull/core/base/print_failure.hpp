#pragma once

#include <string>

namespace bankfull {

/// "error: message" to standard error, in one line: what programs without a console of their own
/// say of a failure. Nobody may be there to read it.
void print_failure(const std::string& message) noexcept;

}  // namespace bankfull
