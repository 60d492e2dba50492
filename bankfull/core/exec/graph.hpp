#pragma once

#include "bankfull/core/exec/stream.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

struct CUgraphExec_st;

namespace bankfull {

/// Work that is queued again and again with one call: for kernels so short that launching them one
/// by one takes longer than running them. Exists in builds with CUDA only.
class Graph {
 public:
  /// Records what `queue` queues on the stream, and on streams that join it, instead of running it.
  /// Kernels keep their streams' priorities. Arguments of kernels are those of the recording;
  /// memory they point to must outlive the graph.
  Graph(const Stream& stream, const std::function<void()>& queue);

  /// Queues all of it once.
  void launch(const Stream& stream) const;

 private:
  struct Release {
    void operator()(CUgraphExec_st* graph) const noexcept;
  };

  std::unique_ptr<CUgraphExec_st, Release> handle_;
};

/// Whether work queued on the stream is being recorded instead of run.
bool is_recording(const Stream& stream);

/// Through this the kernels of a recording set whether a loop in it continues: see device_loop.cuh.
struct LoopCondition {
  unsigned long long handle = 0;  ///< a cudaGraphConditionalHandle of the graph being recorded
};

/// For a loop in what is being recorded on the stream.
LoopCondition new_loop_condition(const Stream& stream);

/// Adds to what is being recorded on `stream`: all that `queue_body` queues on `body_stream`, again
/// and again as long as the condition holds. Kernels queued before must have set it; those of the
/// body set it anew. `body_stream` must be idle and of the same GPU.
void queue_loop(const Stream& stream, LoopCondition condition, const Stream& body_stream,
                const std::function<void()>& queue_body);

/// Work that is queued again and again: as a graph once it is recorded, call by call until then and
/// where it cannot be, as with messages that the host must handle.
class RepeatedWork {
 public:
  /// `queue_all` queues the work on `stream`, which must outlive this.
  RepeatedWork(const Stream& stream, std::function<void()> queue_all)
      : stream_(&stream), queue_all_(std::move(queue_all)) {}

  /// Records the work without running it; `queue` launches the recording from then on.
  void record() { graph_.emplace(*stream_, queue_all_); }

  /// Queues the work once.
  void queue() const {
    if (graph_) {
      graph_->launch(*stream_);
    } else {
      queue_all_();
    }
  }

 private:
  const Stream* stream_;
  std::function<void()> queue_all_;
  std::optional<Graph> graph_;
};

}  // namespace bankfull
