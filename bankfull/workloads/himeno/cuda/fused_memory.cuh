#pragma once

#include "bankfull/core/exec/bulk_copy.cuh"
#include "bankfull/workloads/himeno/cuda/fused_plan.hpp"

#include <cstdint>

namespace bankfull::himeno {

/// The points that the iterations before the last update: a rank's own and, where another rank has
/// the neighbours, the layers of its points that later iterations need.
struct FusedReach {
  int i0, i1, j0, j1, k0, k1;
};

/// What the fused kernel needs besides the tensor maps. Pitches are in elements.
template <class T>
struct FusedArguments {
  FusedPlan plan;
  int nj, nk;          ///< points of this rank
  FusedReach reach;    ///< points that are updated at all
  int lead;            ///< coordinate of k = 0 in the tensor maps
  int ghosts;          ///< coordinate of j = 0 and of i = 0
  int pressure_field;  ///< coordinate of the present pressure
  std::int64_t row_pitch;
  std::int64_t plane_pitch;
  T* next;               ///< interior cell (0, 0, 0)
  unsigned* progress;    ///< counters of InStep
  double* partial_gosa;  ///< of each iteration, one per computing warp
  T omega;
};

/// All fields, in boxes of: aligned columns of all coefficients of a region's plane, their edge
/// columns, and a region's plane of pressure with a row and a group more on all sides. Boxes whose
/// rows have the same alignment to 128 bytes in memory and in shared memory take half the requests
/// to L2, hence two boxes for the coefficients.
struct FusedBoxes {
  CUtensorMap body;
  CUtensorMap edge;
  CUtensorMap pressure;
};

struct FusedMaps {
  FusedBoxes tiles;
  FusedBoxes strips;
};

/// The next slot of a ring, and the parity of the phase in which it is filled.
struct RingCursor {
  int slot = 0;
  unsigned parity = 0;

  __device__ __forceinline__ void advance(int slots) {
    slot = slot + 1 == slots ? 0 : slot + 1;
    if (slot == 0) {
      parity ^= 1U;
    }
  }
};

static_assert(2 * (fused_pressure_slots + fused_max_coefficient_slots) * CopyBarrier::bytes <=
              fused_barrier_bytes);

/// Where things are in a block's shared memory.
template <class T>
struct FusedMemory {
  unsigned char* start;
  int pressure_slot_bytes;
  int result_slot_bytes;
  int coefficient_slot_bytes;

  __device__ __forceinline__ FusedMemory(unsigned char* shared, const FusedPlan& plan)
      : start(shared),
        pressure_slot_bytes(plan.pressure_slot_bytes),
        result_slot_bytes(plan.result_slot_bytes),
        coefficient_slot_bytes(plan.coefficient_slot_bytes) {}

  // A slot is full when its planes have arrived, and free again when all warps have read them.
  __device__ __forceinline__ CopyBarrier pressure_full(int slot) const { return barrier(slot); }
  __device__ __forceinline__ CopyBarrier pressure_free(int slot) const {
    return barrier(fused_pressure_slots + slot);
  }
  __device__ __forceinline__ CopyBarrier coefficients_full(int slot) const {
    return barrier(2 * fused_pressure_slots + slot);
  }
  __device__ __forceinline__ CopyBarrier coefficients_free(int slot) const {
    return barrier(2 * fused_pressure_slots + fused_max_coefficient_slots + slot);
  }

  __device__ __forceinline__ T* pressure(int slot) const {
    return plane(fused_barrier_bytes + slot * pressure_slot_bytes);
  }
  /// Plane `slot` of the result of iteration `layer`, 0 the first.
  __device__ __forceinline__ T* result(int layer, int slot) const {
    return plane(fused_barrier_bytes + fused_pressure_slots * pressure_slot_bytes +
                 (layer * fused_result_slots + slot) * result_slot_bytes);
  }
  __device__ __forceinline__ T* coefficients(int slot) const {
    return plane(fused_barrier_bytes + fused_pressure_slots * pressure_slot_bytes +
                 fused_layers * fused_result_slots * result_slot_bytes +
                 slot * coefficient_slot_bytes);
  }

  __device__ __forceinline__ void initialise_barriers() const {
    for (int n = 0; n < fused_pressure_slots; ++n) {
      pressure_full(n).initialise();
      pressure_free(n).initialise(fused_computing_warps);
    }
    for (int n = 0; n < fused_max_coefficient_slots; ++n) {
      coefficients_full(n).initialise();
      coefficients_free(n).initialise(fused_computing_warps);
    }
    publish_copy_barriers();
  }

 private:
  __device__ __forceinline__ CopyBarrier barrier(int n) const {
    return {shared_address(start) + static_cast<unsigned>(CopyBarrier::bytes * n)};
  }
  __device__ __forceinline__ T* plane(int offset) const {
    return reinterpret_cast<T*>(start + offset);
  }
};

}  // namespace bankfull::himeno
