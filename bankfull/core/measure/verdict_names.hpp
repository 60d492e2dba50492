#pragma once

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/measure/run_result.hpp"

namespace bankfull {

/// As the JSON has them; RESULT lines write blanks in any value as '_'.
inline constexpr auto verdict_names =
    enum_names<Verdict>({{Verdict::none, "not applicable"},
                         {Verdict::verified, "verified"},
                         {Verdict::under_resolved, "under-resolved"},
                         {Verdict::failed, "failed"}});

}  // namespace bankfull
