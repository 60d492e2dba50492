#include "bankfull/core/base/cuda_check.hpp"
#include "bankfull/core/exec/graph.hpp"

#include <cuda_runtime_api.h>

namespace bankfull {
namespace {

struct ReleaseRecording {
  void operator()(cudaGraph_t graph) const noexcept { static_cast<void>(cudaGraphDestroy(graph)); }
};
using Recording = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, ReleaseRecording>;

Recording end_recording(const Stream& stream) {
  cudaGraph_t graph = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream.handle(), &graph);
  Recording recording(graph);
  cuda_check(status, "recording a graph");
  return recording;
}

Recording record(const Stream& stream, const std::function<void()>& queue) {
  cuda_check(cudaStreamBeginCapture(stream.handle(), cudaStreamCaptureModeThreadLocal),
             "beginning to record a graph");
  try {
    queue();
  } catch (...) {
    // The stream must leave its recording; the error that matters is the one in flight.
    cudaGraph_t abandoned = nullptr;
    static_cast<void>(cudaStreamEndCapture(stream.handle(), &abandoned));
    const Recording release(abandoned);
    throw;
  }
  return end_recording(stream);
}

}  // namespace

Graph::Graph(const Stream& stream, const std::function<void()>& queue) {
  const Recording recording = record(stream, queue);
  cudaGraphExec_t executable = nullptr;
  // Else everything would run with the priority of the stream that launches the graph.
  cuda_check(
      cudaGraphInstantiate(&executable, recording.get(), cudaGraphInstantiateFlagUseNodePriority),
      "preparing a graph");
  handle_.reset(executable);
  cuda_check(cudaGraphUpload(executable, stream.handle()), "uploading a graph");
}

void Graph::launch(const Stream& stream) const {
  cuda_check(cudaGraphLaunch(handle_.get(), stream.handle()), "launching a graph");
}

void Graph::Release::operator()(CUgraphExec_st* graph) const noexcept {
  static_cast<void>(cudaGraphExecDestroy(graph));
}

}  // namespace bankfull
