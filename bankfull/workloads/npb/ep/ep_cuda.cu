#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/npb/ep/ep.hpp"

namespace bankfull::npb::ep {

std::unique_ptr<Benchmark> make_cuda(const Problem& problem) {
  throw RuntimeFailure("npb ep does not run on " + to_string(problem.device) + " yet",
                       "use --device cpu");
}

}  // namespace bankfull::npb::ep
