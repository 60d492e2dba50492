#include "bankfull/core/base/cuda_check.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/graph.hpp"

#include <cuda_runtime_api.h>
#include <utility>

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

// CUDA 12 has these calls, which take edge data, besides older ones with the plain names.
#if CUDART_VERSION >= 13000
constexpr auto capture_info = [](auto... all) { return cudaStreamGetCaptureInfo(all...); };
constexpr auto add_node = [](auto... all) { return cudaGraphAddNode(all...); };
constexpr auto set_last_nodes = [](auto... all) {
  return cudaStreamUpdateCaptureDependencies(all...);
};
#else
constexpr auto capture_info = [](auto... all) { return cudaStreamGetCaptureInfo_v3(all...); };
constexpr auto add_node = [](auto... all) { return cudaGraphAddNode_v2(all...); };
constexpr auto set_last_nodes = [](auto... all) {
  return cudaStreamUpdateCaptureDependencies_v2(all...);
};
#endif

/// The graph that a stream's work is recorded into, and the nodes on which the next work depends.
struct RecordingState {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* last_nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t last_node_count = 0;
};

RecordingState recording_state(const Stream& stream) {
  RecordingState state;
  cuda_check(capture_info(stream.handle(), &state.status, nullptr, &state.graph, &state.last_nodes,
                          &state.edges, &state.last_node_count),
             "asking what is being recorded");
  return state;
}

RecordingState require_recording(const Stream& stream) {
  const RecordingState state = recording_state(stream);
  expects(state.status == cudaStreamCaptureStatusActive, "the stream's work is being recorded");
  return state;
}

/// Adds a loop to a graph; returns its node and the graph of its body, still empty.
std::pair<cudaGraphNode_t, cudaGraph_t> add_loop(const RecordingState& state,
                                                 LoopCondition condition) {
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = condition.handle;
  parameters.conditional.type = cudaGraphCondTypeWhile;
  parameters.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
  cuda_check(add_node(&node, state.graph, state.last_nodes, state.edges, state.last_node_count,
                      &parameters),
             "adding a loop to a graph");
  return {node, parameters.conditional.phGraph_out[0]};
}

void make_last_node(const Stream& stream, cudaGraphNode_t node) {
  cuda_check(set_last_nodes(stream.handle(), &node, nullptr, 1U, cudaStreamSetCaptureDependencies),
             "recording what follows a loop");
}

/// Records into a graph that exists and is owned by another.
void record_into(cudaGraph_t graph, const Stream& stream, const std::function<void()>& queue) {
  cuda_check(cudaStreamBeginCaptureToGraph(stream.handle(), graph, nullptr, nullptr, 0,
                                           cudaStreamCaptureModeThreadLocal),
             "beginning to record a loop");
  cudaGraph_t same = nullptr;
  try {
    queue();
  } catch (...) {
    static_cast<void>(cudaStreamEndCapture(stream.handle(), &same));
    throw;
  }
  cuda_check(cudaStreamEndCapture(stream.handle(), &same), "recording a loop");
}

}  // namespace

bool is_recording(const Stream& stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cuda_check(cudaStreamIsCapturing(stream.handle(), &status), "asking what is being recorded");
  return status == cudaStreamCaptureStatusActive;
}

LoopCondition new_loop_condition(const Stream& stream) {
  cudaGraphConditionalHandle handle = 0;
  cuda_check(cudaGraphConditionalHandleCreate(&handle, require_recording(stream).graph, 0,
                                              cudaGraphCondAssignDefault),
             "adding a condition to a graph");
  return {handle};
}

void queue_loop(const Stream& stream, LoopCondition condition, const Stream& body_stream,
                const std::function<void()>& queue_body) {
  const auto [node, body] = add_loop(require_recording(stream), condition);
  make_last_node(stream, node);
  record_into(body, body_stream, queue_body);
}

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
