#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/workloads/hpcg/coloured_level.hpp"

#include <cstdint>

namespace bankfull::hpcg {
namespace {

// A block has a slice, whose rows its warps divide, and a lane has an entry of a row: what lanes
// load of the matrix lies side by side, and a row is known to the warp without an array of it.

constexpr int slice_rows = 32;
constexpr int warps = 8;
constexpr int threads = warps * slice_rows;
constexpr int rows_each = slice_rows / warps;
constexpr unsigned all_lanes = ~0U;
static_assert(max_entries <= slice_rows, "a warp holds a row");

/// The group of a lane without an entry, or with that of the diagonal.
constexpr int no_group = -1;

__device__ __forceinline__ int lane_of_thread() {
  return static_cast<int>(threadIdx.x) % slice_rows;
}
__device__ __forceinline__ int warp_of_thread() {
  return static_cast<int>(threadIdx.x) / slice_rows;
}
__device__ __forceinline__ unsigned ballot(bool condition) {
  return __ballot_sync(all_lanes, condition ? 1 : 0);
}

/// A lane's entry of a row, by the class of its column in the new order.
struct LaneEntry {
  std::int64_t at = 0;  ///< in the matrix
  std::int32_t column = 0;
  bool is_there = false;
  bool is_diagonal = false;
  int row_entries = 0;   ///< of all lanes, the diagonal's too
  int group = no_group;  ///< see NewEntries
  unsigned same = 0;     ///< lanes whose entries have this group
  int place = 0;         ///< among these

  [[nodiscard]] __device__ bool in_group() const { return group != no_group; }
};

/// The rows of a level in their new order.
struct NewRows {
  CsrView matrix;
  const std::int32_t* new_of;
  const Side* side_of;
  const std::int32_t* old_of;
  std::int64_t rows;
  detail::ClassBegins classes;

  /// One row after the other, each by all lanes.
  template <int Count>
  __device__ __forceinline__ void read(std::int64_t first, LaneEntry* entries) const {
    std::int64_t begin[Count];
    std::int64_t end[Count];
#pragma unroll
    for (int n = 0; n < Count; ++n) {
      const std::int32_t old = old_of[first + n];
      begin[n] = old < 0 ? 0 : matrix.start[old];
      end[n] = old < 0 ? 0 : matrix.start[old + 1];
    }
#pragma unroll
    for (int n = 0; n < Count; ++n) {
      entries[n].at = begin[n] + lane_of_thread();
      entries[n].row_entries = static_cast<int>(end[n] - begin[n]);
      entries[n].is_there = entries[n].at < end[n];
      entries[n].column = entries[n].is_there ? matrix.column[entries[n].at] : -1;
    }
#pragma unroll
    for (int n = 0; n < Count; ++n) {
      renumber(first + n, entries[n]);
    }
#pragma unroll
    for (int n = 0; n < Count; ++n) {
      entries[n].same = __match_any_sync(all_lanes, entries[n].group);
      entries[n].place = __popc(entries[n].same & ((1U << lane_of_thread()) - 1U));
    }
  }

  /// Of a row, the diagonal's too; 0 of an empty one.
  [[nodiscard]] __device__ int entries_of(std::int64_t row) const {
    const std::int32_t old = old_of[row];
    return old < 0 ? 0 : static_cast<int>(matrix.start[old + 1] - matrix.start[old]);
  }

 private:
  __device__ __forceinline__ void renumber(std::int64_t row, LaneEntry& entry) const {
    if (!entry.is_there) {
      return;
    }
    if (entry.column >= matrix.rows) {
      entry.column = static_cast<std::int32_t>(rows + entry.column - matrix.rows);
      entry.group = classes.count;
      return;
    }
    const int side = side_of[entry.column];
    entry.column = new_of[entry.column];
    entry.is_diagonal = entry.column == row;
    entry.group = entry.is_diagonal ? no_group : side / 2;
  }
};

__global__ void __launch_bounds__(threads)
    plan_slices_kernel(const __grid_constant__ NewRows rows,
                       const __grid_constant__ detail::PlaceSlots place) {
  __shared__ int widest[detail::max_classes + 1];
  __shared__ int fullest;  // entries of the fullest row, and that row so that the first one is it
  if (threadIdx.x <= detail::max_classes) {
    widest[threadIdx.x] = 0;
  }
  if (threadIdx.x == 0) {
    fullest = 0;
  }
  __syncthreads();
  const std::int64_t slice = blockIdx.x;
  const int first = warp_of_thread() * rows_each;
  LaneEntry entries[rows_each];
  rows.read<rows_each>(slice * slice_rows + first, entries);
#pragma unroll
  for (int n = 0; n < rows_each; ++n) {
    const int count = __popc(ballot(entries[n].in_group()));
    if (entries[n].in_group() && entries[n].place == 0) {
      atomicMax(widest + entries[n].group, __popc(entries[n].same));
    }
    if (lane_of_thread() == 0) {
      atomicMax(&fullest, count * slice_rows + slice_rows - 1 - (first + n));
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    place(slice, rows.classes.class_of(slice * slice_rows), widest,
          slice_rows - 1 - fullest % slice_rows);
  }
}

/// The slots of a slice that a block fills at once: all, but in unusual matrices.
constexpr int window = 32;

/// A lane's distance to the same lane of the next slot: of another bank.
constexpr int padded = slice_rows + 1;

/// Some slots of a slice while they are being filled.
struct Window {
  std::int32_t column[window][padded];
  double value[window][padded];
};

/// Where a slice's slots are: lower ones first, then upper ones, then those to other ranks.
struct SliceSlots {
  int upper = 0;  ///< the first of them; the lower ones begin with 0
  int outer = 0;
  int end = 0;

  __device__ SliceSlots(const detail::LevelParts& parts, std::int64_t slice)
      : upper(slots(parts.lower, slice)),
        outer(upper + slots(parts.upper, slice)),
        end(outer + slots(parts.outer, slice)) {}

  __device__ void write(const detail::LevelParts& parts, std::int64_t slice, int slot,
                        std::int32_t column, double value) const {
    const bool in_lower = slot < upper;
    const bool in_upper = slot < outer;
    const detail::PartEntries& part = in_lower ? parts.lower : in_upper ? parts.upper : parts.outer;
    const int first = in_lower ? 0 : in_upper ? upper : outer;
    const std::int64_t own = slot - first;
    part.column[(part.slot[slice] + own) * slice_rows + lane_of_thread()] = column;
    const std::int64_t stored = value_slot<slice_rows>(part.slot, part.place, slice, own);
    part.value[stored * slice_rows + lane_of_thread()] = value;
  }

 private:
  static __device__ int slots(const detail::PartEntries& part, std::int64_t slice) {
    return static_cast<int>(part.slot[slice + 1] - part.slot[slice]);
  }
};

/// The places of a short row's entries in the slots of their groups, as FullestRow::slot_for
/// chooses them. All lanes call it; each has an entry of the row and one of the fullest row, whose
/// numbers differ by `rows_after`.
__device__ int places_beside(const LaneEntry& entry, const LaneEntry& model, int rows_after) {
  int place = 0;
  int next = 0;  // of the entry's group
  for (unsigned left = ballot(entry.in_group()); left != 0; left &= left - 1) {
    const int chosen = __ffs(static_cast<int>(left)) - 1;
    const int group = __shfl_sync(all_lanes, entry.group, chosen);
    const std::int32_t column = __shfl_sync(all_lanes, entry.column, chosen);
    const int to_place = __shfl_sync(all_lanes, __popc(entry.same) - entry.place, chosen);
    int slot = __shfl_sync(all_lanes, next, chosen);
    const bool may_take =
        model.group == group && model.place >= slot && model.place + to_place <= __popc(model.same);
    const std::int64_t away = std::int64_t{column} - model.column - rows_after;
    const auto distance = static_cast<unsigned>(away < 0 ? -away : away);
    const unsigned nearest = __reduce_min_sync(all_lanes, may_take ? distance : ~0U);
    const unsigned found = ballot(may_take && distance == nearest);
    if (found != 0) {
      slot = __shfl_sync(all_lanes, model.place, __ffs(static_cast<int>(found)) - 1);
    }
    place = lane_of_thread() == chosen ? slot : place;
    next = entry.group == group ? slot + 1 : next;
  }
  return place;
}

__device__ void clear(Window& slots) {
  for (int slot = warp_of_thread(); slot < window; slot += warps) {
    slots.column[slot][lane_of_thread()] = bankfull::detail::empty_entry;
    slots.value[slot][lane_of_thread()] = 0.0;
  }
}

/// An empty entry repeats the column of the nearest row before that has one, or of the first after.
__device__ __forceinline__ std::int32_t filled(std::int32_t column) {
  const unsigned has_one = ballot(column != bankfull::detail::empty_entry);
  const unsigned up_to_own = has_one & ~0U >> (slice_rows - 1 - lane_of_thread());
  const int from = up_to_own != 0 ? 31 - __clz(static_cast<int>(up_to_own))
                                  : __ffs(static_cast<int>(has_one)) - 1;
  const std::int32_t found = __shfl_sync(all_lanes, column, from);
  return has_one != 0 ? found : column;
}

/// The first slot of each group in a slice.
__device__ void find_groups(const NewRows& rows, const detail::FirstSlot* first, std::int64_t slice,
                            const SliceSlots& slots, int* begin_of) {
  const int group = static_cast<int>(threadIdx.x);
  if (group > rows.classes.count) {
    return;
  }
  const bool is_lower = group < rows.classes.class_of(slice * slice_rows);
  const int part = group == rows.classes.count ? slots.outer : is_lower ? 0 : slots.upper;
  begin_of[group] = part + first[slice * (rows.classes.count + 1) + group];
}

/// A warp's rows of a slice: of each a lane has an entry, which goes into a slot.
struct EntriesOfWarp {
  int slot[rows_each];  ///< none where negative
  std::int32_t column[rows_each];
  double value[rows_each];
};

/// Reads a warp's rows, finds the slots of their entries, and stores their diagonals.
__device__ __forceinline__ EntriesOfWarp read_rows(const NewRows& rows, std::int64_t first_row,
                                                   std::int64_t model_row, const int* begin_of,
                                                   double* diagonal) {
  EntriesOfWarp result;
  LaneEntry entries[rows_each];
  rows.read<rows_each>(first_row, entries);
#pragma unroll
  for (int n = 0; n < rows_each; ++n) {
    result.value[n] = entries[n].is_there ? rows.matrix.value[entries[n].at] : 1.0;
  }
  const int most_entries = rows.entries_of(model_row);
#pragma unroll
  for (int n = 0; n < rows_each; ++n) {
    const LaneEntry& entry = entries[n];
    const std::int64_t row = first_row + n;
    int place = entry.place;
    if (entry.row_entries < most_entries && entry.row_entries > 0) {
      LaneEntry model;
      rows.read<1>(model_row, &model);
      place = places_beside(entry, model, static_cast<int>(row - model_row));
    }
    result.slot[n] = entry.in_group() ? begin_of[entry.group] + place : -1;
    result.column[n] = entry.column;
    if (entry.is_diagonal || (entry.row_entries == 0 && lane_of_thread() == 0)) {
      diagonal[row] = result.value[n];
    }
  }
  return result;
}

__global__ void __launch_bounds__(threads, 4)
    fill_slices_kernel(const __grid_constant__ NewRows rows, const detail::FirstSlot* first,
                       const std::uint8_t* fullest,
                       const __grid_constant__ detail::LevelParts parts, double* diagonal) {
  __shared__ Window in_window;
  __shared__ int begin_of[detail::max_classes + 1];
  const std::int64_t slice = blockIdx.x;
  const SliceSlots slots(parts, slice);
  find_groups(rows, first, slice, slots, begin_of);
  clear(in_window);
  __syncthreads();
  const EntriesOfWarp entries = read_rows(rows, slice * slice_rows + warp_of_thread() * rows_each,
                                          slice * slice_rows + fullest[slice], begin_of, diagonal);
  for (int begin = 0; begin < slots.end; begin += window) {
#pragma unroll
    for (int n = 0; n < rows_each; ++n) {
      const int slot = entries.slot[n] - begin;
      if (slot >= 0 && slot < window) {
        const int row = warp_of_thread() * rows_each + n;
        in_window.column[slot][row] = entries.column[n];
        in_window.value[slot][row] = entries.value[n];
      }
    }
    __syncthreads();
    for (int slot = warp_of_thread(); slot < min(window, slots.end - begin); slot += warps) {
      slots.write(parts, slice, begin + slot, filled(in_window.column[slot][lane_of_thread()]),
                  in_window.value[slot][lane_of_thread()]);
    }
    if (begin + window < slots.end) {
      __syncthreads();
      clear(in_window);
      __syncthreads();
    }
  }
}

dim3 block_per_slice(std::int64_t rows) { return dim3(static_cast<unsigned>(rows / slice_rows)); }

}  // namespace

void detail::plan_slices(const CudaExecutor& executor, const ReadRow& read,
                         const std::int32_t* old_of, const PlaceSlots& place) {
  const NewRows rows{read.matrix, read.new_of, read.side_of, old_of, read.new_rows, place.classes};
  launch(executor.stream(), {block_per_slice(read.new_rows), dim3(threads)}, plan_slices_kernel,
         rows, place);
}

void detail::fill_slices(const CudaExecutor& executor, const ReadRow& read,
                         const std::int32_t* old_of, const PlaceSlots& place,
                         const LevelParts& parts, double* diagonal) {
  const NewRows rows{read.matrix, read.new_of, read.side_of, old_of, read.new_rows, place.classes};
  launch(executor.stream(), {block_per_slice(read.new_rows), dim3(threads)}, fill_slices_kernel,
         rows, static_cast<const detail::FirstSlot*>(place.first),
         static_cast<const std::uint8_t*>(place.fullest), parts, diagonal);
}

}  // namespace bankfull::hpcg
