#pragma once

#include "bankfull/core/exec/bulk_copy.cuh"
#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/workloads/himeno/cuda/fused_plan.hpp"
#include "bankfull/workloads/himeno/cuda/group.cuh"
#include "bankfull/workloads/himeno/cuda/in_step.cuh"

namespace bankfull::himeno {

// Two iterations in one pass over the coefficients.
//
// A block owns a tile of rows x columns in (j, k) and marches along i. At step n it does the first
// iteration on plane n of a region one point larger than the tile all round, into shared memory,
// then the second iteration on plane n - 1 of the tile. A thread owns one group of the region. It
// takes the group's coefficients from a ring that the bulk copy engine fills, and keeps them in
// registers for one step, until the second iteration needs them. All planes in shared memory have
// the region's width, so a thread's group is always at the same place of a plane (no bank
// conflicts), and the points beside a group belong to the neighbouring lanes.
//
// Traffic per point and pass of two iterations: 13 fields read and 1 written, 56 B in fp32 and 112
// B in fp64, half of that per iteration. Regions overlap by 3 columns and 2 rows (pressure: 4 and
// 4), which neighbours kept in step read from L2.

/// The points that the first iteration updates: a rank's own and, where another rank has the
/// neighbours, one layer of its points.
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
  double* partial_gosa;  ///< one per block for the first iteration, then for the second
  T omega;
};

/// All fields, in boxes of: aligned columns of all coefficients of a region's plane, their edge
/// columns, and a region's plane of pressure with a row more on both sides. Boxes whose rows have
/// the same alignment to 128 bytes in memory and in shared memory take half the requests to L2,
/// hence two boxes for the coefficients.
struct FusedMaps {
  CUtensorMap body;
  CUtensorMap edge;
  CUtensorMap pressure;
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

/// Where things are in a block's shared memory.
template <class T>
struct FusedMemory {
  unsigned char* start;
  int pressure_slot_bytes;
  int coefficient_slot_bytes;

  __device__ __forceinline__ CopyBarrier pressure_full(int slot) const {
    return {shared_address(start) + static_cast<unsigned>(CopyBarrier::bytes * slot)};
  }
  __device__ __forceinline__ CopyBarrier coefficients_full(int slot) const {
    return pressure_full(fused_pressure_slots + slot);
  }
  __device__ __forceinline__ T* pressure(int slot) const {
    return plane(fused_barrier_bytes + slot * pressure_slot_bytes);
  }
  __device__ __forceinline__ T* first(int slot) const {
    return pressure(fused_pressure_slots + slot);
  }
  __device__ __forceinline__ T* coefficients(int slot) const {
    return plane(fused_barrier_bytes +
                 (fused_pressure_slots + fused_first_slots) * pressure_slot_bytes +
                 slot * coefficient_slot_bytes);
  }

 private:
  __device__ __forceinline__ T* plane(int offset) const {
    return reinterpret_cast<T*>(start + offset);
  }
};

/// The plane and item that one thread requests next. It runs ahead of the computation across the
/// block's items, so that an item's first planes arrive during the last steps of the one before.
/// `Beyond` planes more than the item's are needed on each side.
template <class T, int Beyond>
struct PlaneQueue {
  int item, plane, end, k, j, slot;  // plane, k and j are coordinates in the tensor maps

  __device__ __forceinline__ void start(const FusedArguments<T>& f) {
    item = static_cast<int>(blockIdx.x);
    slot = 0;
    enter(f);
  }
  __device__ __forceinline__ bool done(const FusedArguments<T>& f) const {
    return item >= f.plan.tiles.count();
  }
  __device__ __forceinline__ void advance(const FusedArguments<T>& f, int slots) {
    slot = slot + 1 == slots ? 0 : slot + 1;
    if (++plane < end) {
      return;
    }
    item += static_cast<int>(gridDim.x);
    enter(f);
  }

 private:
  __device__ __forceinline__ void enter(const FusedArguments<T>& f) {
    if (done(f)) {
      return;
    }
    const Tile tile = f.plan.tiles.tile(item);
    plane = tile.first - Beyond + f.ghosts;
    end = tile.last + Beyond + f.ghosts;
    k = tile.k + f.lead;
    j = tile.j + f.ghosts;
  }
};

/// The one thread that requests planes of pressure.
template <class T>
struct PressureRequests {
  static constexpr FusedShape shape = fused_shape(sizeof(T));
  PlaneQueue<T, 2> queue;

  __device__ __forceinline__ void ask(const FusedArguments<T>& f, const FusedMaps& maps,
                                      const FusedMemory<T>& memory) {
    if (queue.done(f)) {
      return;
    }
    const CopyBarrier full = memory.pressure_full(queue.slot);
    full.expect(static_cast<unsigned>(shape.width() * (f.plan.region_rows + 2)) * sizeof(T));
    copy_box(memory.pressure(queue.slot), &maps.pressure,
             {queue.k - shape.edge, queue.j - 2, queue.plane, f.pressure_field}, full);
    queue.advance(f, fused_pressure_slots);
  }
};

/// The one thread that requests planes of coefficients. A slot holds the aligned columns of all
/// fields, then their edges.
template <class T>
struct CoefficientRequests {
  static constexpr FusedShape shape = fused_shape(sizeof(T));
  PlaneQueue<T, 1> queue;

  __device__ __forceinline__ void ask(const FusedArguments<T>& f, const FusedMaps& maps,
                                      const FusedMemory<T>& memory) {
    if (queue.done(f)) {
      return;
    }
    const int rows = coefficient_count * f.plan.region_rows;
    const CopyBarrier full = memory.coefficients_full(queue.slot);
    T* const to = memory.coefficients(queue.slot);
    full.expect(static_cast<unsigned>(shape.width() * rows) * sizeof(T));
    copy_box(to, &maps.body, {queue.k, queue.j - 1, queue.plane, 0}, full);
    copy_box(to + rows * shape.columns, &maps.edge,
             {queue.k - shape.edge, queue.j - 1, queue.plane, 0}, full);
    queue.advance(f, f.plan.coefficient_slots);
  }
};

/// A thread's group in the region and in the slots. Threads beyond the last row read along with
/// the first one, and write nothing.
template <class T>
struct GroupPlace {
  static constexpr FusedShape shape = fused_shape(sizeof(T));
  int row, column;  ///< in the region
  bool active;
  int in_plane;         ///< element of a pressure slot, which begins one row earlier
  int in_coefficients;  ///< element of a coefficient slot
  int next_field;       ///< elements from one coefficient to the next there

  __device__ __forceinline__ GroupPlace(int thread, int region_rows)
      : row(thread / shape.groups()),
        column(thread % shape.groups() * shape.group),
        active(row < region_rows) {
    const int own_row = active ? row : 0;
    in_plane = (own_row + 1) * shape.width() + column;
    const bool in_edge = column < shape.edge;
    next_field = region_rows * (in_edge ? shape.edge : shape.columns);
    in_coefficients =
        in_edge ? coefficient_count * region_rows * shape.columns + own_row * shape.edge + column
                : own_row * shape.columns + column - shape.edge;
  }
};

/// Reads rows of a plane in shared memory.
template <class T>
struct SharedRows {
  int lane;

  static __device__ __forceinline__ constexpr int pitch() { return fused_shape(sizeof(T)).width(); }
  __device__ __forceinline__ Vector16<T> group(const T* at) const { return load_shared(at); }
  __device__ __forceinline__ RowGroup<T> row(const T* at) const {
    RowGroup<T> row = with_lanes_beside(group(at));
    load_shared_if(lane == 0, row.left, at - 1);
    load_shared_if(lane == 31, row.right, at + Vector16<T>::width);
    return row;
  }
};

/// One block of the fused kernel.
template <class T>
class FusedBlock {
 public:
  __device__ __forceinline__ FusedBlock(const FusedArguments<T>& arguments, const FusedMaps& maps,
                                        unsigned char* shared)
      : f_(arguments),
        maps_(maps),
        memory_{shared, f_.plan.pressure_slot_bytes, f_.plan.coefficient_slot_bytes},
        thread_(static_cast<int>(threadIdx.x)),
        rows_{thread_ % 32},
        place_(thread_, f_.plan.region_rows) {}

  __device__ __forceinline__ void run() {
    start_copies();
    in_step_.start(f_.progress, f_.plan.tiles.tiles_k, rows_.lane);
    const int items = f_.plan.tiles.count();
    for (int n = static_cast<int>(blockIdx.x); n < items; n += static_cast<int>(gridDim.x)) {
      march(f_.plan.tiles.tile(n));
    }
    if (keeps_step() && rows_.lane == 0) {
      in_step_.finish();
    }
    first_gosa_ = block_sum(first_gosa_);
    second_gosa_ = block_sum(second_gosa_);
    if (thread_ == 0) {
      f_.partial_gosa[blockIdx.x] = first_gosa_;
      f_.partial_gosa[gridDim.x + blockIdx.x] = second_gosa_;
    }
  }

 private:
  static constexpr FusedShape shape = fused_shape(sizeof(T));
  static constexpr int width = Vector16<T>::width;

  /// The state of a thread while its block marches through one item.
  struct March {
    Tile tile;
    GroupMask<T> reach;   ///< points of the grid that are updated
    GroupMask<T> output;  ///< those of them that belong to the tile
    MarchingGroup<T> first;
    MarchingGroup<T> second;
    const T* plane_here;  ///< of the present pressure, in shared memory
    T* next;              ///< the group, one plane before the one that is written next
  };

  // The auxiliary tasks are assigned to single threads of different warps: all other warps wait for
  // them at the next barrier.
  __device__ __forceinline__ bool keeps_step() const { return thread_ / 32 == 1; }
  __device__ __forceinline__ bool asks_pressure() const { return is_thread(64); }
  __device__ __forceinline__ bool asks_coefficients() const { return is_thread(96); }
  __device__ __forceinline__ bool is_thread(unsigned n) const {
    return threadIdx.x == n % blockDim.x;
  }

  __device__ __forceinline__ void start_copies() {
    if (thread_ == 0) {
      for (int n = 0; n < fused_pressure_slots; ++n) {
        memory_.pressure_full(n).initialise();
      }
      for (int n = 0; n < f_.plan.coefficient_slots; ++n) {
        memory_.coefficients_full(n).initialise();
      }
      publish_copy_barriers();
    }
    __syncthreads();
    if (asks_pressure()) {
      pressure_requests_.queue.start(f_);
      for (int n = 0; n < fused_pressure_slots; ++n) {
        pressure_requests_.ask(f_, maps_, memory_);
      }
    }
    if (asks_coefficients()) {
      coefficient_requests_.queue.start(f_);
      for (int n = 0; n < f_.plan.coefficient_slots; ++n) {
        coefficient_requests_.ask(f_, maps_, memory_);
      }
    }
  }

  __device__ __forceinline__ void march(const Tile& tile) {
    March m = begin(tile);
    // Coefficients of two planes: those just arrived serve the first iteration on plane n, the
    // older ones the second on plane n - 1. They swap roles, so no registers are copied.
    GroupCoefficients<T> even;
    GroupCoefficients<T> odd{};
    int n = tile.first - 1;
#pragma unroll 1
    for (; n < tile.last; n += 2) {
      step(m, even, odd, n);
      step(m, odd, even, n + 1);
    }
    if (n == tile.last) {
      step(m, even, odd, n);
    }
  }

  __device__ __forceinline__ March begin(const Tile& tile) {
    March m;
    m.tile = tile;
    const int k = tile.k - shape.edge + place_.column;
    const int j = tile.j - 1 + place_.row;
#pragma unroll
    for (int n = 0; n < width; ++n) {
      const int column = place_.column + n - 2;  // of the tile
      m.reach.set(n, place_.active && k + n >= f_.reach.k0 && k + n < f_.reach.k1 &&
                         j >= f_.reach.j0 && j < f_.reach.j1);
      const bool own = place_.active && k + n >= 0 && k + n < f_.nk && j >= 0 && j < f_.nj;
      m.output.set(n, own && place_.row >= 1 && place_.row <= f_.plan.tiles.rows && column >= 0 &&
                          column < shape.columns);
    }
    m.next = f_.next + ((tile.first - 3) * f_.plane_pitch + j * f_.row_pitch + k);
    const T* const plane_below = next_pressure_plane();
    m.plane_here = next_pressure_plane();
    m.first.start(rows_, plane_below, m.plane_here);
    return m;
  }

  /// Waits for a plane of pressure; the thread's group in it.
  __device__ __forceinline__ const T* next_pressure_plane() {
    memory_.pressure_full(pressure_.slot).wait(pressure_.parity);
    const T* const plane = memory_.pressure(pressure_.slot) + place_.in_plane;
    pressure_.advance(fused_pressure_slots);
    return plane;
  }

  __device__ __forceinline__ void next_coefficients(GroupCoefficients<T>& q) {
    memory_.coefficients_full(coefficients_.slot).wait(coefficients_.parity);
    const T* const slot = memory_.coefficients(coefficients_.slot) + place_.in_coefficients;
#pragma unroll
    for (int n = 0; n < coefficient_count; ++n) {
      q.field[n] = load_shared(slot + n * place_.next_field);
    }
    coefficients_.advance(f_.plan.coefficient_slots);
  }

  /// First iteration on plane n, second on plane n - 1.
  __device__ __forceinline__ void step(March& m, GroupCoefficients<T>& now,
                                       const GroupCoefficients<T>& old, int n) {
    const T* const plane_above = next_pressure_plane();
    next_coefficients(now);
    const int written = first_slot_;
    const int previous = (written + fused_first_slots - 1) % fused_first_slots;
    first_slot_ = written + 1 == fused_first_slots ? 0 : written + 1;
    iterate_first(m, now, plane_above, n, written);
    __syncthreads();
    side_jobs(n == m.tile.last);
    iterate_second(m, old, n, previous, written);
  }

  __device__ __forceinline__ void iterate_first(March& m, const GroupCoefficients<T>& q,
                                                const T* plane_above, int n, int written) {
    GroupUpdate<T> update = m.first.advance(rows_, q, m.plane_here, plane_above, f_.omega);
    m.plane_here = plane_above;
    // The boundary keeps its value.
    const GroupMask<T> relaxes = m.reach.where(n >= f_.reach.i0 && n < f_.reach.i1);
#pragma unroll
    for (int point = 0; point < width; ++point) {
      update.next.lane[point] =
          relaxes.has(point) ? update.next.lane[point] : update.centre.lane[point];
    }
    const bool counts = n >= m.tile.first && n < m.tile.last;
    first_gosa_ += sum_of_squares(update.residual, m.output.where(counts));
    if (place_.active) {
      store_shared(memory_.first(written) + place_.in_plane, update.next);
    }
  }

  __device__ __forceinline__ void iterate_second(March& m, const GroupCoefficients<T>& q, int n,
                                                 int previous, int written) {
    const T* const here = memory_.first(previous) + place_.in_plane;
    const T* const above = memory_.first(written) + place_.in_plane;
    const GroupUpdate<T> update = m.second.advance(rows_, q, here, above, f_.omega);
    const GroupMask<T> output = m.output.where(n > m.tile.first);
    second_gosa_ += sum_of_squares(update.residual, output);
    m.next += f_.plane_pitch;
    store_points(m.next, update.next, output);
  }

  /// After the barrier of a step the slot of the plane's coefficients is free, because they are in
  /// registers, and so is that of the plane of pressure below; at the end of an item the slots of
  /// all three planes of pressure are.
  __device__ __forceinline__ void side_jobs(bool ends_item) {
    if (keeps_step() && f_.plan.window > 0) {
      in_step_.advance(rows_.lane, f_.plan.window);
    }
    if (asks_pressure()) {
      for (int free = ends_item ? 3 : 1; free > 0; --free) {
        pressure_requests_.ask(f_, maps_, memory_);
      }
    }
    if (asks_coefficients()) {
      coefficient_requests_.ask(f_, maps_, memory_);
    }
  }

  const FusedArguments<T>& f_;
  const FusedMaps& maps_;
  FusedMemory<T> memory_;
  int thread_;
  SharedRows<T> rows_;
  GroupPlace<T> place_;
  RingCursor pressure_;
  RingCursor coefficients_;
  int first_slot_ = 0;
  PressureRequests<T> pressure_requests_;
  CoefficientRequests<T> coefficient_requests_;
  InStep in_step_;
  double first_gosa_ = 0.0;
  double second_gosa_ = 0.0;
};

/// Empty where the GPU it is compiled for has no bulk copies.
template <class T>
__global__ void __launch_bounds__(fused_max_threads, 1)
    sweep_fused(const __grid_constant__ FusedArguments<T> arguments,
                const __grid_constant__ FusedMaps maps) {
  if constexpr (compiled_capability >= bulk_copy_capability) {
    extern __shared__ __align__(128) unsigned char shared[];
    FusedBlock<T>(arguments, maps, shared).run();
  }
}

}  // namespace bankfull::himeno
