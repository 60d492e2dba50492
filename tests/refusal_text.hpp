#pragma once

#include "bankfull/core/base/error.hpp"

#include <string>

namespace bankfull {

/// What the UsageError says that `body` throws; empty if it throws none.
template <class Body>
std::string refusal_text(const Body& body) {
  try {
    body();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace bankfull
