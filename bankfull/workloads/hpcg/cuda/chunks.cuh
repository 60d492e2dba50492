#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/halved_memory.hpp"
#include "bankfull/workloads/hpcg/coloured_level.hpp"
#include "bankfull/workloads/hpcg/cuda/slices.cuh"
#include "bankfull/workloads/hpcg/problem.hpp"

#include <cstdint>
#include <memory>

namespace bankfull::hpcg::cuda {

// A sweep is one kernel. Each block processes chunks of rows of one class, and rows wait for the
// values that they need from other chunks; a class need not be finished before the next begins.
// This avoids the gaps between eight kernels, and the sweep passes through the grid as a front that
// finds x in the cache.

/// Rows that a block sweeps at a time.
inline constexpr std::int64_t tile_rows = 256;

/// Rows of a chunk on levels large enough for the pipeline (pipeline.cuh): chunks of neighbouring
/// rows share what they read of x, and there are fewer to wait for.
inline constexpr std::int64_t wide_chunk_rows = 4 * tile_rows;

/// Shared memory for the tiles in a pipeline.
inline constexpr unsigned ring_bytes = 204 * 1024;

/// Throws UsageError if the pipeline is requested but the GPU, or the code compiled for it, does
/// not support it.
void require_sweeps(const Stream& stream, Sweeps sweeps);

/// Rows of a chunk of a level with so many rows.
std::int64_t chunk_rows_of(const Stream& stream, Sweeps sweeps, std::int64_t rows);

/// Chunks that a chunk of a pipelined sweep may depend on.
inline constexpr unsigned max_dependences = 64;

/// For each chunk the chunks that hold its columns of one part: max_dependences numbers, -1 where
/// there are fewer.
using Dependences = Buffer<std::int32_t>;

/// The half of L2 that owns the values of a chunk, and whose blocks take it first, in pipelined
/// sweeps.
BANKFULL_HOST_DEVICE inline std::uint32_t half_of_chunk(std::int64_t chunk) {
  return static_cast<std::uint32_t>(chunk % 2);
}

/// The chunks of one level, and an order in which blocks may take them.
struct ChunkPlan {
  Sweeps sweeps = Sweeps::classes;  ///< the way that the level is swept
  /// Rows per chunk: chunk n holds rows [n rows, (n + 1) rows). Classes begin with one.
  std::int64_t rows = tile_rows;
  std::int64_t chunks = 0;
  Dependences lower = {};  ///< of pipelined sweeps
  Dependences upper = {};
  /// Forward: every chunk after those of its lower columns. Where `of_half1` is not 0 first those
  /// of half 0 of L2, then so many of half 1.
  Buffer<std::int32_t> order = {};
  unsigned of_half1 = 0;
  std::shared_ptr<const L2Halves> halves = {};  ///< of pipelined sweeps
  Buffer<std::int32_t> first = {};              ///< of all chunks, the first class's interior
  Buffer<std::int32_t> rest = {};               ///< all others
  Buffer<unsigned> forward_done = {};           ///< pipelined: 1 where the forward sweep has passed
  Buffer<unsigned> backward_done = {};
};

/// About the bytes of the plan of a level of so many rows, with those that it needs meanwhile.
std::int64_t chunk_plan_bytes(std::int64_t rows, std::int64_t chunk_rows);

/// `chunk_rows` is what the level's classes are aligned to: tile_rows for
/// synchronisation-free sweeps, wide_chunk_rows for pipelined ones. A level that these cannot sweep
/// goes class by class. `halves` are for pipelined sweeps.
ChunkPlan plan_chunks(const CudaExecutor& executor, const ColouredLevel& level,
                      std::int64_t chunk_rows, Sweeps sweeps,
                      const std::shared_ptr<const L2Halves>& halves = {});

}  // namespace bankfull::hpcg::cuda
