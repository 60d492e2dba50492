#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/npb/cg/cg.hpp"

namespace bankfull::npb::cg {

std::unique_ptr<Benchmark> make_cuda(const Problem& problem) {
  throw RuntimeFailure("npb cg does not run on " + to_string(problem.device) + " yet",
                       "use --device cpu");
}

}  // namespace bankfull::npb::cg
