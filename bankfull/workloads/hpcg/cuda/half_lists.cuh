#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/multiprocessor.cuh"
#include "bankfull/core/memory/halved_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace bankfull::hpcg::cuda {

// Kernels whose blocks stay and take one piece of work after the other, from two lists: those whose
// matrix entries one half of L2 owns, and the others' (core/memory/halved_memory.hpp). A block takes
// pieces of its multiprocessor's half first, then of the other. With one list, the second is empty.
//
// Pieces may wait for pieces that come before them in an order of both lists together, if each list
// is in that order, and if every half with a list has a block that has started and takes pieces of
// its own half first. Proof that the first unfinished piece gets finished: if a block works on it,
// all that it waits for is finished. If it is claimed ahead, that block works on a piece that it
// has claimed before from the same list, which is finished: it comes to this one. If it is not
// claimed, it is the first of those in its list; a block of its half has claimed pieces of this list
// only, all of which are finished, and claims it next. (The first piece of the other half is not
// claimed ahead: a block may then work on a later piece, which waits for the one claimed.)

/// The lists of a kernel.
struct HalfLists {
  unsigned counts[2];                       ///< pieces
  unsigned* taken;                          ///< 2 counters, 0 before and after the kernel
  const std::uint8_t* half_of_multiprocessor;
};

/// Lists for kernels of one stream, which run one after the other.
class HalfWork {
 public:
  /// Without `halves` there is one list.
  HalfWork(const CudaExecutor& executor, std::optional<L2Halves> halves)
      : multiprocessors_(multiprocessors_of(executor.stream().device())),
        halves_(std::move(halves)),
        taken_(executor.make<unsigned>(2)) {
    executor.fill(taken_.data(), 2, 0U);
  }

  /// Whether there may be two lists.
  [[nodiscard]] bool apart() const { return halves_.has_value() && halves_->apart(); }

  [[nodiscard]] HalfLists lists(unsigned of_half0, unsigned of_half1) const {
    return {{of_half0, of_half1},
            taken_.data(),
            halves_.has_value() ? halves_->of_multiprocessor() : nullptr};
  }

  /// Blocks for pieces that do not wait for each other, or that have one list.
  [[nodiscard]] unsigned blocks(unsigned pieces, int blocks_each) const {
    return std::min(pieces, all_blocks(blocks_each));
  }
  /// As many blocks as the GPU holds of a kernel of which each multiprocessor holds `blocks_each`.
  [[nodiscard]] unsigned all_blocks(int blocks_each) const {
    return static_cast<unsigned>(blocks_each * multiprocessors_);
  }

 private:
  int multiprocessors_;
  std::optional<L2Halves> halves_;
  Buffer<unsigned> taken_;
};

/// A piece of work.
struct Claim {
  static constexpr unsigned nothing = 2;  ///< in place of a half: none is left in its list
  static constexpr unsigned end = 3;      ///< in none
  unsigned half;
  unsigned item;  ///< of its list
};

/// The half whose list a block takes pieces of first.
__device__ __forceinline__ unsigned own_half(const HalfLists& lists) {
  return lists.counts[1] == 0 ? 0U : lists.half_of_multiprocessor[multiprocessor_number()];
}

/// Claims the next piece of a half's list, by one thread of the block; not again once there was
/// none. The first piece of the second list only when those claimed of the first are finished.
__device__ __forceinline__ unsigned claim_next(const HalfLists& lists, unsigned half) {
  return atomicAdd(lists.taken + half, 1U);
}

/// What claim_next has claimed. To be called for each claim: every block takes one number beyond the
/// last piece of each list, and the last block to do so resets the counter.
__device__ __forceinline__ Claim claim_of(const HalfLists& lists, unsigned half, unsigned item) {
  if (item == lists.counts[half] + gridDim.x - 1U) {
    lists.taken[half] = 0U;
  }
  return {item < lists.counts[half] ? half : Claim::nothing, item};
}

/// process(claim) for the pieces that the block gets; to be called by all of its threads. The next
/// piece is claimed meanwhile. What is not needed during `process` is kept in shared memory.
template <class Process>
__device__ __forceinline__ void for_claimed(const HalfLists& lists, const Process& process) {
  __shared__ Claim claimed[2];
  __shared__ unsigned half;  // that thread 0 claims for
  __shared__ bool turned;    // to the second list
  unsigned item = 0;         // claimed by thread 0
  if (threadIdx.x == 0) {
    half = own_half(lists);
    turned = false;
    item = claim_next(lists, half);
  }
#pragma unroll 1
  for (unsigned n = 0;; n ^= 1U) {
    if (threadIdx.x == 0) {
      claimed[n] = claim_of(lists, half, item);
      if (claimed[n].half == Claim::nothing && turned) {
        claimed[n].half = Claim::end;
      }
    }
    __syncthreads();  // the piece before is finished
    const Claim mine = claimed[n];
    if (mine.half == Claim::end) {
      return;
    }
    const bool found = mine.half != Claim::nothing;
    if (threadIdx.x == 0) {
      if (!found) {
        half ^= 1U;
        turned = true;
      }
      item = claim_next(lists, half);
    }
    if (found) {
      process(mine);
    }
  }
}

/// Tiles of rows of a class that begin with a chunk; chunks belong to the halves in turn.
struct HalfTiles {
  unsigned tiles;
  unsigned chunk_tiles;  ///< of a chunk
  bool apart;            ///< whether there is a list for each half

  [[nodiscard]] __host__ __device__ unsigned of_half(unsigned half) const {
    if (!apart) {
      return half == 0 ? tiles : 0U;
    }
    const unsigned rest = tiles % (2 * chunk_tiles);
    const unsigned before = half * chunk_tiles;
    const unsigned more = rest > before ? rest - before : 0U;
    return tiles / (2 * chunk_tiles) * chunk_tiles + (more < chunk_tiles ? more : chunk_tiles);
  }

  /// The n-th tile of a half.
  [[nodiscard]] __host__ __device__ unsigned tile(unsigned half, unsigned n) const {
    return apart ? (2 * (n / chunk_tiles) + half) * chunk_tiles + n % chunk_tiles : n;
  }
};

}  // namespace bankfull::hpcg::cuda
