#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"

namespace bankfull::npb::mg {

std::unique_ptr<Benchmark> make_cuda(const Problem& problem) {
  throw RuntimeFailure("npb mg does not run on " + to_string(problem.device) + " yet",
                       "use --device cpu");
}

}  // namespace bankfull::npb::mg
