#pragma once

#include "bankfull/workloads/npb/problem.hpp"
#include "tests/core/comm/gpu_transports.hpp"

namespace bankfull::npb {

/// A test on the GPUs of all ranks, with every transport that there is.
class NpbOnGpus : public GpuTransportTest {
 protected:
  static Problem problem_of(Class size) {
    Problem problem;
    problem.size = size;
    problem.device = own_gpu();
    problem.transport = GetParam();
    return problem;
  }
};

}  // namespace bankfull::npb
