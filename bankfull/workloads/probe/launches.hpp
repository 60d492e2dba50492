#pragma once

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/machine/device.hpp"

#include <memory>

namespace bankfull::probe {

/// How the host starts an empty kernel of one block, and what one sample's time is divided by.
enum class LaunchWay {
  back_to_back,        ///< one after the other without waiting: per kernel
  synchronised,        ///< waiting for each: per kernel
  graph_kernel,        ///< graphs of 100 kernels, one after the other without waiting: per kernel
  graph_back_to_back,  ///< graphs of one kernel without waiting: per graph
  graph_synchronised,  ///< graphs of one kernel, waiting for each: per graph
};

inline constexpr auto launch_way_names = enum_names<LaunchWay>({
    {LaunchWay::back_to_back, "launch, back to back"},
    {LaunchWay::synchronised, "launch and synchronise"},
    {LaunchWay::graph_kernel, "kernel of a graph of 100"},
    {LaunchWay::graph_back_to_back, "graph launch, back to back"},
    {LaunchWay::graph_synchronised, "graph launch and synchronise"},
});

/// Empty kernels on one GPU.
class EmptyKernels {
 public:
  virtual ~EmptyKernels() = default;

  /// Seconds for one, by the host's clock.
  virtual double seconds(LaunchWay way) = 0;
};

/// Defined in builds with CUDA only.
std::unique_ptr<EmptyKernels> make_cuda_empty_kernels(Device gpu);

}  // namespace bankfull::probe
