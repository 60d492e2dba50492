#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/numerics/poisson/direct/cuda/three_pass/data.cuh"
#include "bankfull/numerics/poisson/direct/cuda/three_pass/sides.cuh"
#include "bankfull/numerics/poisson/direct/three_pass/sizes.hpp"

namespace bankfull::poisson::three_pass {

template <class Real>
struct Pass {
  void (*kernel)(const Data<Real>);
  LaunchShape shape;
};

template <class Real, class Side>
struct SidePass {
  void (*kernel)(const Data<Real>, const Side);
  LaunchShape shape;
};

template <class Real>
struct RowPasses {
  SidePass<Real, StoredSide<Real>> forward;
  SidePass<Real, DivergenceSide<Real>> forward_of_velocity;
  Pass<Real> back;
};

/// Every pair of lengths has kernels of its own, which know all strides between their points.
template <class Real>
RowPasses<Real> row_passes(const Sizes& sizes);

}  // namespace bankfull::poisson::three_pass
