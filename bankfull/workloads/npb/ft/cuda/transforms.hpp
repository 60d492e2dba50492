#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/ft/cuda/plan.hpp"

#include <vector>

namespace bankfull::npb::ft::cuda {

/// The fields of one class on one GPU and the passes over them; each queues work on the stream.
class Transforms {
 public:
  /// Throws UsageError where the class has lengths that no pass is compiled for, RuntimeFailure
  /// where memory cannot be had.
  Transforms(const Plan& plan, const Stream& stream);

  /// Roots and decay factors of all iterations.
  void queue_tables() const;

  // The spectrum of the initial field: needs the tables.
  void queue_first_rows() const;
  void queue_first_columns() const;
  void queue_first_lines() const;
  void queue_spectrum() const;

  // Iteration t, from 1: needs the spectrum.
  void queue_lines(int t) const;
  void queue_columns() const;
  void queue_rows(int t) const;
  void queue_iteration(int t) const;

  /// The checksums of iterations 1 to `iterations`.
  void queue_checksums(int iterations) const;

  /// Waits for them.
  [[nodiscard]] std::vector<Complex> checksums(int iterations) const;

 private:
  Plan plan_;
  const Stream& stream_;
  Buffer<Complex> lines_;   ///< the spectrum
  Buffer<Complex> planes_;  ///< on the way there, and back
  Buffer<Complex> roots_;   ///< of the depth, then of the side
  Buffer<double> decay_;
  Buffer<Complex> terms_;
  Buffer<Complex> checksums_;
  int multiprocessors_;
};

}  // namespace bankfull::npb::ft::cuda
