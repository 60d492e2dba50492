#pragma once

#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/work.hpp"

#include <string>

namespace bankfull {

/// Collective: refuses an option that judges percentages of bankfull where it is known before the
/// run that there will be none: for work that moves nothing or that memory does not bound, in a
/// cache, or of a mix that the file of ceilings lacks, and where the policy forbids ceilings.
/// `option` is as the user gave it, "--min-percent 90"; `work` is that of this rank, on `device`.
///
/// Throws UsageError, on all ranks.
void require_percentage(const std::string& option, const Work& work, Device device,
                        const Communicator& ranks, const MeasurePolicy& policy);

}  // namespace bankfull
