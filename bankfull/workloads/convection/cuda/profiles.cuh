#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/convection/cuda/advance.cuh"
#include "bankfull/workloads/convection/profile_sample.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace bankfull::convection {

/// AxisParts in a GPU's memory: [axis][0: cells, 1: faces].
struct AxisPartsOnGpu {
  const double* of[3][2];
};

namespace detail {

inline constexpr int profile_threads = 128;

template <int P, class Real>
struct VelocityTerms {
  static constexpr int count = sums_of_velocity;
  double viscosity;

  __device__ void operator()(const PointStencil<Real>& stencil, double (&terms)[count]) const {
    velocity_terms<P>(stencil, viscosity, terms);
  }
  __device__ static constexpr int place(int sum) {
    constexpr int places[count] = {on_p, on_p, on_p, on_b,        on_b,        on_b,
                                   on_c, on_c, on_c, on_p | on_b, on_p | on_c, on_b | on_c,
                                   0,    on_p, on_b, on_c};
    return places[sum];
  }
};

template <int P, class Real>
struct ScalarTerms {
  static constexpr int count = sums_of_scalar;
  int scalar;
  double diffusivity;

  __device__ void operator()(const PointStencil<Real>& stencil, double (&terms)[count]) const {
    scalar_terms<P>(stencil, scalar, diffusivity, terms);
  }
  __device__ static constexpr int place(int sum) {
    constexpr int places[count] = {0, 0, 0, on_p, 0, on_b, on_c};
    return places[sum];
  }
};

/// Of one cell, for a profile across P.
template <int P>
__device__ __forceinline__ PlaneParts parts_of_cell(const AxisPartsOnGpu& parts,
                                                    const int (&at)[3]) {
  constexpr int b = (P + 1) % 3;
  constexpr int c = (P + 2) % 3;
  PlaneParts found;
#pragma unroll
  for (int place = 0; place < 4; ++place) {
    found.of[place] = parts.of[b][place & 1][at[b]] * parts.of[c][place >> 1][at[c]];
  }
  return found;
}

template <int P, class Real, class Terms>
__device__ __forceinline__ void add_cell(const FlowOnGpu<Real>& flow, const Real* fields,
                                         const Terms& terms_of, const AxisPartsOnGpu& parts,
                                         const int (&at)[3], double (&sums)[Terms::count]) {
  double terms[Terms::count];
  terms_of(flow.template stencil<InPlane::stretched>(fields, at[0], at[1], at[2]), terms);
  const PlaneParts own = parts_of_cell<P>(parts, at);
#pragma unroll
  for (int s = 0; s < Terms::count; ++s) {
    sums[s] += own.at(Terms::place(s)) * terms[s];
  }
}

/// Planes across axis 0 or 1: block (piece, plane) adds the cells of every gridDim.x-th row of its
/// plane. partial: [piece][sum][plane].
template <int P, class Real, class Terms>
__global__ void __launch_bounds__(profile_threads)
    profile_of_planes(const __grid_constant__ FlowOnGpu<Real> flow, const Real* fields,
                      const __grid_constant__ Terms terms,
                      const __grid_constant__ AxisPartsOnGpu parts, double* partial) {
  constexpr int across = 1 - P;  // the axis that rows follow one another along
  const int plane = static_cast<int>(blockIdx.y);
  double sums[Terms::count] = {};
  for (int row = static_cast<int>(blockIdx.x); row < flow.cells[across];
       row += static_cast<int>(gridDim.x)) {
    for (int k = static_cast<int>(threadIdx.x); k < flow.cells[2]; k += profile_threads) {
      const int at[3] = {P == 0 ? plane : row, P == 0 ? row : plane, k};
      add_cell<P>(flow, fields, terms, parts, at, sums);
    }
  }
#pragma unroll
  for (int s = 0; s < Terms::count; ++s) {
    const double sum = block_sum(sums[s]);
    if (threadIdx.x == 0) {
      partial[(static_cast<std::size_t>(blockIdx.x) * Terms::count + s) * gridDim.y + plane] = sum;
    }
  }
}

/// Planes across axis 2: a thread each, which follows the cells of every gridDim.x-th row.
template <class Real, class Terms>
__global__ void __launch_bounds__(profile_threads)
    profile_along_rows(const __grid_constant__ FlowOnGpu<Real> flow, const Real* fields,
                       const __grid_constant__ Terms terms,
                       const __grid_constant__ AxisPartsOnGpu parts, double* partial) {
  const int planes = flow.cells[2];
  const int k = static_cast<int>(blockIdx.y) * profile_threads + static_cast<int>(threadIdx.x);
  if (k >= planes) {
    return;
  }
  double sums[Terms::count] = {};
  const int rows = flow.cells[0] * flow.cells[1];
  for (int row = static_cast<int>(blockIdx.x); row < rows; row += static_cast<int>(gridDim.x)) {
    const int at[3] = {row / flow.cells[1], row % flow.cells[1], k};
    add_cell<2>(flow, fields, terms, parts, at, sums);
  }
#pragma unroll
  for (int s = 0; s < Terms::count; ++s) {
    partial[(static_cast<std::size_t>(blockIdx.x) * Terms::count + s) * planes + k] = sums[s];
  }
}

}  // namespace detail

/// Adds what the pieces have left, in order.
struct AddPieces {
  const double* partial;
  int pieces;
  std::int64_t size;
  double* sums;

  __device__ void operator()(std::int64_t n) const {
    double sum = 0.0;
    for (int piece = 0; piece < pieces; ++piece) {
      sum += partial[piece * size + n];
    }
    sums[n] = sum;
  }
};

/// Means in the planes across an axis: see ProfileSample. One pass for the velocity and one for
/// each scalar; sums are formed in an order that depends on the grid alone. Memory is taken at the
/// first sample.
template <class Real>
class ProfilesOnGpu {
 public:
  ProfilesOnGpu(const Plan& plan, const CudaExecutor& gpu) : plan_(plan), gpu_(gpu) {
    const AxisParts parts(plan.grid());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      lines_[axis] = {on_this_gpu(parts.cells[axis]), on_this_gpu(parts.faces[axis])};
      parts_.of[axis][0] = lines_[axis][0].data();
      parts_.of[axis][1] = lines_[axis][1].data();
    }
  }

  [[nodiscard]] std::vector<double> means(const Stream& stream, const FlowOnGpu<Real>& flow,
                                          const Real* fields, int axis) {
    switch (axis) {
      case 0:
        return means_across<0>(stream, flow, fields);
      case 1:
        return means_across<1>(stream, flow, fields);
      default:
        return means_across<2>(stream, flow, fields);
    }
  }

 private:
  /// Enough blocks for any GPU, and few partial sums.
  static constexpr int most_partial_planes = static_cast<int>(most_partial_sums);
  static constexpr int blocks_for_planes = 8192;

  [[nodiscard]] Buffer<double> on_this_gpu(const std::vector<double>& values) const {
    Buffer<double> buffer = gpu_.template make<double>(static_cast<std::int64_t>(values.size()));
    gpu_.from_host(values, buffer.data());
    return buffer;
  }

  template <int P>
  std::vector<double> means_across(const Stream& stream, const FlowOnGpu<Real>& flow,
                                   const Real* fields) {
    const Problem& problem = plan_.problem();
    const int planes = flow.cells[P];
    const std::int64_t size = static_cast<std::int64_t>(sums_of(plan_)) * planes;
    make_room(size, planes);
    add<P>(stream, flow, fields, detail::VelocityTerms<P, Real>{problem.viscosity}, 0);
    for (int scalar = 0; scalar < plan_.fields() - 3; ++scalar) {
      const double kappa = problem.scalars[static_cast<std::size_t>(scalar)].diffusivity;
      add<P>(stream, flow, fields, detail::ScalarTerms<P, Real>{scalar, kappa},
             sums_before(scalar));
    }
    return gpu_.to_host(sums_.data(), size);
  }

  template <int P, class Terms>
  void add(const Stream& stream, const FlowOnGpu<Real>& flow, const Real* fields,
           const Terms& terms, int first) {
    const int planes = flow.cells[P];
    const int pieces = pieces_of<P>(flow);
    const auto columns = static_cast<unsigned>(pieces);
    if constexpr (P == 2) {
      const int blocks = (planes + detail::profile_threads - 1) / detail::profile_threads;
      launch(stream, {dim3(columns, static_cast<unsigned>(blocks)), dim3(detail::profile_threads)},
             detail::profile_along_rows<Real, Terms>, flow, fields, terms, parts_, room_.data());
    } else {
      launch(stream, {dim3(columns, static_cast<unsigned>(planes)), dim3(detail::profile_threads)},
             detail::profile_of_planes<P, Real, Terms>, flow, fields, terms, parts_, room_.data());
    }
    const std::int64_t size = static_cast<std::int64_t>(Terms::count) * planes;
    gpu_.each(size, AddPieces{room_.data(), pieces, size,
                              sums_.data() + static_cast<std::int64_t>(first) * planes});
  }

  template <int P>
  [[nodiscard]] static int pieces_of(const FlowOnGpu<Real>& flow) {
    const int planes = flow.cells[P];
    const int rows = P == 2 ? flow.cells[0] * flow.cells[1] : flow.cells[P == 0 ? 1 : 0];
    const int wanted = (P == 2 ? most_partial_planes : blocks_for_planes) / planes;
    return std::max(1, std::min(rows, wanted));
  }

  void make_room(std::int64_t size, int planes) {
    const std::int64_t partial =
        static_cast<std::int64_t>(sums_of_velocity) * std::max(most_partial_planes, planes);
    if (static_cast<std::int64_t>(sums_.size()) < size) {
      sums_ = gpu_.template make<double>(size);
    }
    if (static_cast<std::int64_t>(room_.size()) < partial) {
      room_ = gpu_.template make<double>(partial);
    }
  }

  const Plan& plan_;
  const CudaExecutor& gpu_;
  std::array<std::array<Buffer<double>, 2>, 3> lines_;
  AxisPartsOnGpu parts_{};
  Buffer<double> room_;
  Buffer<double> sums_;
};

}  // namespace bankfull::convection
