#pragma once

#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/work.hpp"

#include <string>

namespace bankfull {

/// Collective: refuses an option that needs percentages of bankfull if there cannot be any: for
/// work that moves nothing or is not bound by memory, whose data fit a cache, whose mix the file
/// of ceilings lacks, or if the policy forbids ceilings. `option` is as the user gave it,
/// "--min-percent 90"; `work` is that of this rank, on `device`.
///
/// Throws UsageError on all ranks.
void require_percentage(const std::string& option, const Work& work, Device device,
                        const Communicator& ranks, const MeasurePolicy& policy);

}  // namespace bankfull
