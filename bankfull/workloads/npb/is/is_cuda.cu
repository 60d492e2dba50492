#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/npb/is/is.hpp"

namespace bankfull::npb::is {

std::unique_ptr<Benchmark> make_cuda(const Problem& problem) {
  throw RuntimeFailure("npb is does not run on " + to_string(problem.device) + " yet",
                       "use --device cpu");
}

}  // namespace bankfull::npb::is
