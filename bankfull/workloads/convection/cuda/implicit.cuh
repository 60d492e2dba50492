#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/workloads/convection/cuda/descend.cuh"
#include "bankfull/workloads/convection/cuda/eliminate.cuh"
#include "bankfull/workloads/convection/cuda/implicit_slot.cuh"
#include "bankfull/workloads/convection/cuda/lines.cuh"
#include "bankfull/workloads/convection/cuda/projection.cuh"
#include "bankfull/workloads/convection/flow_halo.hpp"
#include "bankfull/workloads/convection/implicit_lines.hpp"
#include "bankfull/workloads/convection/staged_integrator.hpp"

#include <array>
#include <vector>

namespace bankfull::convection {

/// The parts of stages with implicit diffusion, and what they need beside the flow.
///
/// Where there are enough columns to fill the GPU, lines along the planes are eliminated by
/// `advance`, slab by slab, and go the way down where the divergence is formed. Where
/// there are few, each axis is one pass of lines through shared memory. Several ranks do what one
/// would do with all of the grid, for the same bits.
template <class Real>
class ImplicitOnGpu {
 public:
  /// `rules`: of all fields on the GPU, if walls vary.
  ImplicitOnGpu(const Plan& plan, const Layout& layout, const CudaExecutor& gpu,
                const Continuations* rules)
      : gpu_(gpu),
        lines_(plan.problem(), plan.grid()),
        fields_(plan.fields()),
        pressure_(layout, 1, plan.problem().device),
        slots_(MemorySpace::device, factor_slots),
        shared_bytes_(allow_shared_lines<Real>(plan.problem().device)) {
    const Extents n = plan.block().extents();
    const int cells[3] = {static_cast<int>(n.ni), static_cast<int>(n.nj), static_cast<int>(n.nk)};
    sweeps_columns_ =
        lines_.along(0) &&
        columns_fill<Real>(plan.grid().extents(), multiprocessors_of(plan.problem().device));
    if (sweeps_columns_) {
      tickets_ = gpu.make<TileTickets::Count>(TileTickets::size(elimination_tiles(cells)));
      fill_bytes(tickets_.data(), 0, tickets_.bytes(), gpu.stream());
    }
    forms_.rules = rules;
    forms_.fields = fields_;
    forms_.viscosity = plan.problem().viscosity;
    forms_.for_values = lines_.for_values();
    describe_lines(cells);
    // No time is that of tables which are still to be formed.
    constexpr unsigned char not_a_number = 0xff;
    fill_bytes(slots_.data(), not_a_number, slots_.bytes(), gpu.stream());
    forget_pressure();
  }

  /// All slots: a stage that is set there is formed before it is used.
  [[nodiscard]] ImplicitSlot<Real>* slots() const { return slots_.data(); }

  void forget_pressure() { fill_bytes(pressure_.data(), 0, pressure_.bytes(), gpu_.stream()); }

  /// The cells of other ranks, once own ones are kept.
  void exchange_pressure(FlowHalo<Real>& halo) { halo.exchange_one(pressure_); }

  /// That stages know of.
  [[nodiscard]] FieldView<Real> pressure() { return pressure_[0]; }

  /// The stage of a slot up to where its lines are solved, except the back substitution of columns.
  void queue_advance(AdvanceArguments<Real> advance, const Continuations* rules, int slot) const {
    queue_forming(gpu_.stream(), forms_, slots(), slot);
    if (sweeps_columns_) {
      advance.planes_per_block = planes_per_slab;
    }
    const int(&cells)[3] = advance.flow.cells;
    const int slabs = (cells[0] + advance.planes_per_block - 1) / advance.planes_per_block;
    queue_elimination(gpu_.stream(),
                      EliminationArguments<Real>{
                          .advance = advance,
                          .slot = slots() + slot,
                          .lines = sweeps_columns_ ? forms_.table(0, slot) : nullptr,
                          .rules = rules,
                          .pressure = known_pressure(),
                          .before_first_row = advance.flow.walls.goes_on[1][0] ? -1 : cells[1] - 1,
                          .tickets = {elimination_tiles(cells), slabs, tickets_.data()},
                          .walls_vary = forms_.rules != nullptr},
                      lines_.for_values());
    const int last = lines_.along(2) ? 2 : lines_.along(1) ? 1 : 0;
    for (const int axis : storage_axes) {
      if (lines_.along(axis) && !(axis == 0 && sweeps_columns_)) {
        const bool ends = axis == last && !sweeps_columns_ && !lines_.for_values();
        queue_axis(advance, axis, slot, ends ? advance.fields : nullptr);
      }
    }
  }

  /// Right side = div u, and scalars the way down. The velocity in the row behind the last one,
  /// which another rank may own, has been eliminated and not yet substituted back.
  void queue_divergence(const FlowOnGpu<Real>& flow, const Real* from, Real* next,
                        const poisson::CellSlots<Real>& right_side, int slot) const {
    if (sweeps_columns_) {
      queue_descent(gpu_.stream(), flow, columns(from, next, slot), right_side);
    } else {
      convection::queue_divergence(gpu_.stream(), all_planes(flow), flow,
                                   static_cast<const Real*>(next), right_side);
    }
  }

  /// The rest of a stage: velocities the way down, and projected.
  void queue_projection(const FlowOnGpu<Real>& flow, const Real* from, Real* next,
                        const poisson::CellSlots<Real>& potential, double* largest_advection,
                        int slot) {
    if (sweeps_columns_) {
      convection::queue_projection(gpu_.stream(), flow, columns(from, next, slot), potential,
                                   largest_advection, kept_pressure(slot));
    } else {
      project_values(flow, next, potential, largest_advection, slot);
    }
  }

  /// Projects a flow that no stage left.
  void project_values(const FlowOnGpu<Real>& flow, Real* fields,
                      const poisson::CellSlots<Real>& potential, double* largest_advection,
                      int slot) {
    convection::queue_projection(gpu_.stream(), flow, fields, potential, largest_advection,
                                 kept_pressure(slot));
  }

 private:
  [[nodiscard]] KeptPressure<Real> kept_pressure(int slot) {
    return {.stage = &(slots() + slot)->factors,
            .values = pressure_[0].origin,
            .implicit_along = {lines_.along(0), lines_.along(1), lines_.along(2)}};
  }

  [[nodiscard]] ColumnsOnGpu<Real> columns(const Real* from, Real* next, int slot) const {
    return {.values = next,
            .start = lines_.for_values() ? nullptr : from,
            .lines = forms_.table(0, slot),
            .fields = fields_};
  }

  [[nodiscard]] const Real* known_pressure() const { return pressure_[0].origin; }

  void describe_lines(const int (&cells)[3]) {
    std::vector<ImplicitLine> lines;
    for (const int axis : storage_axes) {
      const auto a = static_cast<std::size_t>(axis);
      for (const bool on_faces : {false, true}) {
        weights_[a][on_faces ? 1 : 0] = on_gpu(lines_.weights(axis, on_faces));
      }
      for (int field = 0; field < fields_; ++field) {
        lines.push_back(lines_.line(axis, field));
        lines.back().weights = weights_[a][field == axis ? 1 : 0].data();
      }
      forms_.counts[axis] = cells[axis];
      if (lines_.along(axis)) {
        tables_[a] =
            gpu_.make<LineFactors<Real>>(std::int64_t{factor_slots} * cells[axis] * fields_);
        forms_.tables[axis] = tables_[a].data();
      }
    }
    described_ = on_gpu(lines);
    forms_.lines = described_.data();
  }

  template <class T>
  [[nodiscard]] Buffer<T> on_gpu(const std::vector<T>& values) const {
    Buffer<T> buffer = gpu_.make<T>(static_cast<std::int64_t>(values.size()));
    gpu_.from_host(values, buffer.data());
    return buffer;
  }

  void queue_axis(const AdvanceArguments<Real>& advance, int axis, int slot,
                  const Real* start) const {
    const int(&cells)[3] = advance.flow.cells;
    queue_lines(gpu_.stream(),
                LinesOnGpu<Real>{.values = advance.next,
                                 .start = start,
                                 .strides = advance.flow.strides,
                                 .cells = {cells[0], cells[1], cells[2]},
                                 .factors = forms_.table(axis, slot),
                                 .fields = fields_,
                                 .axis = axis},
                shared_bytes_);
  }

  const CudaExecutor& gpu_;
  ImplicitLines<Real> lines_;
  int fields_;
  bool sweeps_columns_ = false;
  Buffer<TileTickets::Count> tickets_;  ///< where columns are swept
  FieldSet<Real> pressure_;
  Buffer<ImplicitSlot<Real>> slots_;
  std::size_t shared_bytes_;  ///< that a block which solves lines may have
  ImplicitForms<Real> forms_{};
  std::array<std::array<Buffer<NeighbourWeights<double>>, 2>, 3> weights_;
  std::array<Buffer<LineFactors<Real>>, 3> tables_;
  Buffer<ImplicitLine> described_;
};

}  // namespace bankfull::convection
