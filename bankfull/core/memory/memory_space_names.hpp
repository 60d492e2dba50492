#pragma once

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/memory/memory.hpp"

namespace bankfull {

/// As results have them: memory of the host that is not pinned is "pageable".
inline constexpr auto memory_space_names =
    enum_names<MemorySpace>({{MemorySpace::host, "pageable"},
                             {MemorySpace::pinned, "pinned"},
                             {MemorySpace::device, "device"}});

}  // namespace bankfull
