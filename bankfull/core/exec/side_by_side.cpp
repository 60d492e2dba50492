#include "bankfull/core/exec/side_by_side.hpp"

#include "bankfull/core/exec/cpu_executor.hpp"

namespace bankfull {

void side_by_side(const CpuExecutor& executor, const std::vector<std::int64_t>& bytes,
                  const std::function<void(const CpuExecutor&, std::size_t)>& body) {
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    body(executor, n);
  }
}

}  // namespace bankfull
