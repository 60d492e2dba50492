#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace bankfull {

// Since the A100 a GPU's L2 has two halves. Each multiprocessor is attached to one of them, and
// what the other half owns reaches it by a path that is narrower than memory. Memory belongs to the
// halves in blocks of 4 KiB; of two neighbouring blocks, a pair, each half owns one. Which of them
// it is depends on the physical address in a way that nothing documents, so it is measured. A
// kernel whose multiprocessors stream only blocks of their own half leaves the path to others.

/// Bytes that one half owns in a row.
inline constexpr std::int64_t half_block_bytes = 4096;

/// Memory of a GPU by the half of L2 that owns it. Block n of half h is one of the blocks of pair
/// n.
struct HalvedView {
  std::byte* memory = nullptr;  ///< aligned to a pair
  /// Bit n % 32 of word n / 32: half 0 owns the second block of pair n, not the first. One word
  /// more than the last pair's.
  const std::uint32_t* swapped = nullptr;

  /// 1 or 0, the bit of a pair.
  [[nodiscard]] BANKFULL_HOST_DEVICE std::uint32_t is_swapped(std::int64_t pair) const {
    return swapped[pair / 32] >> static_cast<std::uint32_t>(pair % 32) & 1U;
  }

  /// The bits of 32 pairs from one on, that of pair n in place n % 32.
  [[nodiscard]] BANKFULL_HOST_DEVICE std::uint32_t swapped_from(std::int64_t pair) const {
    const std::uint32_t of_next_word = (1U << static_cast<std::uint32_t>(pair % 32)) - 1U;
    return (swapped[pair / 32] & ~of_next_word) | (swapped[pair / 32 + 1] & of_next_word);
  }

  /// Where block n of a half lies, given the bit of its pair.
  [[nodiscard]] BANKFULL_HOST_DEVICE std::byte* block(std::uint32_t half, std::int64_t n,
                                                      std::uint32_t pair_is_swapped) const {
    return memory + 2 * half_block_bytes * n +
           half_block_bytes * static_cast<std::int64_t>(half ^ pair_is_swapped);
  }
};

/// Which half of L2 each multiprocessor of a GPU is attached to. Defined in builds with CUDA only.
class L2Halves {
 public:
  /// Measures it, in about a millisecond, by the latency of atomic operations, which go to the half
  /// that owns a line.
  explicit L2Halves(const Stream& stream);

  /// Whether there are two halves, and the measurement tells them apart. Otherwise all
  /// multiprocessors are said to be attached to half 0.
  [[nodiscard]] bool apart() const { return apart_; }

  /// 0 or 1 by the number of the multiprocessor (`multiprocessor_number`), in GPU memory.
  [[nodiscard]] const std::uint8_t* of_multiprocessor() const { return halves_.data(); }

  /// Multiprocessors of a half.
  [[nodiscard]] int multiprocessors(int half) const { return counts_[half]; }

 private:
  Buffer<std::uint8_t> halves_;
  int counts_[2] = {0, 0};
  bool apart_ = false;
};

/// Owns such memory. Defined in builds with CUDA only.
class HalvedMemory {
 public:
  HalvedMemory() = default;

  /// `blocks` of each half, which all hold 0. Measures which half owns which: by a few pairs of
  /// each page of 2 MiB where these bear out that all pages are alike or opposite, else of all
  /// pairs, in about 4 ms per GiB; a wrong answer costs time, not correctness. Where the halves are
  /// not apart, the first block of every pair counts as half 0's. Work queued on the stream finds
  /// both. Throws RuntimeFailure as Memory does, and where CUDA refuses.
  HalvedMemory(const L2Halves& halves, std::int64_t blocks, const Stream& stream);

  /// With bits as HalvedView has them, at least one for each pair, in place of measured ones.
  HalvedMemory(std::span<const std::uint32_t> swapped, std::int64_t blocks, const Stream& stream);

  /// What kernels use; valid as long as this is.
  [[nodiscard]] HalvedView view() const { return {memory_, swapped_.data()}; }

  /// Of each half.
  [[nodiscard]] std::int64_t blocks() const { return blocks_; }

  /// In GPU memory, what says which half owns what included.
  [[nodiscard]] std::size_t bytes() const { return owned_.bytes() + swapped_.bytes(); }

 private:
  /// All of it 0, the bits too.
  HalvedMemory(std::int64_t blocks, const Stream& stream);

  std::int64_t blocks_ = 0;
  Buffer<std::byte> owned_;
  std::byte* memory_ = nullptr;  ///< of it, aligned
  Buffer<std::uint32_t> swapped_;
};

}  // namespace bankfull
