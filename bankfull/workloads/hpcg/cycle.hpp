#pragma once

#include "bankfull/workloads/hpcg/coloured_traffic.hpp"

#include <cstddef>

namespace bankfull::hpcg {

template <class HalfSweeps, class After>
void coarse_correction(HalfSweeps& sweeps, std::size_t level, const After& after);

/// One V-cycle of multigrid from x = 0 in half sweeps; see smoother.hpp. `HalfSweeps` has the
/// kernels and the vectors of all levels; its functions take the number of a level. After each step
/// it calls after(name, level, where SweepTraffic has it). Those that take the steps of a level,
/// those of all coarser ones and the prolongation to the finer one as one say so by fuses(level)
/// and have fused_cycle(level).
template <class HalfSweeps, class After>
void half_sweep_cycle(HalfSweeps& sweeps, std::size_t level, const After& after) {
  sweeps.forward_from_zero(level);
  after("forward sweep from 0", level, &SweepTraffic::forward_from_zero);
  sweeps.backward_after_zero(level);
  after("backward sweep after it", level, &SweepTraffic::backward_after_zero);
  if (level + 1 < sweeps.level_count()) {
    sweeps.restrict_residual(level);
    after("residual and restriction", level, &SweepTraffic::restrict_residual);
    coarse_correction(sweeps, level, after);
    sweeps.forward_again(level);
    after("forward sweep", level, &SweepTraffic::forward_again);
    sweeps.backward_again(level);
    after("backward sweep", level, &SweepTraffic::backward_again);
  }
}

/// The cycle of the next coarser level, and the correction by it.
template <class HalfSweeps, class After>
void coarse_correction(HalfSweeps& sweeps, std::size_t level, const After& after) {
  if constexpr (requires { sweeps.fused_cycle(level); }) {
    if (sweeps.fuses(level + 1)) {
      sweeps.fused_cycle(level + 1);
      after("coarse sweeps and transfers", level + 1, &SweepTraffic::cycle);
      return;
    }
  }
  half_sweep_cycle(sweeps, level + 1, after);
  sweeps.prolong(level);
  after("prolongation", level, &SweepTraffic::prolong);
}

template <class HalfSweeps>
void half_sweep_cycle(HalfSweeps& sweeps) {
  half_sweep_cycle(sweeps, 0, [](auto... /*step*/) {});
}

}  // namespace bankfull::hpcg
