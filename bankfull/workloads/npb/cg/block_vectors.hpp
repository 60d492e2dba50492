#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/cg/block_messages.hpp"

#include <cstdint>
#include <memory>

namespace bankfull::npb::cg {

/// Brings what a rank's block needs of a vector from the owners of its pieces, and the block's sums
/// to the owners of theirs: one message between two ranks each way, at once.
///
/// `gather` and `reduce` are collective, by one thread a rank; what is marked *by a team* is called
/// by all threads with their shares of the piece. Barriers between are the caller's.
class BlockVectors {
 public:
  /// Collective. `rows` is the size of the whole vectors.
  BlockVectors(std::int64_t rows, Kept kept, const Communicator& ranks);

  /// By a team: what `gather` sends, `share` of the piece `v`.
  void put(const double* v, const Range& share);

  void gather() { gather_->exchange(); }

  /// The block's elements of what was put, as `Block` numbers them.
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
