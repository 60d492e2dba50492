#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/cg/blocks.hpp"

#include <cstdint>
#include <memory>
#include <vector>

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

  void gather();

  /// The block's elements of what was put, as `Block` numbers them.
  [[nodiscard]] const double* inputs() const { return inputs_.data(); }

  /// Where the block's sums go before `reduce`.
  [[nodiscard]] double* outputs() { return outputs_.data(); }

  void reduce();

  /// By a team: `share` of the piece `q` is the sum of what all ranks found, in their order.
  void take(double* q, const Range& share) const;

 private:
  /// A rank's sums for some elements of this piece.
  struct Contribution {
    Range elements;  ///< of the piece
    const double* sums = nullptr;
  };

  void prepare_gather(std::int64_t rows, const Communicator& ranks);
  void prepare_reduce(std::int64_t rows, const Communicator& ranks);

  Block block_;
  Range piece_;
  Buffer<double> own_;
  Buffer<double> inputs_;
  Buffer<double> outputs_;
  std::vector<Buffer<double>> inboxes_;
  std::vector<Contribution> contributions_;
  std::unique_ptr<MessageExchange> gather_;
  std::unique_ptr<MessageExchange> reduce_;
};

}  // namespace bankfull::npb::cg
