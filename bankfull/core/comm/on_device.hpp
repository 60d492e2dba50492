#pragma once

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/compiles_kernels.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/exec/device_of.hpp"

#include <string>

namespace bankfull {

/// What a program asks of the machine, for each rank.
struct DeviceRequest {
  /// "auto", "cpu", "cuda", "cuda:N"; see resolve_device. In sources that the host's compiler
  /// compiles `auto` is the CPU, for their loops can run nowhere else.
  std::string device = "auto";
  int threads = 0;  ///< of a team; 0: OMP_NUM_THREADS, or this rank's share of the node's cores
};

namespace detail {
/// Collective: all ranks throw UsageError if a rank of them cannot have what is asked for.
Device chosen_device(const Communicator& ranks, const DeviceRequest& request, bool has_kernels);
Team chosen_team(const Communicator& ranks, const DeviceRequest& request);
}  // namespace detail

/// Collective: calls body(on) with this rank's Team, or with a Stream of its GPU, and returns what
/// it returns. `body` takes both: it is a lambda with `const auto& on`, or a template.
///
/// GPUs take part in sources that nvcc compiles, against a bankfull with CUDA. There, too, ranks
/// of a node share its GPUs as resolve_device says, and nothing falls back silently: "cuda" where
/// there is none is a UsageError.
template <bool HasKernels = compiles_kernels, class Body>
auto on_device(const Communicator& ranks, const DeviceRequest& request, const Body& body) {
  constexpr bool has_gpus = HasKernels && build::cuda;
  const Device device = detail::chosen_device(ranks, request, has_gpus);
  if constexpr (has_gpus) {
    if (device.is_cuda()) {
      const Stream stream(device);
      return body(stream);
    }
  }
  return body(detail::chosen_team(ranks, request));
}

}  // namespace bankfull
