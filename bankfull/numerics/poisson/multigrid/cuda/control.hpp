#pragma once

namespace bankfull::poisson::multigrid::cuda {

/// What comes after a pass over the residual.
enum class Next : int {
  end,  ///< or another pass
  full_multigrid,
  cycle,
};

/// How a solve goes, in GPU memory: kernels decide by it whether there will be another cycle.
struct Control {
  static constexpr int max_over_ranks = 1;

  int forgotten;         ///< the next solve starts from nothing
  int starts_from_zero;  ///< p is that of PlaneStart, whatever is in memory
  int begins_anew;  ///< the next pass over the residual is not for nothing: p was worse than 0,
                    ///< or is to be written
  int cycles;
  int stalled;  ///< cycles in a row that have not brought the residual down
  int converged;
  unsigned arrivals;          ///< of blocks: see is_last_block
  unsigned largest_f;         ///< bits of max |f|: see size_bits
  unsigned largest_residual;  ///< likewise of the scaled residual
  float residual;             ///< scaled, of the last pass
  float min_residual;         ///< of all cycles
  long long sum;              ///< of f, weighted, in units of 2^-60 of its scaled size
  double mean;                ///< of f
  double bound;               ///< on the residual, not scaled
  double scale;  ///< of the residual in fp32, a power of two: whatever the units, it is about 1
  double over_ranks[max_over_ranks];  ///< what is compared with that of other ranks
  Next next;                          ///< what the last decision was
};

}  // namespace bankfull::poisson::multigrid::cuda
