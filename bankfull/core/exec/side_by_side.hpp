#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace bankfull {

class CpuExecutor;
class CudaExecutor;

/// Calls body(executor, n) for each n of `bytes`, one after the other: each has the whole team.
void side_by_side(const CpuExecutor& executor, const std::vector<std::int64_t>& bytes,
                  const std::function<void(const CpuExecutor&, std::size_t)>& body);

/// Calls body(executor, n) for each n of `bytes` at the same time, and waits for the work that they
/// queue: all but the first on a thread and a stream of their own. Each has an executor whose
/// arrays are in a region of bytes[n], all of which are one allocation; see
/// CudaExecutor::with_region. For work that consists of short kernels and of waits for them. What
/// was queued before is done first. Passes on the first exception of a body.
void side_by_side(const CudaExecutor& executor, const std::vector<std::int64_t>& bytes,
                  const std::function<void(const CudaExecutor&, std::size_t)>& body);

}  // namespace bankfull
