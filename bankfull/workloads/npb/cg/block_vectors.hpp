#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/cg/block_messages.hpp"

#include <cstdint>
#include <memory>

namespace bankfull::npb::cg {

/// Gathers the elements of a vector that a rank's block needs from the owners of its pieces, and
/// sends the block's sums to the owners of theirs: at most one message between two ranks each way.
///
/// `gather` and `reduce` are collective, called by one thread per rank; functions marked *by a
/// team* are called by all threads with their shares of the piece. The caller provides the barriers
/// between them.
class BlockVectors {
 public:
  /// Collective. `rows` is the size of the whole vectors.
  BlockVectors(std::int64_t rows, Kept kept, const Communicator& ranks);

  /// By a team: what `gather` sends, `share` of the piece `v`.
  void put(const double* v, const Range& share);

  void gather() { gather_->exchange(); }

  /// The gathered elements, as `Block` numbers them.
  [[nodiscard]] const double* inputs() const { return gathered_.data(); }

  /// Where the block's sums go before `reduce`.
  [[nodiscard]] double* outputs() { return reduced_.data(); }

  void reduce() { reduce_->exchange(); }

  /// By a team: `share` of the piece `q` is the sum of what all ranks found, in their order.
  void take(double* q, const Range& share) const;

 private:
  GatherPlan gather_plan_;
  ReducePlan reduce_plan_;
  Buffer<double> gathered_;  ///< as the plans have the exchanged vectors
  Buffer<double> reduced_;
  std::unique_ptr<MessageExchange> gather_;
  std::unique_ptr<MessageExchange> reduce_;
};

}  // namespace bankfull::npb::cg
