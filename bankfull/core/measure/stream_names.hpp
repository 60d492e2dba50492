#pragma once

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/measure/streams.hpp"

namespace bankfull {

/// As options and results have them.
inline constexpr auto stream_operation_names = enum_names<StreamOperation>({
    {StreamOperation::read, "read"},
    {StreamOperation::write, "write"},
    {StreamOperation::copy, "copy"},
    {StreamOperation::scale, "scale"},
    {StreamOperation::add, "add"},
    {StreamOperation::triad, "triad"},
    {StreamOperation::mix, "mix"},
});

}  // namespace bankfull
