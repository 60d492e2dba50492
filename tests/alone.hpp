#pragma once

#include "bankfull/core/comm/communicator.hpp"

namespace bankfull {

/// A communicator of this process alone.
inline const Communicator& alone() {
  static const auto self = make_self_communicator();
  return *self;
}

}  // namespace bankfull
