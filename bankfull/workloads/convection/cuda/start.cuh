#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/field/view.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/workloads/convection/cuda/cells.cuh"
#include "bankfull/workloads/convection/pressure_start.hpp"

#include <cstdint>
#include <limits>

namespace bankfull::convection {

/// What multigrid starts from, in place.
template <class Real>
struct StartOfPressure {
  const StartWeights* weights;
  poisson::CellSlots<Real> potential;
  FieldView<Real> before;
  FieldView<float> expected;
};

/// Of N neighbouring cells of a row, which a thread reads and writes at once: what a single cell
/// has leaves too little under way.
template <class Real, int N>
struct StartCells {
  StartOfPressure<Real> start;
  unsigned groups;  ///< of a row
  unsigned rows;    ///< of a plane

  /// Group number `number` of all.
  __device__ void operator()(std::int64_t number) const {
    const auto all = static_cast<unsigned>(number);
    const std::int64_t k = std::int64_t{all % groups} * N;
    const std::int64_t j = all / groups % rows;
    const std::int64_t i = all / groups / rows;
    const StartWeights weights = *start.weights;
    auto potential = load_own_cells<N>(&start.potential(i, j, k));
    auto before = load_own_cells<N>(&start.before(i, j, k));
    auto expected = load_own_cells<N>(&start.expected(i, j, k));
#pragma unroll
    for (int n = 0; n < N; ++n) {
      potential.of[n] = pressure_start(weights, potential.of[n], before.of[n], expected.of[n]);
    }
    store_cells(&start.potential(i, j, k), potential);
    store_cells(&start.before(i, j, k), before);
    store_cells(&start.expected(i, j, k), expected);
  }
};

template <int N, class Real>
void queue_start_of_cells(const CudaExecutor& gpu, const Extents& cells,
                          const StartOfPressure<Real>& start) {
  const std::int64_t groups = cells.nk / N;
  const std::int64_t all = cells.ni * cells.nj * groups;
  expects(all <= std::numeric_limits<unsigned>::max(), "groups have numbers of 32 bits");
  gpu.each(all, StartCells<Real, N>{start, static_cast<unsigned>(groups),
                                    static_cast<unsigned>(cells.nj)});
}

/// 16 bytes of a row at a time where rows are made of them.
template <class Real>
void queue_start(const CudaExecutor& gpu, const Extents& cells,
                 const StartOfPressure<Real>& start) {
  constexpr int together = 16 / sizeof(Real);
  if (in_groups<together>(cells.nk, start.potential)) {
    queue_start_of_cells<together>(gpu, cells, start);
  } else {
    queue_start_of_cells<1>(gpu, cells, start);
  }
}

}  // namespace bankfull::convection
