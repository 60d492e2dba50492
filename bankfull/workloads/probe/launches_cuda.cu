#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/probe/launches.hpp"

namespace bankfull::probe {
namespace {

__global__ void empty_kernel() {}

constexpr int graph_kernels = 100;
constexpr int queued = 1000;  // more than the driver's queue holds: the slower side counts
constexpr int waited_for = 200;
constexpr int queued_graphs = 50;

class CudaEmptyKernels final : public EmptyKernels {
 public:
  explicit CudaEmptyKernels(Device gpu)
      : stream_(gpu),
        many_(stream_, [this] { queue(graph_kernels); }),
        one_(stream_, [this] { queue(1); }) {}

  double seconds(LaunchWay way) override {
    select(stream_.device());
    stream_.synchronize();
    switch (way) {
      case LaunchWay::back_to_back:
        return once_waited(queued, [this] { queue(1); });
      case LaunchWay::synchronised:
        return each_waited([this] { queue(1); });
      case LaunchWay::graph_kernel:
        return once_waited(queued_graphs, [this] { many_.launch(stream_); }) / graph_kernels;
      case LaunchWay::graph_back_to_back:
        return once_waited(queued, [this] { one_.launch(stream_); });
      default:
        return each_waited([this] { one_.launch(stream_); });
    }
  }

 private:
  void queue(int kernels) const {
    for (int n = 0; n < kernels; ++n) {
      launch(stream_, {dim3(1), dim3(32)}, &empty_kernel);
    }
  }

  template <class Queue>
  double once_waited(int times, const Queue& queue_one) const {
    const Stopwatch watch;
    for (int n = 0; n < times; ++n) {
      queue_one();
    }
    stream_.synchronize();
    return watch.seconds() / times;
  }

  template <class Queue>
  double each_waited(const Queue& queue_one) const {
    const Stopwatch watch;
    for (int n = 0; n < waited_for; ++n) {
      queue_one();
      stream_.synchronize();
    }
    return watch.seconds() / waited_for;
  }

  Stream stream_;
  Graph many_;
  Graph one_;
};

}  // namespace

std::unique_ptr<EmptyKernels> make_cuda_empty_kernels(Device gpu) {
  select(gpu);
  return std::make_unique<CudaEmptyKernels>(gpu);
}

}  // namespace bankfull::probe
