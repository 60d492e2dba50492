#include "bankfull/core/io/hdf5_chunk.hpp"

#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <utility>
#include <zlib.h>

namespace bankfull::hdf5 {
namespace {

/// Filters in the order in which Dataset applies them where it compresses.
constexpr unsigned deflate_filter = 1;

void append_little_endian(std::vector<std::uint8_t>& bytes, std::uint32_t number) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<std::uint8_t>(number >> shift));
  }
}

/// 1 to 65535, 0 for 0 alone.
std::uint32_t folded(std::uint64_t sum) {
  return sum == 0 ? 0U : static_cast<std::uint32_t>((sum - 1) % 65535 + 1);
}

}  // namespace

std::uint32_t fletcher32(const std::uint8_t* bytes, std::size_t count) {
  // Words per block: sums of words times 1 to this number stay below 2^32, so that they can be
  // computed in vectors of 32 bits.
  constexpr std::size_t block = 256;
  std::uint64_t sum = 0;
  std::uint64_t sum_of_sums = 0;
  std::size_t words = count / 2;
  while (words > 0) {
    const std::size_t here = std::min(words, block);
    std::uint32_t plain = 0;
    std::uint32_t weighted = 0;
    for (std::size_t n = 0; n < here; ++n) {
      const auto word = static_cast<std::uint32_t>((bytes[2 * n] << 8) | bytes[2 * n + 1]);
      plain += word;
      weighted += static_cast<std::uint32_t>(here - n) * word;
    }
    sum_of_sums = folded(sum_of_sums + here * sum + weighted);
    sum = folded(sum + plain);
    bytes += 2 * here;
    words -= here;
  }
  if (count % 2 == 1) {
    sum = folded(sum + (static_cast<std::uint64_t>(*bytes) << 8));
    sum_of_sums = folded(sum_of_sums + sum);
  }
  return static_cast<std::uint32_t>(sum_of_sums << 16 | sum);
}

std::vector<std::uint8_t>& ChunkFilters::elements(std::size_t bytes) {
  chunk_.bytes.reserve(bytes + sizeof(std::uint32_t));  // with the checksum
  chunk_.bytes.resize(bytes);
  return chunk_.bytes;
}

/// The first bytes of all elements, then the second ones, and so on: bytes that vary little become
/// adjacent.
void ChunkFilters::shuffle() {
  const std::size_t count = chunk_.bytes.size() / element_bytes_;
  shuffled_.resize(chunk_.bytes.size());
  for (std::size_t byte = 0; byte < element_bytes_; ++byte) {
    for (std::size_t n = 0; n < count; ++n) {
      shuffled_[byte * count + n] = chunk_.bytes[n * element_bytes_ + byte];
    }
  }
}

void ChunkFilters::deflate() {
  uLongf size = chunk_.bytes.size();
  const int outcome =
      compress2(chunk_.bytes.data(), &size, shuffled_.data(), shuffled_.size(), deflate_);
  if (outcome == Z_MEM_ERROR) {
    throw RuntimeFailure("not enough memory to compress a chunk of a file");
  }
  if (outcome == Z_OK && size > 0) {
    chunk_.bytes.resize(size);
  } else {
    std::swap(chunk_.bytes, shuffled_);
    chunk_.skipped_filters = 1U << deflate_filter;
  }
}

const StoredChunk& ChunkFilters::apply() {
  chunk_.skipped_filters = 0;
  if (deflate_ > 0) {
    shuffle();
    deflate();
  }
  append_little_endian(chunk_.bytes, fletcher32(chunk_.bytes.data(), chunk_.bytes.size()));
  return chunk_;
}

}  // namespace bankfull::hdf5
