#pragma once

#include "bankfull/core/exec/register_share.cuh"
#include "bankfull/workloads/himeno/cuda/fused_copies.cuh"
#include "bankfull/workloads/himeno/cuda/group.cuh"

namespace bankfull::himeno {

// Three iterations in one pass over the coefficients.
//
// A block owns a tile of rows x columns in (j, k) and marches along i. At step n it does the first
// iteration on plane n of a region two points larger than the tile all round, the second on plane
// n - 1, and the third on plane n - 2 of the tile:
//
//   plane          n-3  n-2  n-1   n   n+1
//   pressure                 (*)  (*)  (*)    shared memory, filled by bulk copies
//   iteration 1         (*)  (*)   *          shared memory
//   iteration 2    (*)  (*)   *               shared memory
//   iteration 3          *                    memory
//
// A thread owns one group of the region. It takes the group's coefficients from a ring that one
// warp keeps filled, and keeps those of three planes in registers, which is most of what it has: so
// pressures are read again from shared memory for every iteration. An iteration needs others'
// results of the same step only from the plane above its own; whatever does not need them is done
// before the block waits for them.
//
// Traffic per point and pass of three iterations: 13 fields read and 1 written, 56 B in fp32 and
// 112 B in fp64, a third of that per iteration. Regions overlap by 4 columns and 4 rows, which
// neighbours kept in step read from L2.

/// A thread's group in the region and in the slots. Threads beyond the last row read along with
/// the first one, and write nothing.
template <class T>
struct GroupPlace {
  static constexpr FusedShape shape = fused_shape(sizeof(T));
  int row, column;  ///< in the region
  bool active;
  int in_pressure;      ///< element of a pressure slot, which begins a row and a group earlier
  int in_result;        ///< element of a result slot, which begins a row earlier
  int in_coefficients;  ///< element of a coefficient slot
  int next_field;       ///< elements from one coefficient to the next there
  int strip = 0;        ///< which of a tile's strips; row and column are in its region

  __device__ __forceinline__ GroupPlace(int thread, int region_rows)
      : row(thread / shape.groups()),
        column(thread % shape.groups() * shape.group),
        active(row < region_rows) {
    const int own_row = active ? row : 0;
    in_pressure = (own_row + 1) * shape.pressure_width() + column + shape.group;
    in_result = (own_row + 1) * shape.width() + column;
    const bool in_edge = column < shape.edge;
    next_field = region_rows * (in_edge ? shape.edge : shape.columns);
    in_coefficients =
        in_edge ? coefficient_count * region_rows * shape.columns + own_row * shape.edge + column
                : own_row * shape.columns + column - shape.edge;
  }

  /// In a tile of strips.
  static __device__ __forceinline__ GroupPlace in_strips(int thread, const FusedStrips& strips) {
    const int rows = strips.region_rows();
    const int thread_row = thread / shape.groups();
    const int strip = thread_row / rows < strips.of_tile ? thread_row / rows : 0;
    GroupPlace place(thread - strip * rows * shape.groups(), rows);
    place.strip = strip;
    place.in_pressure += strip * strips.pressure_pitch(sizeof(T));
    place.in_result += strip * rows * shape.width();
    place.in_coefficients += strip * strips.coefficient_pitch(sizeof(T));
    return place;
  }
};

/// Reads rows of a plane in shared memory. The points beside a group come from the neighbouring
/// lanes, except where these hold other rows or none.
template <class T, int Pitch>
struct SharedRows {
  bool reads_left, reads_right;

  static __device__ __forceinline__ constexpr int pitch() { return Pitch; }
  __device__ __forceinline__ Vector16<T> group(const T* at) const { return load_shared(at); }
  __device__ __forceinline__ RowGroup<T> row(const T* at) const { return beside(group(at), at); }

  /// The group at `at`, which the thread has, with the points beside it.
  __device__ __forceinline__ RowGroup<T> beside(const Vector16<T>& middle, const T* at) const {
    RowGroup<T> row = with_lanes_beside(middle);
    load_shared_if(reads_left, row.left, at - 1);
    load_shared_if(reads_right, row.right, at + Vector16<T>::width);
    return row;
  }
};

/// One iteration on one group in two halves: between them others may still be writing the plane
/// above.
template <class T>
class SplitIteration {
 public:
  static constexpr int width = Vector16<T>::width;

  /// `above` is the thread's own group in the plane above.
  template <class Rows>
  __device__ __forceinline__ SplitIteration(const Rows& rows, const GroupCoefficients<T>& q,
                                            const T* plane_below, const T* plane_here,
                                            const Vector16<T>& above) {
    p_.below = plane_below_of<T>(rows, plane_below);
    p_.here = rows.row(plane_here);
    p_.row_plus = rows.row(plane_here + rows.pitch());
    p_.row_minus = rows.row(plane_here - rows.pitch());
    p_.above.middle = above;
#pragma unroll
    for (int n = 0; n < width; ++n) {
      sum_.lane[n] = residual_of_first(CoefficientsInGroup<T>{q, n}, PressuresInGroup<T>{p_, n});
    }
  }

  template <class Rows>
  __device__ __forceinline__ GroupUpdate<T> finish(const Rows& rows, const GroupCoefficients<T>& q,
                                                   const T* plane_above, T omega) {
    p_.above = rows.beside(p_.above.middle, plane_above);
    p_.above_j_plus = rows.group(plane_above + rows.pitch());
    p_.above_j_minus = rows.group(plane_above - rows.pitch());
    GroupUpdate<T> update;
    update.centre = p_.here.middle;
#pragma unroll
    for (int n = 0; n < width; ++n) {
      update.residual.lane[n] =
          residual_of_all(sum_.lane[n], CoefficientsInGroup<T>{q, n}, PressuresInGroup<T>{p_, n});
      update.next.lane[n] = relaxed(update.centre.lane[n], update.residual.lane[n], omega);
    }
    return update;
  }

 private:
  GroupPressures<T> p_;
  Vector16<T> sum_;
};

/// The warps of a block that compute. `Strips` says whether the plan has any: they cost registers
/// that the kernel for other plans does not have to spare.
template <class T, bool Strips>
class FusedBlock {
 public:
  __device__ __forceinline__ FusedBlock(const FusedArguments<T>& arguments,
                                        const FusedMemory<T>& memory)
      : f_(arguments),
        memory_(memory),
        lane_(static_cast<int>(threadIdx.x) % 32),
        place_(static_cast<int>(threadIdx.x), f_.plan.region_rows),
        // The last iterations do not need what lies beside a region.
        pressure_rows_{lane_ == 0 || place_.column == 0,
                       lane_ == 31 || place_.column == shape.width() - shape.group},
        result_rows_{lane_ == 0, lane_ == 31} {}

  __device__ __forceinline__ void run() {
    const int block = static_cast<int>(blockIdx.x);
    Tile tile = f_.plan.items.template item<Strips>(block, 0);
    for (int n = 1; tile.first < tile.last; ++n) {
      march(tile);
      tile = f_.plan.items.template item<Strips>(block, n);
    }
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int warps = static_cast<int>(gridDim.x) * fused_computing_warps;
#pragma unroll
    for (int iteration = 0; iteration < fused_iterations; ++iteration) {
      const double sum = warp_sum(gosa_[iteration]);
      if (lane_ == 0) {
        f_.partial_gosa[iteration * warps + static_cast<int>(blockIdx.x) * fused_computing_warps +
                        warp] = sum;
      }
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
    const T* below;       ///< of the present pressure, in shared memory: planes n - 1
    const T* here;        ///< and n
    T* next;              ///< the group, one plane before the one that is written next
  };

  __device__ __forceinline__ void march(const Tile& tile) {
    if constexpr (Strips) {
      const int thread = static_cast<int>(threadIdx.x);
      const FusedStrips& strips = f_.plan.items.strips;
      place_ = strips.have(tile) ? GroupPlace<T>::in_strips(thread, strips)
                                 : GroupPlace<T>(thread, f_.plan.region_rows);
    }
    March m = begin(tile);
    // Coefficients of three planes, which change roles from step to step instead of registers.
    static_assert(fused_iterations == 3 && fused_result_slots == 3);
    GroupCoefficients<T> a;
    GroupCoefficients<T> b{};
    GroupCoefficients<T> c{};
    int n = tile.first - fused_layers;
    const int last = tile.last + fused_layers - 1;
#pragma unroll 1
    for (;; ++n) {
      step<0>(m, a, c, b, n);
      if (n++ == last) {
        break;
      }
      step<1>(m, b, a, c, n);
      if (n++ == last) {
        break;
      }
      step<2>(m, c, b, a, n);
      if (n == last) {
        break;
      }
    }
    // The planes of pressure that the last step leaves.
    release_pressure();
    release_pressure();
  }

  __device__ __forceinline__ March begin(const Tile& tile) {
    March m;
    m.tile = tile;
    const int first_column = Strips ? tile.k + place_.strip * shape.columns : tile.k;
    const int k = first_column - shape.edge + place_.column;
    const int j = tile.j - fused_layers + place_.row;
#pragma unroll
    for (int n = 0; n < width; ++n) {
      const int column = place_.column + n - fused_layers;  // of the tile
      m.reach.set(n, place_.active && k + n >= f_.reach.k0 && k + n < f_.reach.k1 &&
                         j >= f_.reach.j0 && j < f_.reach.j1);
      const bool own = place_.active && k + n >= 0 && k + n < f_.nk && j >= 0 && j < f_.nj;
      const int row = place_.row - fused_layers;
      m.output.set(n,
                   own && row >= 0 && row < rows_of(tile) && column >= 0 && column < shape.columns);
    }
    m.next =
        f_.next + ((tile.first - 2 * fused_layers - 1) * f_.plane_pitch + j * f_.row_pitch + k);
    m.below = next_pressure_plane();
    m.here = next_pressure_plane();
    return m;
  }

  __device__ __forceinline__ int rows_of(const Tile& tile) const {
    const FusedItems& items = f_.plan.items;
    return Strips && items.strips.have(tile) ? items.strips.rows : items.tiles.rows;
  }

  /// Waits for a plane of pressure; the thread's group in it.
  __device__ __forceinline__ const T* next_pressure_plane() {
    memory_.pressure_full(pressure_.slot).wait(pressure_.parity);
    const T* const plane = memory_.pressure(pressure_.slot) + place_.in_pressure;
    pressure_.advance(fused_pressure_slots);
    return plane;
  }

  /// This warp has read the oldest plane of pressure that it holds for the last time.
  __device__ __forceinline__ void release_pressure() {
    release(memory_.pressure_free(oldest_pressure_));
    oldest_pressure_ = oldest_pressure_ + 1 == fused_pressure_slots ? 0 : oldest_pressure_ + 1;
  }

  __device__ __forceinline__ void release(const CopyBarrier& free) const {
    __syncwarp();
    if (lane_ == 0) {
      free.arrive();
    }
  }

  __device__ __forceinline__ void next_coefficients(GroupCoefficients<T>& q) {
    memory_.coefficients_full(coefficients_.slot).wait(coefficients_.parity);
    const T* const slot = memory_.coefficients(coefficients_.slot) + place_.in_coefficients;
#pragma unroll
    for (int n = 0; n < coefficient_count; ++n) {
      q.field[n] = load_shared(slot + n * place_.next_field);
    }
    release(memory_.coefficients_free(coefficients_.slot));
    coefficients_.advance(f_.plan.coefficient_slots);
  }

  /// The thread's group in a plane of the results of iteration `layer`.
  __device__ __forceinline__ T* result(int layer, int slot) const {
    return memory_.result(layer, slot) + place_.in_result;
  }

  /// Iteration 1 on plane n, 2 on plane n - 1, 3 on plane n - 2, with the coefficients of these.
  /// `Slot` is where plane n goes in the rings of results.
  template <int Slot>
  __device__ __forceinline__ void step(March& m, GroupCoefficients<T>& now,
                                       const GroupCoefficients<T>& before,
                                       const GroupCoefficients<T>& oldest, int n) {
    constexpr int previous = (Slot + 2) % fused_result_slots;
    constexpr int oldest_slot = (Slot + 1) % fused_result_slots;
    const T* const above = next_pressure_plane();
    next_coefficients(now);
    SplitIteration<T> first(pressure_rows_, now, m.below, m.here, load_shared(above));
    GroupUpdate<T> update = first.finish(pressure_rows_, now, above, f_.omega);
    release_pressure();
    m.below = m.here;
    m.here = above;
    keep(m, 0, update, n);
    store(result(0, Slot), update.next);

    SplitIteration<T> second(result_rows_, before, result(0, oldest_slot), result(0, previous),
                             update.next);
    wait_for_all();
    update = second.finish(result_rows_, before, result(0, Slot), f_.omega);
    keep(m, 1, update, n - 1);
    store(result(1, Slot), update.next);

    SplitIteration<T> third(result_rows_, oldest, result(1, oldest_slot), result(1, previous),
                            update.next);
    wait_for_all();
    update = third.finish(result_rows_, oldest, result(1, Slot), f_.omega);
    const GroupMask<T> output = m.output.where(n - 2 >= m.tile.first);
    gosa_[2] += sum_of_squares(update.residual, output);
    m.next += f_.plane_pitch;
    store_points(m.next, update.next, output);
  }

  /// The boundary keeps its value. Adds up the residuals of the tile.
  __device__ __forceinline__ void keep(const March& m, int iteration, GroupUpdate<T>& update,
                                       int plane) {
    const GroupMask<T> relaxes = m.reach.where(plane >= f_.reach.i0 && plane < f_.reach.i1);
#pragma unroll
    for (int point = 0; point < width; ++point) {
      update.next.lane[point] =
          relaxes.has(point) ? update.next.lane[point] : update.centre.lane[point];
    }
    const bool counts = plane >= m.tile.first && plane < m.tile.last;
    gosa_[iteration] += sum_of_squares(update.residual, m.output.where(counts));
  }

  __device__ __forceinline__ void store(T* at, const Vector16<T>& value) const {
    if (place_.active) {
      store_shared(at, value);
    }
  }

  /// Not for the warps that copy.
  static __device__ __forceinline__ void wait_for_all() {
    asm volatile("bar.sync 1, %0;" ::"n"(fused_computing_threads) : "memory");
  }

  const FusedArguments<T>& f_;
  FusedMemory<T> memory_;
  int lane_;
  GroupPlace<T> place_;
  SharedRows<T, shape.pressure_width()> pressure_rows_;
  SharedRows<T, shape.width()> result_rows_;
  RingCursor pressure_;
  RingCursor coefficients_;
  int oldest_pressure_ = 0;
  double gosa_[fused_iterations] = {};
};

/// Empty where the GPU it is compiled for has no bulk copies.
template <class T, bool Strips>
__global__ void __launch_bounds__(fused_threads, 1)
    sweep_fused(const __grid_constant__ FusedArguments<T> arguments,
                const __grid_constant__ FusedMaps maps) {
  if constexpr (compiled_capability >= bulk_copy_capability) {
    constexpr int most = 240;
    constexpr int least = 24;
    static_assert(fused_computing_threads * most +
                      (fused_threads - fused_computing_threads) * least <=
                  registers_of_multiprocessor);
    extern __shared__ __align__(128) unsigned char shared[];
    const FusedMemory<T> memory(shared, arguments.plan);
    if (threadIdx.x == 0) {
      memory.initialise_barriers();
    }
    __syncthreads();
    if (threadIdx.x < fused_computing_threads) {
      take_registers<most>();
      FusedBlock<T, Strips>(arguments, memory).run();
    } else {
      leave_registers<least>();
      if (threadIdx.x < fused_computing_threads + 32) {
        FusedCopies<T, Strips>(arguments, maps, memory).run();
      }
    }
  }
}

}  // namespace bankfull::himeno
