#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/npb/ft/ft.hpp"

namespace bankfull::npb::ft {

std::unique_ptr<Benchmark> make_cuda(const Problem& problem) {
  throw RuntimeFailure("npb ft does not run on " + to_string(problem.device) + " yet",
                       "use --device cpu");
}

}  // namespace bankfull::npb::ft
