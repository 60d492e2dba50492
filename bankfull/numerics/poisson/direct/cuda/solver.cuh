#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/direct/cuda/eliminate.cuh"
#include "bankfull/numerics/poisson/direct/cuda/modal_planes.cuh"
#include "bankfull/numerics/poisson/direct/sizes.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

namespace bankfull::poisson {

/// The direct solver on a GPU.
template <class Real>
class CudaDirect final : public Solver<Real> {
 public:
  CudaDirect(const Domain& domain, const Stream& stream, const GpuSizes& sizes)
      : cyclic_(domain.i.periodic),
        stream_(&stream),
        planes_(domain, EliminationTable<Real>(domain, gpu_length_of_transforms(domain)),
                {0, domain.i.cells()}, stream, sizes),
        traffic_(gpu_direct_traffic(domain, sizeof(Real))) {
    expects(direct_unavailable(stream.device(), domain).empty(), "this build serves the domain");
  }

  [[nodiscard]] CellSlots<Real> right_side() const override { return planes_.slots(); }
  [[nodiscard]] CellSlots<Real> solution() const override { return planes_.slots(); }

  void solve() override {
    planes_.queue_forward();
    planes_.with_kind([this]<class Kind>(Kind /*kind*/) { eliminate<Kind>(); });
    planes_.queue_back();
  }

  [[nodiscard]] Traffic traffic() const override { return traffic_; }

 private:
  template <class Kind>
  void eliminate() const {
    launch(*stream_, planes_.shape_for_columns(),
           cyclic_ ? eliminate_columns<Real, Kind, true> : eliminate_columns<Real, Kind, false>,
           planes_.data());
  }

  bool cyclic_;
  const Stream* stream_;
  CudaModalPlanes<Real> planes_;
  Traffic traffic_;
};

}  // namespace bankfull::poisson
