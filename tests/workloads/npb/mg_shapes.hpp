#pragma once

#include "bankfull/core/field/box.hpp"

#include <gtest/gtest.h>
#include <string>

namespace bankfull::npb::mg {

/// The name of a test that takes the extents of a grid, such as 4x6x8.
inline std::string shape_name(const testing::TestParamInfo<Extents>& tested) {
  const Extents& n = tested.param;
  return std::to_string(n.ni) + 'x' + std::to_string(n.nj) + 'x' + std::to_string(n.nk);
}

}  // namespace bankfull::npb::mg
