#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/ft/cuda/piece_exchange.hpp"
#include "bankfull/workloads/npb/ft/cuda/plan.hpp"

#include <optional>
#include <vector>

namespace bankfull::npb::ft::cuda {

/// Large tiles, where they are faster: on one rank, on GPUs with enough shared memory for blocks
/// that prefetch, since each has a multiprocessor to itself.
[[nodiscard]] Tiles tiles_for(Device gpu, int ranks);

/// This rank's part of the fields of one class on its GPU and the passes over them; each queues
/// work on the stream.
class Transforms {
 public:
  /// Collective, as is destroying it. `plan` is that of this rank. Throws UsageError if the class
  /// has lengths that no pass is compiled for or the transport is not available, RuntimeFailure if
  /// memory cannot be allocated.
  Transforms(const Plan& plan, const Stream& stream, const Communicator& ranks,
             Transport transport = Transport::automatic);

  /// Roots and decay factors of all iterations.
  void queue_tables() const;

  // The spectrum of the initial field: needs the tables. The ranks' pieces have to be exchanged
  // between columns and lines.
  void queue_first_rows() const;
  void queue_first_columns() const;
  void queue_first_lines() const;
  void queue_spectrum() const;

  // Iteration t, from 1: needs the spectrum. Likewise between lines and columns.
  void queue_lines(int t) const;
  void queue_columns() const;
  void queue_rows(int t) const;

  void queue_exchange() const;

  /// Iterations 1 to `count`.
  void queue_iterations(int count);

  /// The sums of terms of iterations 1 to `count`.
  void queue_sums(int count) const;

  /// The traffic of forming the spectrum and of iterations 1 to `count` on this rank's GPU, without
  /// flops.
  [[nodiscard]] Traffic traffic(int count) const;

  /// Waits for them: what `checksums_of` takes from each rank.
  [[nodiscard]] std::vector<Complex> sums(int count) const;

  [[nodiscard]] Transport transport() const {
    return exchange_ ? exchange_->transport() : Transport::local;
  }
  /// Whether all of it only queues work, so that it may be recorded in a Graph.
  [[nodiscard]] bool recordable() const { return !exchange_ || exchange_->recordable(); }

 private:
  void queue_lines(int t, const Stream& stream, double blocks_per_multiprocessor) const;
  void queue_side_by_side(int count);

  Plan plan_;
  const Stream& stream_;
  Buffer<Complex> lines_;   ///< the spectrum
  Buffer<Complex> planes_;  ///< on the way there, and back; on one rank only
  Buffer<Complex> roots_;   ///< of the depth, then of the side
  Buffer<double> decay_;
  Buffer<Complex> terms_;
  Buffer<Complex> sums_;
  std::optional<PieceExchange> exchange_;  ///< on several ranks
  Stream beside_;
  Event parted_;
  Event joined_;
  int multiprocessors_;
};

}  // namespace bankfull::npb::ft::cuda
