#pragma once

#include "bankfull/app/console.hpp"

#include <fmt/format.h>
#include <utility>

namespace bankfull {

/// write_out of a format: what fmt::print is to others, which throws where nobody reads.
template <class... Args>
void print_out(fmt::format_string<Args...> format, Args&&... args) {
  write_out(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace bankfull
