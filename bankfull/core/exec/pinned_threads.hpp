#pragma once

#include <functional>
#include <vector>

namespace bankfull {

/// Calls body(n) for each n on a new thread that runs on processors[n] only, on all at once, and
/// waits for them. Passes on the first exception of a body. Throws RuntimeFailure, before any body
/// begins, where the system does not let a thread run on its processor.
///
/// For measurements between certain cores: teams of threads (Team) are bound by OpenMP.
void run_pinned(const std::vector<int>& processors, const std::function<void(int)>& body);

}  // namespace bankfull
