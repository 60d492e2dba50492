#pragma once

#include "bankfull/core/exec/bulk_copy.cuh"
#include "bankfull/workloads/hpcg/cuda/fused_plan.cuh"
#include "bankfull/workloads/hpcg/cuda/pipeline_tile.cuh"
#include "bankfull/workloads/hpcg/cuda/sweeps.cuh"
#include "bankfull/workloads/hpcg/problem.hpp"
#include "bankfull/workloads/hpcg/smoother.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull::hpcg::cuda {

// The cycle from a level on, down to the coarsest and up again, as one kernel: for levels so small
// that their steps take longer to begin, to end and to wait for each other than to read their data.
//
// Each warp goes through a list of items (fused_plan.cuh), each a slice in a step. The copy engine
// brings the matrix of the next items into the warp's ring in shared memory while rows wait. A row
// waits for each value that it gathers until the value itself appears, so neither classes nor steps
// nor levels need a barrier: nothing is waited for but what is needed. Blocks cannot wait in vain,
// because all run at once and all go through the steps and classes in the same order.
//
// Every vector that rows wait for is written once per cycle. There are two sets of them, and a
// cycle resets the set of the one before, which nobody reads any more.

// Columns are those kept in full, whatever those of other levels are.

namespace fused {

/// One level's data.
struct LevelData {
  SlicedView<FullColumns> lower;
  SlicedView<FullColumns> upper;
  const double* diagonal;
  double* u;                       ///< what a sweep keeps of U x; see smoother.hpp
  double* awaited;                 ///< two sets of the vectors `Awaited`, one after the other
  std::int64_t size;               ///< of a vector
  const std::int32_t* coarse_row;  ///< of the rows from coarse_begin on
  std::int64_t coarse_begin;
};

struct Arguments {
  LevelData level[level_count];
  int first;                      ///< level
  const double* r;                ///< of the first level, complete
  const std::int32_t* finer_row;  ///< the finer level's row of each row there; -1 if it has none
  double* finer_x;                ///< to which the result is added
  const Item* items;
  const std::int32_t* begin;  ///< of each warp's items, and the end
  unsigned ring_bytes;        ///< of a warp
  unsigned* cycles;           ///< done so far; then the blocks that have finished this one
};

/// Slots whose x is gathered at once: all of a row of the benchmark's operator, or fewer where
/// there are fewer.
inline constexpr int wide_window = 26;
inline constexpr int narrow_window = 12;

/// Shared memory behind the rings: windows may read beyond their slots, and drop what they read.
inline constexpr unsigned slack_bytes = wide_window * slice_bytes;

/// The step that leaves a level's result.
__device__ __forceinline__ Step last_step(int level) {
  return level + 1 == level_count ? Step::after_zero : Step::back_again;
}

/// One element that another thread stores.
__device__ __forceinline__ double await(const double* at) {
  double value = load_relaxed(at);
  while (is_awaited(value)) {
    value = load_relaxed(at);
  }
  return value;
}

/// Slots in the ring.
struct Brought {
  const double* value;
  const std::int32_t* column;

  [[nodiscard]] __device__ __forceinline__ std::int32_t column_at(int slot, int lane) const {
    return column[slot * slice_height + lane];
  }
};

/// The x of some slots of a row, as many as `count`.
template <int Most>
__device__ __forceinline__ void gather_window(const Brought& part, int count, int lane,
                                              const double* from,
                                              double (&x)[static_cast<std::size_t>(Most)]) {
  std::int32_t column[static_cast<std::size_t>(Most)];
#pragma unroll
  for (int n = 0; n < Most; ++n) {
    column[n] = part.column_at(n, lane);
  }
  gather<Most>(AwaitedVector{from}, column, count, x);
  complete<Most>(AwaitedVector{from}, column, x);
}

/// `first`: of all slots but the coarse ones.
template <int Most>
__device__ __forceinline__ SplitSum window_sums(const Brought& part, int count,
                                                const SlotRange& coarse, int lane,
                                                const double* from, double sum) {
  double x[static_cast<std::size_t>(Most)];
  gather_window<Most>(part, count, lane, from, x);
#pragma unroll
  for (int n = 0; n < Most; ++n) {
    const double value = part.value[n * slice_height + lane];
    const bool taken = n < count && (n < coarse.begin || n >= coarse.end);
    sum = taken ? fma(value, x[n], sum) : sum;
  }
  const double first = sum;
  if (coarse.begin < coarse.end) {
#pragma unroll
    for (int n = 0; n < Most; ++n) {
      const double value = part.value[n * slice_height + lane];
      sum = n >= coarse.begin && n < coarse.end ? fma(value, x[n], sum) : sum;
    }
  }
  return {first, sum};
}

/// What a warp does; all lanes call everything.
class Worker {
 public:
  __device__ __forceinline__ Worker(const Arguments& a, std::uint64_t* ready, Item* described,
                                    unsigned char* ring)
      : a_(a),
        ready_(ready),
        described_(described),
        ring_(ring),
        lane_(static_cast<int>(threadIdx.x % 32)),
        set_(*static_cast<volatile const unsigned*>(a.cycles) % 2U) {}

  __device__ __forceinline__ void run(const Item* items, int count) const {
    int brought = 0;
    Item next{};
    if (count > 0) {
      next = items[0];
    }
    for (int n = 0; n < count; ++n) {
      while (brought < count && brought - next.distance < n) {
        bring(items + brought, next, brought);
        ++brought;
        if (brought < count) {
          next = items[brought];
        }
      }
      barrier(n).wait(static_cast<unsigned>(n / max_ahead) % 2U);
      process(described_[n % max_ahead]);
      __syncwarp();  // the item's bytes may be overwritten
    }
  }

 private:
  /// Where an item's data lie in the ring.
  struct Places {
    unsigned value, column, second_value, second_column, diagonal, right_side, end;

    __device__ __forceinline__ explicit Places(const Item& item) {
      value = item.offset;
      column = value + item.slots * slice_bytes;
      second_value = column + item.slots * column_bytes;
      second_column = second_value + item.second_slots * slice_bytes;
      diagonal = second_column + item.second_slots * column_bytes;
      right_side = diagonal + (item.has_diagonal ? slice_bytes : 0U);
      end = right_side + (item.has_right_side ? slice_bytes : 0U);
    }
  };

  [[nodiscard]] __device__ __forceinline__ CopyBarrier barrier(int n) const {
    return pipeline::barrier(ready_[n % max_ahead]);
  }

  [[nodiscard]] __device__ __forceinline__ const SlicedView<FullColumns>& part_of(
      const Item& item) const {
    const LevelData& level = a_.level[item.level];
    return reads_lower(item.step) ? level.lower : level.upper;
  }

  /// Requests an item with its data; each lane one piece.
  __device__ __forceinline__ void bring(const Item* from, const Item& item, int n) const {
    const LevelData& level = a_.level[item.level];
    const SlicedView<FullColumns>& part = part_of(item);
    const Places at(item);
    const std::int64_t row = std::int64_t{item.slice} * slice_height;
    const std::uint32_t ring = shared_address(ring_);
    const CopyBarrier ready = barrier(n);
    if (lane_ == 0) {
      ready.expect(at.end - item.offset + static_cast<unsigned>(sizeof(Item)));
      copy_once(shared_address(described_ + n % max_ahead), from, sizeof(Item), ready);
    }
    __syncwarp();
    if (lane_ == 1) {
      copy_once(ring + at.value, part.value + std::int64_t{item.slot} * slice_height,
                at.column - at.value, ready);
    } else if (lane_ == 2) {
      copy_once(ring + at.column, part.columns.column + std::int64_t{item.slot} * slice_height,
                at.second_value - at.column, ready);
    } else if (lane_ == 3) {
      copy_once(ring + at.second_value,
                level.upper.value + std::int64_t{item.second_slot} * slice_height,
                at.second_column - at.second_value, ready);
    } else if (lane_ == 4) {
      copy_once(ring + at.second_column,
                level.upper.columns.column + std::int64_t{item.second_slot} * slice_height,
                at.diagonal - at.second_column, ready);
    } else if (lane_ == 5) {
      copy_once(ring + at.diagonal, level.diagonal + row, at.right_side - at.diagonal, ready);
    } else if (lane_ == 6) {
      copy_once(ring + at.right_side, a_.r + row, at.end - at.right_side, ready);
    }
  }

  [[nodiscard]] __device__ __forceinline__ double* vector(int level, Awaited which,
                                                          unsigned set) const {
    const LevelData& data = a_.level[level];
    const std::int64_t number = set * awaited_vectors + static_cast<std::int64_t>(which);
    return data.awaited + number * data.size;
  }

  [[nodiscard]] __device__ __forceinline__ const double* doubles(unsigned at) const {
    return reinterpret_cast<const double*>(ring_ + at);
  }

  [[nodiscard]] __device__ __forceinline__ Brought brought(unsigned value, unsigned column) const {
    return {doubles(value), reinterpret_cast<const std::int32_t*>(ring_ + column)};
  }

  [[nodiscard]] __device__ __forceinline__ std::int64_t row_of(const Item& item) const {
    return std::int64_t{item.slice} * slice_height + lane_;
  }

  /// The row's element of a vector, which this thread itself has written earlier.
  [[nodiscard]] __device__ __forceinline__ double own(const Item& item, Awaited which) const {
    return load_relaxed(vector(item.level, which, set_) + row_of(item));
  }

  __device__ __forceinline__ void store(const Item& item, Awaited which, double value) const {
    store_relaxed(vector(item.level, which, set_) + row_of(item), value);
    store_relaxed(vector(item.level, which, 1U - set_) + row_of(item), awaited_value());
  }

  [[nodiscard]] __device__ __forceinline__ SplitSum sums(const Brought& part, int slots,
                                                         const SlotRange& coarse, const double* x,
                                                         double sum) const {
    if (slots == 0) {
      return {sum, sum};
    }
    if (slots <= narrow_window) {
      return window_sums<narrow_window>(part, slots, coarse, lane_, x, sum);
    }
    if (slots <= wide_window) {
      return window_sums<wide_window>(part, slots, coarse, lane_, x, sum);
    }
    const auto add = [&](int begin, int end) {
      for (int n = begin; n < end; ++n) {
        sum = fma(part.value[n * slice_height + lane_], await(x + part.column_at(n, lane_)), sum);
      }
      return sum;
    };
    add(0, coarse.begin);
    const double first = add(coarse.end, slots);
    return {first, add(coarse.begin, coarse.end)};
  }

  /// The products of a row with the item's part. It first waits for an x behind most others, with
  /// one load at a time: repeated loads of all of them would delay those of other warps.
  [[nodiscard]] __device__ __forceinline__ SplitSum part_sums(const Item& item, const Places& at,
                                                              Awaited which) const {
    const Brought part = brought(at.value, at.column);
    const double* const x = vector(item.level, which, set_);
    if (item.early < item.slots) {
      static_cast<void>(await(x + part.column_at(item.early, lane_)));
    }
    return sums(part, item.slots, {item.coarse_begin, item.coarse_end}, x, 0.0);
  }

  /// sum + the products with the item's second slots.
  [[nodiscard]] __device__ __forceinline__ double second_sum(const Item& item, const Places& at,
                                                             Awaited which, double sum) const {
    const Brought second = brought(at.second_value, at.second_column);
    const SlotRange none{item.second_slots, item.second_slots};
    return sums(second, item.second_slots, none, vector(item.level, which, set_), sum).all;
  }

  /// r of the row. Empty rows have no coarser level's residual to wait for.
  [[nodiscard]] __device__ __forceinline__ double right_side(const Item& item,
                                                             const Places& at) const {
    if (item.has_right_side) {
      return doubles(at.right_side)[lane_];
    }
    const bool real = (item.rows >> static_cast<unsigned>(lane_) & 1U) != 0U;
    return real ? await(vector(item.level, Awaited::restricted, set_) + row_of(item)) : 0.0;
  }

  [[nodiscard]] __device__ __forceinline__ std::int32_t coarse_row(const Item& item) const {
    const LevelData& level = a_.level[item.level];
    return __ldg(level.coarse_row + (row_of(item) - level.coarse_begin));
  }

  __device__ __forceinline__ void restrict_residual(const Item& item, const Places& at) const {
    const std::int32_t coarse = coarse_row(item);
    const double r = right_side(item, at);
    const double x = own(item, Awaited::after_zero);
    const double lower = part_sums(item, at, Awaited::after_zero).all;
    const double upper = second_sum(item, at, Awaited::after_zero, 0.0);
    if (coarse >= 0) {
      store_relaxed(vector(item.level + 1, Awaited::restricted, set_) + coarse,
                    residual(r, lower, doubles(at.diagonal)[lane_], x, upper, 0.0));
    }
  }

  __device__ __forceinline__ void prolong(const Item& item) const {
    const std::int32_t coarse = coarse_row(item);
    const Awaited result =
        last_step(item.level + 1) == Step::after_zero ? Awaited::after_zero : Awaited::back_again;
    double x = own(item, Awaited::after_zero);
    if (coarse >= 0) {
      x += await(vector(item.level + 1, result, set_) + coarse);
    }
    store(item, Awaited::prolonged, x);
  }

  __device__ __forceinline__ void sweep_forward(const Item& item, const Places& at) const {
    const bool again = item.step == Step::again;
    const Awaited which = again ? Awaited::again : Awaited::from_zero;
    const double diagonal = doubles(at.diagonal)[lane_];
    const double r = right_side(item, at);
    double* const u = a_.level[item.level].u + row_of(item);
    double upper = again ? *u : 0.0;
    if (item.second_slots > 0) {
      upper = second_sum(item, at, Awaited::prolonged, upper);
      *u = upper;
    }
    const double lower = part_sums(item, at, which).all;
    store(item, which,
          again ? forward_again(r, lower, upper, 0.0, diagonal)
                : forward_from_zero(r, lower, diagonal));
  }

  __device__ __forceinline__ void sweep_backward(const Item& item, const Places& at) const {
    const bool again = item.step == Step::back_again;
    const Awaited which = again ? Awaited::back_again : Awaited::after_zero;
    const double diagonal = doubles(at.diagonal)[lane_];
    const double x = own(item, again ? Awaited::again : Awaited::from_zero);
    double* const u = a_.level[item.level].u + row_of(item);
    const double before = again ? *u : 0.0;
    const SplitSum upper = part_sums(item, at, which);
    const double now = again ? backward_again(x, before, upper.all, diagonal)
                             : backward_after_zero(x, upper.all, diagonal);
    store(item, which, now);
    if (!again) {
      *u = upper.first;
      const std::int64_t row = row_of(item);
      store_relaxed(vector(item.level, Awaited::restricted, 1U - set_) + row, awaited_value());
    }
    if (item.level == a_.first && item.step == last_step(item.level)) {
      correct_finer(item, now);
    }
  }

  __device__ __forceinline__ void correct_finer(const Item& item, double x) const {
    const std::int32_t row = __ldg(a_.finer_row + row_of(item));
    if (row >= 0) {
      a_.finer_x[row] += x;
    }
  }

  __device__ __forceinline__ void process(const Item& item) const {
    const Places at(item);
    switch (item.step) {
      case Step::from_zero:
      case Step::again:
        sweep_forward(item, at);
        break;
      case Step::after_zero:
      case Step::back_again:
        sweep_backward(item, at);
        break;
      case Step::restriction:
        restrict_residual(item, at);
        break;
      case Step::prolongation:
        prolong(item);
    }
  }

  const Arguments& a_;
  std::uint64_t* ready_;  ///< max_ahead barriers
  Item* described_;       ///< as many items
  unsigned char* ring_;
  int lane_;
  unsigned set_;
};

}  // namespace fused

static __global__ void __launch_bounds__(fused::warps * 32, 1)
    fused_cycle_kernel(const __grid_constant__ fused::Arguments a) {
  if constexpr (compiled_capability >= bulk_copy_capability) {
    extern __shared__ __align__(128) unsigned char ring_memory[];
    __shared__ std::uint64_t ready[fused::warps * fused::max_ahead];
    __shared__ __align__(16) fused::Item described[fused::warps * fused::max_ahead];
    const unsigned warp = threadIdx.x / 32;
    const unsigned first = warp * static_cast<unsigned>(fused::max_ahead);
    if (threadIdx.x % 32 < static_cast<unsigned>(fused::max_ahead)) {
      pipeline::barrier(ready[first + threadIdx.x % 32]).initialise();
      publish_copy_barriers();
    }
    __syncwarp();
    const unsigned number = blockIdx.x * static_cast<unsigned>(fused::warps) + warp;
    fused::Worker(a, ready + first, described + first, ring_memory + warp * a.ring_bytes)
        .run(a.items + a.begin[number], a.begin[number + 1] - a.begin[number]);
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(a.cycles + 1, 1U) + 1U == gridDim.x) {
      a.cycles[1] = 0U;
      ++a.cycles[0];
    }
  }
}

}  // namespace bankfull::hpcg::cuda
