#pragma once

#include "bankfull/core/exec/tensor_map.hpp"
#include "bankfull/workloads/himeno/cuda/fused.cuh"
#include "bankfull/workloads/himeno/fields.hpp"

namespace bankfull::himeno {

/// The fused schedule for the fields of one problem: its plan, tensor maps and counters.
template <class T>
class FusedPass {
 public:
  /// The GPU must have what `sweep_fused` was compiled for.
  FusedPass(Fields<T>& fields, const Stream& stream, int multiprocessors)
      : plan_(plan_fused(fields.layout().interior(), sizeof(T),
                         {.multiprocessors = multiprocessors,
                          .shared_bytes = static_cast<int>(
                              max_shared_bytes(stream.device(), sweep_fused<T, false>))})),
        sweep_(plan_.items.strips.tiles > 0 ? sweep_fused<T, true> : sweep_fused<T, false>),
        maps_(make_maps(fields)),
        progress_(MemorySpace::device,
                  static_cast<std::size_t>(plan_.items.blocks() * InStep::pitch)) {
    // For all plans, because several solvers may be alive.
    allow_shared_bytes(sweep_, max_shared_bytes(stream.device(), sweep_));
    fill_bytes(progress_.data(), 0, progress_.bytes(), stream);
  }

  [[nodiscard]] const FusedPlan& plan() const { return plan_; }
  [[nodiscard]] int partials() const { return plan_.items.blocks() * fused_computing_warps; }

  /// Queues fused_iterations from the present to the next pressure. `partial_gosa` gets partials()
  /// sums of the first of them, then as many of the next.
  void queue(const Stream& stream, Fields<T>& fields, double* partial_gosa) const {
    const Layout& layout = fields.layout();
    const Extents n = layout.interior();
    const FusedArguments<T> arguments{
        .plan = plan_,
        .nj = static_cast<int>(n.nj),
        .nk = static_cast<int>(n.nk),
        .reach = reach_of(fields.domain()),
        .lead = lead(layout),
        .ghosts = static_cast<int>(layout.ghosts()),
        .pressure_field = static_cast<int>(
            (fields.pressure().origin - fields.coefficient(0).origin) / fields.stride()),
        .row_pitch = layout.row_pitch(),
        .plane_pitch = layout.plane_pitch(),
        .next = fields.next().origin,
        .progress = progress_.data(),
        .partial_gosa = partial_gosa,
        .omega = static_cast<T>(omega)};
    launch(stream,
           {dim3(static_cast<unsigned>(plan_.items.blocks())), dim3(fused_threads),
            static_cast<std::size_t>(plan_.shared_bytes)},
           sweep_, arguments, maps_);
  }

 private:
  /// Elements of a row before its first interior cell, as far as the allocation has them.
  static int lead(const Layout& layout) {
    return static_cast<int>(layout.origin() -
                            layout.ghosts() * (layout.plane_pitch() + layout.row_pitch()));
  }

  static FusedReach reach_of(const Domain& domain) {
    const Box box = domain.updated(fused_layers);
    const auto bound = [](std::int64_t n) { return static_cast<int>(n); };
    return {.i0 = bound(box.i0),
            .i1 = bound(box.i1),
            .j0 = bound(box.j0),
            .j1 = bound(box.j1),
            .k0 = bound(box.k0),
            .k1 = bound(box.k1)};
  }

  [[nodiscard]] FusedMaps make_maps(Fields<T>& fields) const {
    const Layout& layout = fields.layout();
    const Extents n = layout.interior();
    constexpr FusedShape shape = fused_shape(sizeof(T));
    const TensorShape tensor{
        .extents = {lead(layout) + n.nk + layout.ghosts(), n.nj + 2 * layout.ghosts(),
                    n.ni + 2 * layout.ghosts(), field_count},
        .pitches = {layout.row_pitch(), layout.plane_pitch(), fields.stride()}};
    T* const data = fields.coefficient(0).origin - layout.origin();
    const auto boxes = [&](int columns, int rows, int count) {
      return make_tensor_map(data, tensor, {columns, rows, 1, count});
    };
    const auto boxes_of = [&](int region_rows) -> FusedBoxes {
      return {.body = boxes(shape.columns, region_rows, coefficient_count),
              .edge = boxes(shape.edge, region_rows, coefficient_count),
              .pressure = boxes(shape.pressure_width(), region_rows + 2, 1)};
    };
    const FusedStrips& strips = plan_.items.strips;
    return {.tiles = boxes_of(plan_.region_rows),
            .strips = strips.tiles > 0 ? boxes_of(strips.region_rows()) : FusedBoxes{}};
  }

  FusedPlan plan_;
  void (*sweep_)(FusedArguments<T>, FusedMaps);
  FusedMaps maps_;
  Buffer<unsigned> progress_;
};

}  // namespace bankfull::himeno
