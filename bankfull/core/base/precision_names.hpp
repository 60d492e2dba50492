#pragma once

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/base/precision.hpp"

namespace bankfull {

/// As options, case files and results have them.
inline constexpr auto precision_names =
    enum_names<Precision>({{Precision::fp32, "fp32"}, {Precision::fp64, "fp64"}});

}  // namespace bankfull
