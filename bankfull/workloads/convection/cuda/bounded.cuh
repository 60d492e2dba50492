#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/core/exec/largest.cuh"
#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/workloads/convection/block_values.hpp"
#include "bankfull/workloads/convection/cuda/advance.cuh"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/flow_halo.hpp"
#include "bankfull/workloads/convection/plan.hpp"
#include "bankfull/workloads/convection/point_bounded.hpp"
#include "bankfull/workloads/convection/stability.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace bankfull::convection {

/// One bounded scalar in a stage. Arrays are as far apart as the flow's fields, and point to cell
/// (0, 0, 0).
template <class Real>
struct BoundedArguments {
  FlowOnGpu<Real> flow;
  const StageFactorsOnGpu<Real>* stage;
  int scalar;
  Real diffusivity;
  const Real* fields;    ///< the flow that the stage starts from
  Real* kept;            ///< centred fluxes through the lower faces
  Real* flux;            ///< A through them
  Real* limiter_ratios;  ///< of the cells
  Real* next;            ///< the scalar itself, as the stage leaves it

  __device__ __forceinline__ BoundedStage<Real> bounded_stage() const {
    const StageFactorsOnGpu<Real> now = *stage;
    return {now.gamma + now.zeta, now.zeta, now.store_tendency};
  }
  __device__ __forceinline__ std::int64_t offset(int i, int j, int k) const {
    return flow.offset(i, j, k);
  }
};

namespace detail {

/// A through a cell's lower faces, and through the upper ones of the last cells along each axis.
template <InPlane Widths, class Real>
struct FindAntidiffusion {
  BoundedArguments<Real> arguments;

  template <int B>
  __device__ __forceinline__ void through(const PointStencil<Real>& stencil, int face,
                                          std::int64_t cell) const {
    const BoundedArguments<Real>& of = arguments;
    const std::int64_t at =
        cell + B * of.flow.strides.field + face * of.flow.strides.template along<B>();
    const AxisMetric<Real>& axis = stencil.axis[B];
    const Real flux = scalar_flux<B>(stencil, of.scalar, of.diffusivity, face,
                                     face == 0 ? axis.per_face : axis.per_face_next);
    const BoundedStage<Real> stage = of.bounded_stage();
    of.flux[at] = antidiffusion<B>(stencil, of.scalar, stage, face, flux, of.kept[at]);
    if (stage.store_flux) {
      of.kept[at] = flux;
    }
  }

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const FlowOnGpu<Real>& flow = arguments.flow;
    const int at[3] = {static_cast<int>(i), static_cast<int>(j), static_cast<int>(k)};
    const std::int64_t cell = arguments.offset(at[0], at[1], at[2]);
    const PointStencil<Real> stencil =
        flow.template stencil<Widths>(arguments.fields, at[0], at[1], at[2]);
    through<0>(stencil, 0, cell);
    through<1>(stencil, 0, cell);
    through<2>(stencil, 0, cell);
    if (at[0] == flow.cells[0] - 1) {
      through<0>(stencil, 1, cell);
    }
    if (at[1] == flow.cells[1] - 1) {
      through<1>(stencil, 1, cell);
    }
    if (at[2] == flow.cells[2] - 1) {
      through<2>(stencil, 1, cell);
    }
  }
};

/// Limiter ratios of a cell, and of its images around periodic ends; beyond walls they stay 1.
template <InPlane Widths, class Real>
struct FindLimiterRatios {
  BoundedArguments<Real> arguments;

  __device__ __forceinline__ void put(std::int64_t at, const LimiterRatios<Real>& ratios) const {
    arguments.limiter_ratios[at] = ratios.rise;
    arguments.limiter_ratios[arguments.flow.strides.field + at] = ratios.fall;
  }

  template <int B>
  __device__ __forceinline__ void put_images(int n, std::int64_t at,
                                             const LimiterRatios<Real>& ratios) const {
    const FlowOnGpu<Real>& flow = arguments.flow;
    const std::int64_t around = flow.cells[B] * flow.strides.template along<B>();
    if (flow.walls.closes(B) && n == 0) {
      put(at + around, ratios);
    }
    if (flow.walls.closes(B) && n == flow.cells[B] - 1) {
      put(at - around, ratios);
    }
  }

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const FlowOnGpu<Real>& flow = arguments.flow;
    const int at[3] = {static_cast<int>(i), static_cast<int>(j), static_cast<int>(k)};
    const std::int64_t cell = arguments.offset(at[0], at[1], at[2]);
    const PointStencil<Real> stencil =
        flow.template stencil<Widths>(arguments.fields, at[0], at[1], at[2]);
    const BoundedPoint<Real> point{flow.strides, arguments.flux + cell,
                                   arguments.limiter_ratios + cell};
    const Real low = upwind_value(stencil, arguments.scalar, arguments.diffusivity,
                                  arguments.bounded_stage().length);
    const LimiterRatios<Real> ratios = limiter_ratios_of(
        stencil, point.fluxes(), low,
        values_around(stencil, arguments.scalar, flow.walls.around(at, flow.cells)));
    put(cell, ratios);
    put_images<0>(at[0], cell, ratios);
    put_images<1>(at[1], cell, ratios);
    put_images<2>(at[2], cell, ratios);
  }
};

inline constexpr int bounded_threads = 128;
inline constexpr int bounded_blocks = 1024;

/// body(i, j, k) of the cells of every `bounded_blocks`-th row.
template <class Body>
__device__ __forceinline__ void each_cell_of_rows(const int (&cells)[3], const Body& body) {
  const int rows = cells[0] * cells[1];
  for (int row = static_cast<int>(blockIdx.x); row < rows; row += static_cast<int>(gridDim.x)) {
    for (int k = static_cast<int>(threadIdx.x); k < cells[2]; k += bounded_threads) {
      body(row / cells[1], row % cells[1], k);
    }
  }
}

/// Corrects all cells. Each block leaves what it has added to the sum of T^2 / 2 times the cells'
/// volumes.
template <InPlane Widths, class Real>
__global__ void __launch_bounds__(bounded_threads)
    correct_kernel(const __grid_constant__ BoundedArguments<Real> arguments, double* partial) {
  const FlowOnGpu<Real>& flow = arguments.flow;
  double added = 0.0;
  each_cell_of_rows(flow.cells, [&](int i, int j, int k) {
    const std::int64_t cell = arguments.offset(i, j, k);
    const PointStencil<Real> stencil = flow.template stencil<Widths>(arguments.fields, i, j, k);
    const BoundedPoint<Real> point{flow.strides, arguments.flux + cell,
                                   arguments.limiter_ratios + cell};
    const Real correction = point.correction(stencil.axis);
    const Real after = arguments.next[cell] + correction;
    arguments.next[cell] = after;
    const Real before = stencil.template at<0>(3 + arguments.scalar, 0);
    const double per_volume = static_cast<double>(stencil.axis[0].per_cell) *
                              static_cast<double>(stencil.axis[1].per_cell) *
                              static_cast<double>(stencil.axis[2].per_cell);
    added += 0.5 * static_cast<double>((after + before) * correction) / per_volume;
  });
  added = block_sum(added);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = added;
  }
}

/// *sum += factor times the sum of all blocks' parts, in a fixed order.
template <class Sum>
__global__ void __launch_bounds__(bounded_blocks)
    add_partial_sums(const Sum* partial, Sum factor, Sum* sum) {
  const Sum all = block_sum(partial[threadIdx.x]);
  if (threadIdx.x == 0) {
    *sum += factor * all;
  }
}

template <class Real>
struct ExchangeArguments {
  FlowOnGpu<Real> flow;
  const Real* fields;
  const Real* diffusion[3];  ///< of the cells along each axis; see diffusive_exchange
};

/// The flow on the upper face of a cell along B, whose ghosts need not be in place, except for
/// those of other ranks.
template <int B, class Real>
__device__ __forceinline__ Real upper_velocity(const FlowOnGpu<Real>& flow,
                                               const PointStencil<Real>& stencil, int n) {
  const bool last = n == flow.cells[B] - 1;
  if (last && flow.walls.at_end(B, 1)) {
    return Real(0);
  }
  return stencil.template at<B>(B, last && flow.walls.closes(B) ? 1 - flow.cells[B] : 1);
}

/// Raises `largest` to the largest exchange_rate.
template <InPlane Widths, class Real>
__global__ void __launch_bounds__(bounded_threads)
    exchange_kernel(const __grid_constant__ ExchangeArguments<Real> arguments, double* largest) {
  const FlowOnGpu<Real>& flow = arguments.flow;
  Real most = Real(0);
  each_cell_of_rows(flow.cells, [&](int i, int j, int k) {
    const PointStencil<Real> stencil = flow.template stencil<Widths>(arguments.fields, i, j, k);
    const FacePairs<Real> velocity{
        {stencil.template at<0>(0, 0), stencil.template at<1>(1, 0), stencil.template at<2>(2, 0)},
        {upper_velocity<0>(flow, stencil, i), upper_velocity<1>(flow, stencil, j),
         upper_velocity<2>(flow, stencil, k)}};
    most = larger(
        exchange_rate(stencil.axis, velocity, arguments.diffusion[0][i] + arguments.diffusion[1][j],
                      arguments.diffusion[2][k]),
        most);
  });
  raise_to_largest(largest, static_cast<double>(most));
}

}  // namespace detail

/// Corrects bounded scalars that `advance` has taken through a stage by centred fluxes, in three
/// passes each, as CpuBounded. All of it can be recorded. Empty where there are none.
template <class Real>
class CudaBounded {
 public:
  CudaBounded(const Plan& plan, const CudaExecutor& gpu, FlowHalo<Real>& halo)
      : stream_(gpu.stream()),
        halo_(halo),
        ranks_(plan.ranks()),
        problem_(plan.problem()),
        volume_(plan.grid().volume()),
        layout_(plan.block().extents(), 1, sizeof(Real)),
        scalars_(bounded_scalars(plan.problem())) {
    if (scalars_.empty()) {
      return;
    }
    const std::array<std::vector<double>, 3> diffusion =
        diffusive_exchange(plan.problem(), plan.grid());
    for (std::size_t axis = 0; axis < diffusion.size(); ++axis) {
      const std::vector<double> own =
          cells_of_block(diffusion[axis], plan.block(), static_cast<int>(axis));
      const std::vector<Real> line(own.begin(), own.end());
      diffusion_[axis] = gpu.make<Real>(static_cast<std::int64_t>(line.size()));
      gpu.from_host(line, diffusion_[axis].data());
    }
    const Device device = problem_.device;
    const int kept = 3 * static_cast<int>(scalars_.size());
    kept_ = std::make_unique<FieldSet<Real>>(layout_, kept, device);
    fluxes_ = std::make_unique<FieldSet<Real>>(layout_, 3, device);
    limiter_ratios_ = std::make_unique<FieldSet<Real>>(layout_, 2, device);
    partial_ = gpu.make<double>(detail::bounded_blocks);
    corrected_variance_ = gpu.make<double>(static_cast<std::int64_t>(problem_.scalars.size()));
    gpu.fill(fluxes_->data(), static_cast<std::int64_t>(fluxes_->size()), Real(0));
    gpu.fill(limiter_ratios_->data(), static_cast<std::int64_t>(limiter_ratios_->size()),
             Real(1));  // beyond walls
    restart(gpu);
  }

  [[nodiscard]] bool any() const { return !scalars_.empty(); }

  /// Forgets fluxes and sums.
  void restart(const CudaExecutor& gpu) {
    if (any()) {
      gpu.fill(kept_->data(), static_cast<std::int64_t>(kept_->size()), Real(0));
      gpu.fill(corrected_variance_.data(), static_cast<std::int64_t>(problem_.scalars.size()), 0.0);
    }
  }

  /// See Diagnosis::OfScalar; waits for all work. Collective.
  [[nodiscard]] double corrected_variance(int scalar) const {
    double sum = 0.0;
    copy_bytes(&sum, corrected_variance_.data() + scalar, sizeof(sum), stream_);
    stream_.synchronize();
    return ranks_ == nullptr ? sum : ranks_->sum(sum);
  }

  /// Waits for all work. One rank takes what all have added.
  void set_corrected_variance(int scalar, double of_all) {
    const double value = ranks_ == nullptr || ranks_->is_root() ? of_all : 0.0;
    copy_bytes(corrected_variance_.data() + scalar, &value, sizeof(value), stream_);
    stream_.synchronize();
  }

  /// The centred flux of the stage before, see Kept::flux.
  [[nodiscard]] FieldView<Real> kept_flux(int number) const { return (*kept_)[number]; }

  /// Queues the passes over the flow that a stage started from, and what it has become.
  void queue(const FlowOnGpu<Real>& flow, const StageFactorsOnGpu<Real>* stage, const Real* from,
             Real* to) {
    for (std::size_t n = 0; n < scalars_.size(); ++n) {
      const int scalar = scalars_[n];
      const double kappa = problem_.scalars[static_cast<std::size_t>(scalar)].diffusivity;
      const BoundedArguments<Real> arguments{.flow = flow,
                                             .stage = stage,
                                             .scalar = scalar,
                                             .diffusivity = static_cast<Real>(kappa),
                                             .fields = from,
                                             .kept = (*kept_)[3 * static_cast<int>(n)].origin,
                                             .flux = (*fluxes_)[0].origin,
                                             .limiter_ratios = (*limiter_ratios_)[0].origin,
                                             .next = to + (3 + scalar) * flow.strides.field};
      flow.widths == InPlane::uniform ? queue_passes<InPlane::uniform>(arguments)
                                      : queue_passes<InPlane::stretched>(arguments);
    }
  }

  /// Raises `largest` to the largest exchange_rate of a projected flow; nothing where there is no
  /// bounded scalar.
  void queue_exchange(const FlowOnGpu<Real>& flow, const Real* fields, double* largest) const {
    if (!any()) {
      return;
    }
    const detail::ExchangeArguments<Real> arguments{
        flow, fields, {diffusion_[0].data(), diffusion_[1].data(), diffusion_[2].data()}};
    launch(stream_, {dim3(detail::bounded_blocks), dim3(detail::bounded_threads)},
           flow.widths == InPlane::uniform ? detail::exchange_kernel<InPlane::uniform, Real>
                                           : detail::exchange_kernel<InPlane::stretched, Real>,
           arguments, largest);
  }

 private:
  template <InPlane Widths>
  void queue_passes(const BoundedArguments<Real>& arguments) {
    const Box cells = box_of(layout_.interior());
    for_each(stream_, cells, detail::FindAntidiffusion<Widths, Real>{arguments});
    for_each(stream_, cells, detail::FindLimiterRatios<Widths, Real>{arguments});
    halo_.exchange_limiter_ratios(*limiter_ratios_);
    launch(stream_, {dim3(detail::bounded_blocks), dim3(detail::bounded_threads)},
           detail::correct_kernel<Widths, Real>, arguments, partial_.data());
    launch(stream_, {dim3(1), dim3(detail::bounded_blocks)}, detail::add_partial_sums<double>,
           static_cast<const double*>(partial_.data()), 1.0 / volume_,
           corrected_variance_.data() + arguments.scalar);
  }

  const Stream& stream_;
  FlowHalo<Real>& halo_;
  const Communicator* ranks_;  ///< null where there is one only
  const Problem& problem_;
  double volume_;
  Layout layout_;
  std::vector<int> scalars_;
  std::array<Buffer<Real>, 3> diffusion_;
  std::unique_ptr<FieldSet<Real>> kept_;            ///< centred fluxes, three of each scalar
  std::unique_ptr<FieldSet<Real>> fluxes_;          ///< A through the lower faces, of one scalar
  std::unique_ptr<FieldSet<Real>> limiter_ratios_;  ///< of one scalar
  Buffer<double> partial_;
  Buffer<double> corrected_variance_;  ///< of all scalars, what this rank has added
};

}  // namespace bankfull::convection
