#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/workloads/hpcg/coloured_level.hpp"
#include "bankfull/workloads/hpcg/cuda/slices.cuh"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::hpcg::cuda::fused {

// What each warp of a fused cycle (fused_cycle.cuh) does: a list of items, each a slice in a step.

inline constexpr int warps = 12;     ///< of a block; one block stays on each multiprocessor
inline constexpr int max_ahead = 8;  ///< items of a warp whose data are brought at once
inline constexpr unsigned slice_bytes = slice_height * sizeof(double);
inline constexpr unsigned column_bytes = slice_height * sizeof(std::int32_t);  ///< of a slot

/// Vectors of a level whose elements other threads wait for, named after the steps that write them.
enum class Awaited : unsigned {
  from_zero,
  after_zero,
  prolonged,
  again,
  back_again,
  restricted,  ///< r of the coarser level
};
inline constexpr std::int64_t awaited_vectors = 6;

/// The steps of a level, in their order; the coarser levels' come after the restriction.
enum class Step : std::uint8_t {
  from_zero,
  after_zero,
  restriction,
  prolongation,
  again,
  back_again
};

BANKFULL_HOST_DEVICE constexpr bool reads_lower(Step step) {
  return step == Step::from_zero || step == Step::restriction || step == Step::again;
}

/// A slice in a step, and where its data go. Slots of `part` are lower ones or upper ones, by the
/// step; further ones, `second`, are upper ones: the coarse ones, or all for a residual.
struct alignas(16) Item {
  std::int32_t slice;
  std::int32_t slot;  ///< the first of the part
  std::int32_t second_slot;
  std::uint32_t rows;    ///< a bit for each row that is not empty
  std::uint32_t offset;  ///< in the ring
  std::uint16_t slots;
  std::uint16_t second_slots;
  std::uint8_t coarse_begin;  ///< slots of the part with columns of coarse classes
  std::uint8_t coarse_end;
  std::uint8_t early;  ///< a slot whose x all others are behind but those of one class
  Step step;
  std::uint8_t level;
  bool has_diagonal;
  bool has_right_side;
  std::uint8_t distance;  ///< to the last item that must be done before this one is brought
};
static_assert(sizeof(Item) == 32);

struct Plan {
  std::size_t first = 0;  ///< level; the number of levels where no cycle is fused
  int blocks = 0;
  unsigned ring_bytes = 0;          ///< of a warp
  Buffer<Item> items = {};          ///< of all warps, block after block
  Buffer<std::int32_t> begin = {};  ///< where each warp's begin, and the end
};

/// Rows per multiprocessor of a level, at most: larger levels have kernels of their own, which read
/// the matrix faster.
inline constexpr std::int64_t max_rows_each = 4096;

/// The first level, but the finest, that is small enough for a GPU with so many multiprocessors.
std::size_t first_small_level(const std::vector<Level>& levels, int multiprocessors);

/// About the bytes of a plan from a level on, with those that it needs meanwhile.
std::int64_t plan_bytes(const std::vector<Level>& levels, std::size_t first);

/// The cycle from a level on, by so many blocks. None if the data of some item do not fit the ring.
Plan plan_cycle(const CudaExecutor& executor, const std::vector<ColouredLevel>& levels,
                std::size_t first, int blocks, unsigned ring_bytes);

}  // namespace bankfull::hpcg::cuda::fused
