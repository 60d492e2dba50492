#pragma once

#include <cstddef>

namespace bankfull::hpcg {

/// One V-cycle of multigrid from x = 0 in half sweeps; see smoother.hpp. `HalfSweeps` has the
/// kernels and the vectors of all levels; its functions take the number of a level.
template <class HalfSweeps>
void half_sweep_cycle(HalfSweeps& sweeps, std::size_t level) {
  sweeps.forward_from_zero(level);
  sweeps.backward_after_zero(level);
  if (level + 1 < sweeps.level_count()) {
    sweeps.restrict_residual(level);
    half_sweep_cycle(sweeps, level + 1);
    sweeps.prolong(level);
    sweeps.forward_again(level);
    sweeps.backward_again(level);
  }
}

}  // namespace bankfull::hpcg
