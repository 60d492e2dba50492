#pragma once

#include "bankfull/core/exec/stream.hpp"

#include <functional>
#include <memory>

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

}  // namespace bankfull
