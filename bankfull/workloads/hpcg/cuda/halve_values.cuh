#pragma once

#include "bankfull/core/base/expects.hpp"
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

/// Where the values of a slice lie.
struct PlaceSlice {
  const std::int64_t* slot;
  const std::int64_t* before;  ///< of each chunk: slots of its half's chunks before it
  HalvedView memory;
  ValuePlace* place;

  __device__ void operator()(std::int64_t slice) const {
    const std::int64_t chunk = slice / chunk_slices;
    const std::int64_t first = before[chunk] + slot[slice] - slot[chunk * chunk_slices];
    const std::uint32_t swapped = memory.swapped_from(first / value_block_slots<slice_height>);
    place[slice] = {static_cast<std::uint32_t>(first),
                    half_of_chunk(chunk) == 0 ? swapped : ~swapped};
  }
};

/// Makes room by halves for the values of a part whose slots are known and whose rows fill chunks,
/// in memory that memory_of(blocks) makes.
template <class MemoryOf>
void make_halved_values(const CudaExecutor& executor, Sliced& part, const MemoryOf& memory_of) {
  expects(part.slices % chunk_slices == 0, "slices fill chunks");
  const std::int64_t chunks = part.slices / chunk_slices;
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
  executor.each(part.slices,
                PlaceSlice{part.slot.data(), first.data(), part.halved.view(), part.place.data()});
  executor.synchronize();
  part.halved_entries = static_cast<std::size_t>(part.slots * slice_height);
}

/// Bytes of the places of a part of so many rows, and of what is needed meanwhile.
inline std::int64_t halved_value_places_bytes(std::int64_t rows) {
  return rows / slice_height * static_cast<std::int64_t>(sizeof(ValuePlace)) +
         rows / wide_chunk_rows * static_cast<std::int64_t>(sizeof(std::int64_t));
}

}  // namespace bankfull::hpcg::cuda
