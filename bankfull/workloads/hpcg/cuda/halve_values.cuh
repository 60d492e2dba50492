#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/numerics/sparse/sliced.hpp"
#include "bankfull/workloads/hpcg/cuda/chunks.cuh"
#include "bankfull/workloads/hpcg/cuda/slices.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::hpcg::cuda {

inline constexpr std::int64_t chunk_slices = wide_chunk_rows / slice_height;

/// The first slot of a chunk; also of the one after the last.
struct FirstSlotOfChunk {
  const std::int64_t* slot;
  std::int64_t* first;

  __device__ void operator()(std::int64_t chunk) const {
    first[chunk] = slot[chunk * chunk_slices];
  }
};

/// Moves the values of a row; the first one of a slice tells its place.
struct MoveRow {
  const std::int64_t* slot;
  const std::int64_t* before;  ///< of each chunk: slots of its half's chunks before it
  HalvedView to;
  const double* from;
  ValuePlace* place;

  __device__ void operator()(std::int64_t row) const {
    const std::int64_t slice = row / slice_height;
    const std::int64_t chunk = slice / chunk_slices;
    const std::int64_t begin = slot[slice];
    const std::int64_t first = before[chunk] + begin - slot[chunk * chunk_slices];
    const std::uint32_t bits = to.swapped_from(first / value_block_slots<slice_height>);
    const ValuePlace here{static_cast<std::uint32_t>(first),
                          half_of_chunk(chunk) == 0 ? bits : ~bits};
    if (row % slice_height == 0) {
      place[slice] = here;
    }
    auto* const values = reinterpret_cast<double*>(to.memory);
    for (std::int64_t n = 0; n < slot[slice + 1] - begin; ++n) {
      const std::uint32_t stored =
          stored_slot<slice_height>(here.second, here.first + static_cast<std::uint32_t>(n));
      values[std::int64_t{stored} * slice_height + row % slice_height] =
          from[(begin + n) * slice_height + row % slice_height];
    }
  }
};

/// Lays the values of a part with so many chunks out by halves, in memory that memory_of(blocks)
/// makes. Meanwhile they exist twice.
template <class MemoryOf>
void halve_values(const CudaExecutor& executor, std::int64_t chunks, Sliced& part,
                  const MemoryOf& memory_of) {
  const auto first = executor.make<std::int64_t>(chunks + 1);
  executor.each(chunks + 1, FirstSlotOfChunk{part.slot.data(), first.data()});
  std::vector<std::int64_t> before = executor.to_host(first.data(), chunks + 1);
  std::int64_t slots[2] = {0, 0};
  for (std::size_t n = 0; n + 1 < before.size(); ++n) {
    std::int64_t& of_half = slots[half_of_chunk(static_cast<std::int64_t>(n))];
    const std::int64_t own = before[n + 1] - before[n];
    before[n] = of_half;
    of_half += own;
  }
  executor.from_host(before, first.data());
  constexpr std::int64_t in_block = value_block_slots<slice_height>;
  part.halved = memory_of((std::max(slots[0], slots[1]) + in_block - 1) / in_block);
  part.place = executor.make<ValuePlace>(part.slices);
  executor.each(part.slices * slice_height,
                MoveRow{part.slot.data(), first.data(), part.halved.view(), part.value.data(),
                        part.place.data()});
  executor.synchronize();
  part.halved_entries = part.value.size();
  part.value = {};
}

}  // namespace bankfull::hpcg::cuda
