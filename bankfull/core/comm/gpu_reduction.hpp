#pragma once

#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/core/memory/buffer.hpp"

namespace bankfull {

/// Sums and maxima over all ranks of a few numbers in GPU memory, without the host wherever the
/// transport allows it. Exists in builds with CUDA only.
class GpuReduction {
 public:
  /// Collective, as is the destructor. Reductions are queued on `work`, which must outlive this,
  /// and have at most `max_values` numbers. Throws UsageError if the requested transport is
  /// unavailable.
  GpuReduction(const Communicator& ranks, int max_values, Transport wanted, const Stream& work);

  /// Queues values[n] = sum of values[n] over all ranks, n < count, added in the order of ranks:
  /// bitwise equal to Communicator::sum on all ranks. All ranks must queue the same reductions
  /// in the same order. Does nothing on a single rank.
  void queue_sum(double* values, int count);

  /// The same for the largest of all ranks; NaN where any has it.
  void queue_largest(double* values, int count);

  /// The transport in use; never `automatic`.
  [[nodiscard]] Transport transport() const { return chosen_.kind; }

  /// Whether reductions only queue work, so that they may be recorded in a Graph.
  [[nodiscard]] bool recordable() const {
    return chosen_.transport == nullptr || chosen_.transport->recordable();
  }

 private:
  template <class Operation>
  void queue(double* values, int count);

  const Stream& work_;
  int own_rank_;
  int max_values_;
  ChosenTransport chosen_;       ///< no transport on a single rank
  Buffer<GpuMessageEnds> ends_;  ///< of the other ranks, in rank order
};

}  // namespace bankfull
