#pragma once

#include "bankfull/workloads/npb/ft/cuda/transforms.hpp"

#include <vector>

namespace bankfull::npb::ft {

/// Collective: checksums of all iterations, by GPUs of which `gpu` is this rank's.
inline std::vector<Complex> checksums(const cuda::Plan& plan, Device gpu, const Communicator& ranks,
                                      Transport transport = Transport::automatic) {
  const Stream stream(gpu);
  cuda::Transforms transforms(plan, stream, ranks, transport);
  transforms.queue_tables();
  transforms.queue_spectrum();
  transforms.queue_iterations(plan.iterations);
  transforms.queue_sums(plan.iterations);
  return checksums_of(ranks.all_gather(transforms.sums(plan.iterations)), plan.iterations,
                      plan.shape.points());
}

}  // namespace bankfull::npb::ft
