#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/workloads/convection/drive.hpp"
#include "bankfull/workloads/convection/implicit_line.hpp"
#include "bankfull/workloads/convection/implicit_stage.hpp"
#include "bankfull/workloads/convection/wall_changes.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull::convection {

/// All that a stage with implicit diffusion multiplies by, in the GPU's memory, so that a recorded
/// graph serves any step. The tables of Thomas's factors are beside it.
template <class Real>
struct ImplicitSlot {
  Stage stage;           ///< from it follows the rest
  double formed_for[3];  ///< the implicit time of the tables of each axis
  ImplicitFactors<Real> factors;
  Real wall_weights[2][max_fields];  ///< across the planes, see ImplicitLine
  WallChanges<Real> wall_changes;    ///< where any wall varies
};

/// What the slots of a problem are formed by, and their tables.
template <class Real>
struct ImplicitForms {
  const ImplicitLine* lines;     ///< of all fields along axis 0, then 1, then 2
  LineFactors<Real>* tables[3];  ///< of an axis: [slot][place][field]; null where it is explicit
  std::int64_t counts[3];        ///< places
  const Continuations* rules;    ///< of all fields; null: no wall varies
  int fields;
  double viscosity;
  bool for_values;  ///< see ImplicitLines

  [[nodiscard]] BANKFULL_HOST_DEVICE LineFactors<Real>* table(int axis, int slot) const {
    return tables[axis] == nullptr ? nullptr : tables[axis] + slot * counts[axis] * fields;
  }
};

namespace detail {

/// Thomas's factors of a line by the lanes of a warp: those of one place follow from the place
/// before, but what a part of the line makes of the place before it does not.
template <class Real>
__device__ void form_line(const ImplicitLine& line, double time, LineFactors<Real>* factors,
                          int step) {
  const auto lane = static_cast<int>(threadIdx.x);
  const auto from_lower = [](const RestMap& map, int distance) {
    constexpr unsigned all = 0xffffffff;
    return RestMap{__shfl_up_sync(all, map.a, distance), __shfl_up_sync(all, map.b, distance),
                   __shfl_up_sync(all, map.c, distance), __shfl_up_sync(all, map.d, distance)};
  };
  const ImplicitLine::Part part = line.part(lane);
  RestMap map = line.passage(time, part);
  for (int distance = 1; distance < ImplicitLine::parts; distance *= 2) {
    const RestMap before = from_lower(map, distance);
    map = lane < distance ? map : before.then(map).scaled();
  }
  const RestMap before = from_lower(map, 1);
  const double rest = line.rest_before();
  line.form_part(time, part, lane == 0 ? rest : before.of(rest), factors, step);
}

/// One block per axis and one warp per field. Factors stay as they are where the stage is as long
/// as the one that they were formed for.
template <class Real>
__global__ void __launch_bounds__(ImplicitLine::parts* max_fields)
    form_slot_kernel(const __grid_constant__ ImplicitForms<Real> forms, ImplicitSlot<Real>* slots,
                     int number) {
  ImplicitSlot<Real>& slot = slots[number];
  const int axis = static_cast<int>(blockIdx.x);
  const int field = static_cast<int>(threadIdx.y);
  const double time = slot.stage.implicit_time();
  const bool formed = slot.formed_for[axis] == time;
  __syncthreads();
  const ImplicitLine line = forms.lines[axis * forms.fields + field];
  if (!formed && forms.tables[axis] != nullptr) {
    form_line(line, time, forms.table(axis, number) + field, forms.fields);
  }
  if (threadIdx.x != 0) {
    return;
  }
  if (axis == 0) {
    for (const int side : {0, 1}) {
      slot.wall_weights[side][field] = static_cast<Real>(line.wall_weight(time, side));
    }
  }
  if (forms.rules != nullptr) {
    const bool along = forms.tables[axis] != nullptr;
    for (const int side : {0, 1}) {
      const double change = forms.rules[field].at[axis][side].change;
      slot.wall_changes.part[axis][side][field] =
          static_cast<Real>(along ? line.wall_weight(time, side) * change : 0.0);
      slot.wall_changes.excess[axis][side][field] =
          static_cast<Real>(along ? line.row_excess(time, side) : 0.0);
    }
  }
  if (field == 0) {
    slot.formed_for[axis] = time;
    if (axis == 0) {
      slot.factors = implicit_factors_of<Real>(slot.stage, forms.viscosity, forms.for_values);
    }
  }
}

}  // namespace detail

/// Queues what follows from the stage of a slot.
template <class Real>
void queue_forming(const Stream& stream, const ImplicitForms<Real>& forms,
                   ImplicitSlot<Real>* slots, int number) {
  static_assert(ImplicitLine::parts * max_fields <= 1024, "one warp per field");
  launch(stream, {dim3(3), dim3(ImplicitLine::parts, static_cast<unsigned>(forms.fields))},
         detail::form_slot_kernel<Real>, forms, slots, number);
}

}  // namespace bankfull::convection
