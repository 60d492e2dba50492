#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/convection/block_values.hpp"
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

/// The weights of one cell, for a profile across P.
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

template <int P, InPlane Widths, class Real, class Terms>
__device__ __forceinline__ void add_cell(const FlowOnGpu<Real>& flow, const Real* fields,
                                         const Terms& terms_of, const AxisPartsOnGpu& parts,
                                         const int (&at)[3], double (&sums)[Terms::count]) {
  double terms[Terms::count];
  terms_of(flow.template stencil<Widths>(fields, at[0], at[1], at[2]), terms);
  const PlaneParts own = parts_of_cell<P>(parts, at);
#pragma unroll
  for (int s = 0; s < Terms::count; ++s) {
    sums[s] += own.at(Terms::place(s)) * terms[s];
  }
}

/// The part of `size` things that piece `piece` of `pieces` takes: consecutive ones.
struct Range {
  int begin;
  int end;
};
__device__ __forceinline__ Range range_of(int size, int piece, int pieces) {
  return {static_cast<int>(std::int64_t{size} * piece / pieces),
          static_cast<int>(std::int64_t{size} * (piece + 1) / pieces)};
}

/// Planes across axis 0 or 1: block (piece, plane) adds the cells of consecutive rows of its plane,
/// row after row, so that it finds two of the three rows that a stencil reads in L1.
/// partial: [piece][sum][plane].
template <int P, InPlane Widths, class Real, class Terms>
__global__ void __launch_bounds__(profile_threads)
    profile_of_planes(const __grid_constant__ FlowOnGpu<Real> flow, const Real* fields,
                      const __grid_constant__ Terms terms,
                      const __grid_constant__ AxisPartsOnGpu parts, double* partial) {
  constexpr int across = 1 - P;  // the axis that rows follow one another along
  const int plane = static_cast<int>(blockIdx.y);
  const Range rows =
      range_of(flow.cells[across], static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
  double sums[Terms::count] = {};
  for (int k = static_cast<int>(threadIdx.x); k < flow.cells[2]; k += profile_threads) {
    for (int row = rows.begin; row < rows.end; ++row) {
      const int at[3] = {P == 0 ? plane : row, P == 0 ? row : plane, k};
      add_cell<P, Widths>(flow, fields, terms, parts, at, sums);
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

/// Planes across axis 2: a thread each, which follows a strip of rows along axis 0. The strip's
/// rows of three planes stay in L1, so that L2 delivers each little more than once.
template <InPlane Widths, class Real, class Terms>
__global__ void __launch_bounds__(profile_threads)
    profile_along_rows(const __grid_constant__ FlowOnGpu<Real> flow, const Real* fields,
                       const __grid_constant__ Terms terms,
                       const __grid_constant__ AxisPartsOnGpu parts, int strips, double* partial) {
  const int planes = flow.cells[2];
  const int k = static_cast<int>(blockIdx.y) * profile_threads + static_cast<int>(threadIdx.x);
  if (k >= planes) {
    return;
  }
  const int piece = static_cast<int>(blockIdx.x);
  const Range rows = range_of(flow.cells[1], piece % strips, strips);
  const Range along = range_of(flow.cells[0], piece / strips, static_cast<int>(gridDim.x) / strips);
  double sums[Terms::count] = {};
  for (int i = along.begin; i < along.end; ++i) {
    for (int j = rows.begin; j < rows.end; ++j) {
      const int at[3] = {i, j, k};
      add_cell<2, Widths>(flow, fields, terms, parts, at, sums);
    }
  }
#pragma unroll
  for (int s = 0; s < Terms::count; ++s) {
    partial[(static_cast<std::size_t>(piece) * Terms::count + s) * planes + k] = sums[s];
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

/// Means in the planes across an axis: see ProfileSample. Collective. One pass for the velocity and
/// one for each scalar; sums are formed in an order that depends on the grid and its cut alone.
/// Memory is taken at the first sample.
template <class Real>
class ProfilesOnGpu {
 public:
  ProfilesOnGpu(const Plan& plan, const CudaExecutor& gpu) : plan_(plan), gpu_(gpu) {
    const AxisParts parts(plan.grid());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto own = [&](const std::vector<double>& line) {
        return on_this_gpu(cells_of_block(line, plan.block(), static_cast<int>(axis)));
      };
      lines_[axis] = {own(parts.cells[axis]), own(parts.faces[axis])};
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
  static constexpr int max_partial_planes = static_cast<int>(max_partial_sums);
  static constexpr int blocks_for_planes = 8192;
  /// Few enough for L1, and enough that the two rows beside a strip are few of those it reads.
  static constexpr int rows_per_strip = 4;

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
    return of_all_ranks<P>(gpu_.to_host(sums_.data(), size));
  }

  /// From the sums of this rank's planes, each of all of its cells.
  template <int P>
  std::vector<double> of_all_ranks(const std::vector<double>& own) const {
    const Box& block = plan_.block();
    const std::int64_t first[3] = {block.i0, block.j0, block.k0};
    const std::int64_t own_planes = static_cast<std::int64_t>(own.size()) / sums_of(plan_);
    const std::int64_t planes = plan_.grid().axis(P).count();
    std::vector<double> all(static_cast<std::size_t>(sums_of(plan_) * planes), 0.0);
    for (int sum = 0; sum < sums_of(plan_); ++sum) {
      std::copy_n(own.begin() + sum * own_planes, own_planes,
                  all.begin() + sum * planes + first[P]);
    }
    return added_by_ranks(plan_.ranks(), all);
  }

  template <int P, class Terms>
  void add(const Stream& stream, const FlowOnGpu<Real>& flow, const Real* fields,
           const Terms& terms, int first) {
    const int pieces = flow.widths == InPlane::uniform
                           ? add_pieces<P, InPlane::uniform>(stream, flow, fields, terms)
                           : add_pieces<P, InPlane::stretched>(stream, flow, fields, terms);
    const std::int64_t size = static_cast<std::int64_t>(Terms::count) * flow.cells[P];
    gpu_.each(size, AddPieces{room_.data(), pieces, size,
                              sums_.data() + static_cast<std::int64_t>(first) * flow.cells[P]});
  }

  /// How many pieces there are.
  template <int P, InPlane Widths, class Terms>
  int add_pieces(const Stream& stream, const FlowOnGpu<Real>& flow, const Real* fields,
                 const Terms& terms) {
    const int planes = flow.cells[P];
    constexpr dim3 threads(detail::profile_threads);
    if constexpr (P == 2) {
      const int most = std::max(1, max_partial_planes / planes);
      const int strips = std::clamp(flow.cells[1] / rows_per_strip, 1, most);
      const int pieces = strips * std::clamp(most / strips, 1, flow.cells[0]);
      const int blocks = (planes + detail::profile_threads - 1) / detail::profile_threads;
      launch(stream, {dim3(static_cast<unsigned>(pieces), static_cast<unsigned>(blocks)), threads},
             detail::profile_along_rows<Widths, Real, Terms>, flow, fields, terms, parts_, strips,
             room_.data());
      return pieces;
    } else {
      const int pieces = std::clamp(blocks_for_planes / planes, 1, flow.cells[1 - P]);
      launch(stream, {dim3(static_cast<unsigned>(pieces), static_cast<unsigned>(planes)), threads},
             detail::profile_of_planes<P, Widths, Real, Terms>, flow, fields, terms, parts_,
             room_.data());
      return pieces;
    }
  }

  void make_room(std::int64_t size, int planes) {
    const std::int64_t partial =
        static_cast<std::int64_t>(sums_of_velocity) * std::max(max_partial_planes, planes);
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
