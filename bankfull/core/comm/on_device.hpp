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

/// Collective: the device of each rank, by resolve_device(request, ...) for the ranks that share
/// GPUs. All ranks throw UsageError if one of them cannot have what it asks for, or if some would
/// get a GPU and others the CPU.
Device resolve_device(const Communicator& ranks, const std::string& request);

namespace detail {
/// What a rank gets.
struct ChosenDevice {
  Device device;    ///< of the same kind on all ranks
  int threads = 1;  ///< of the team, where the device is the CPU
};

/// Collective: all ranks throw UsageError if one of them cannot have what is asked for.
ChosenDevice choose_device(const Communicator& ranks, const DeviceRequest& request,
                           bool has_kernels);
}  // namespace detail

/// Collective: calls body(on) with this rank's Team, or with a Stream of its GPU, and returns what
/// it returns. `body` takes both: it is a lambda with `const auto& on`, or a template.
///
/// GPUs take part in sources that nvcc compiles, against a bankfull with CUDA. There, too, ranks
/// of a node share its GPUs as resolve_device says, and nothing falls back silently: "cuda" where
/// there is none is a UsageError, as are GPUs for some ranks only.
template <bool HasKernels = compiles_kernels, class Body>
auto on_device(const Communicator& ranks, const DeviceRequest& request, const Body& body) {
  constexpr bool has_gpus = HasKernels && build::cuda;
  const detail::ChosenDevice chosen = detail::choose_device(ranks, request, has_gpus);
  if constexpr (has_gpus) {
    if (chosen.device.is_cuda()) {
      const Stream stream(chosen.device);
      return body(stream);
    }
  }
  return body(Team(chosen.threads));
}

}  // namespace bankfull
