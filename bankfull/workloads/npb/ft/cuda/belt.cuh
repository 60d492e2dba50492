#pragma once

#include "bankfull/workloads/npb/ft/cuda/passes.cuh"

// The two transforms of a plane as a belt: blocks take tickets, in the order of which come the
// columns of one plane and, a few planes later, its rows. Between them a plane stands in one of a
// few places that are used again and again, so that it stays in the cache.

namespace bankfull::npb::ft::cuda {

/// Counts of one belt, all 0 before.
struct BeltCounts {
  unsigned* tickets;  ///< taken
  unsigned* written;  ///< tiles of each plane whose columns are transformed
  unsigned* read;     ///< tiles of each plane whose rows have been read
};

struct Belt {
  BeltCounts counts;
  Field places;
  int place_count;  ///< more than `lag`
  int lag;          ///< planes between the columns and the rows that are transformed
  unsigned ahead;   ///< tickets between a tile of columns and the one that comes into the cache
};

/// What a ticket is for: columns alone at first, then by turns columns and rows, rows alone in the
/// end.
struct BeltTask {
  bool columns;
  int plane;
  int number;  ///< of the tile in the plane

  __device__ __forceinline__ BeltTask(unsigned ticket, int tiles, int lag, int planes) {
    const unsigned alone = static_cast<unsigned>(tiles * lag);
    const unsigned by_turns = 2 * static_cast<unsigned>(tiles * (planes - lag));
    if (ticket < alone) {
      set(true, ticket, tiles);
    } else if (ticket < alone + by_turns) {
      const unsigned turn = ticket - alone;
      const bool odd = turn % 2 == 1;
      set(!odd, turn / 2 + (odd ? 0 : alone), tiles);
    } else {
      set(false, ticket - alone - by_turns / 2, tiles);
    }
  }

 private:
  __device__ __forceinline__ void set(bool is_columns, unsigned tile, int tiles) {
    columns = is_columns;
    plane = static_cast<int>(tile / static_cast<unsigned>(tiles));
    number = static_cast<int>(tile % static_cast<unsigned>(tiles));
  }
};

/// All threads of the block call it; returns when the count is `wanted`.
__device__ __forceinline__ void wait_for(const unsigned* count, unsigned wanted) {
  if (threadIdx.x == 0) {
    unsigned now = 0;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(count) : "memory");
    } while (now < wanted);
  }
  __syncthreads();
}

/// All threads of the block call it: what they have read and written so far is over when others
/// see the count.
__device__ __forceinline__ void announce(unsigned* count) {
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(count), "r"(1U) : "memory");
  }
}

/// Shared memory of a block: for the exchange of points, then the next ticket.
template <class Fft>
constexpr std::size_t belt_shared_bytes = Fft::shared_points * sizeof(double2) + 16;

template <int Side>
__global__ void __launch_bounds__(TileFft<Side>::threads, blocks_a_multiprocessor<TileFft<Side>>)
    belt_kernel(const __grid_constant__ Shape shape, const __grid_constant__ Samples samples,
                const __grid_constant__ Belt belt, const double2* roots, const double2* planes,
                double2* terms) {
  using Fft = TileFft<Side>;
  constexpr int tiles = Side / Fft::columns;
  constexpr std::int64_t plane_points = std::int64_t{Side} * Side;
  extern __shared__ double2 shared[];
  unsigned* const next = reinterpret_cast<unsigned*>(shared + Fft::shared_points);
  const Fft fft(roots, shared);
  const unsigned tickets = 2U * tiles * static_cast<unsigned>(shape.depth);
  unsigned drawn = 0;
  if (threadIdx.x == 0) {
    *next = atomicAdd(belt.counts.tickets, 1U);
  }
  __syncthreads();
  for (unsigned ticket = *next; ticket < tickets; ticket = *next) {
    const BeltTask task(ticket, tiles, belt.lag, shape.depth);
    if (threadIdx.x == 0) {
      drawn = atomicAdd(belt.counts.tickets, 1U);
    }
    Field const place = belt.places + task.plane % belt.place_count * plane_points;
    Points<Fft::points> x;
    if (task.columns) {
      const double2* const tile =
          planes + (std::int64_t{task.plane} * tiles + task.number) * tile_points<Fft>;
      load_points(tile + threadIdx.x, tile_step<Fft>, x);
      const std::int64_t further = task.plane * tiles + task.number + belt.ahead;
      if (belt.ahead > 0 && further < std::int64_t{tiles} * shape.depth) {
        prefetch_tile<tile_points<Fft> * 16>(planes + further * tile_points<Fft>);
      }
    } else {
      wait_for(belt.counts.written + task.plane, tiles);
      const int row = task.number * Fft::columns + fft.column();
      load_exchanged(place + shape.in_planes(0, row, fft.element(0)), row_step<Fft>, x);
    }
    fft.template transform<FftSign::minus>(x);
    if (task.columns) {
      if (task.plane >= belt.place_count) {
        wait_for(belt.counts.read + task.plane - belt.place_count, tiles);
      }
      store_points(place + std::int64_t{task.number} * tile_points<Fft> + threadIdx.x,
                   tile_step<Fft>, x);
      announce(belt.counts.written + task.plane);
    } else {
      announce(belt.counts.read + task.plane);
      take_samples(samples, fft, task.plane, task.number * Fft::columns, x, terms);
    }
    if (threadIdx.x == 0) {
      *next = drawn;
    }
    __syncthreads();
  }
}

}  // namespace bankfull::npb::ft::cuda
