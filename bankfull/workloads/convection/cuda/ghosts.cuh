#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/cuda/advance.cuh"

#include <cstdint>

namespace bankfull::convection {

namespace detail {

/// The n-th ghost cell of a box: two planes, then two rows of each plane, then two ends of each
/// row.
struct GhostCells {
  std::int64_t ni;
  std::int64_t nj;
  std::int64_t nk;

  BANKFULL_HOST_DEVICE std::int64_t of_planes() const { return 2 * (nj + 2) * (nk + 2); }
  BANKFULL_HOST_DEVICE std::int64_t of_rows() const { return 2 * ni * (nk + 2); }
  BANKFULL_HOST_DEVICE std::int64_t count() const { return of_planes() + of_rows() + 2 * ni * nj; }

  __device__ void find(std::int64_t n, std::int64_t (&index)[3]) const {
    if (n < of_planes()) {
      const std::int64_t plane = (nj + 2) * (nk + 2);
      index[0] = n < plane ? -1 : ni;
      index[1] = n % plane / (nk + 2) - 1;
      index[2] = n % (nk + 2) - 1;
      return;
    }
    n -= of_planes();
    if (n < of_rows()) {
      index[0] = n / (2 * (nk + 2));
      index[1] = n / (nk + 2) % 2 == 0 ? -1 : nj;
      index[2] = n % (nk + 2) - 1;
      return;
    }
    n -= of_rows();
    index[0] = n / (2 * nj);
    index[1] = n / 2 % nj;
    index[2] = n % 2 == 0 ? -1 : nk;
  }
};

template <class Real>
struct FillGhosts {
  GhostCells ghosts;
  FlowStrides strides;
  CentreLines centres;
  const Continuations* rules;  ///< of all fields
  Real* fields;

  __device__ void operator()(std::int64_t n) const {
    const std::int64_t a_field = ghosts.count();
    const std::int64_t field = n / a_field;
    std::int64_t index[3];
    ghosts.find(n % a_field, index);
    const std::int64_t cells[3] = {ghosts.ni, ghosts.nj, ghosts.nk};
    Real* const values = fields + field * strides.field;
    const auto read = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      return static_cast<double>(values[i * strides.plane + j * strides.row + k]);
    };
    const double ghost = continued(rules[field], centres, cells, index, read);
    values[index[0] * strides.plane + index[1] * strides.row + index[2]] = static_cast<Real>(ghost);
  }
};

}  // namespace detail

/// Queues all ghosts of `count` fields.
template <class Real>
void queue_ghosts(const Stream& stream, const FlowOnGpu<Real>& flow, const CentreLines& centres,
                  const Continuations* rules, int count, Real* fields) {
  const detail::GhostCells ghosts{flow.cells[0], flow.cells[1], flow.cells[2]};
  CudaExecutor(stream).each(count * ghosts.count(),
                            detail::FillGhosts<Real>{ghosts, flow.strides, centres, rules, fields});
}

}  // namespace bankfull::convection
