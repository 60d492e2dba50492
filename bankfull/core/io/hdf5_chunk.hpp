#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::hdf5 {

/// The bytes of a chunk of a dataset as stored in an HDF5 file, after the filters of Dataset:
/// shuffled and deflated on request, and then a checksum. The library produces the same, but one
/// thread at a time.
struct StoredChunk {
  std::vector<std::uint8_t> bytes;    ///< with the checksum, 4 bytes, at their end
  std::uint32_t skipped_filters = 0;  ///< bit n: filter n has not been applied
};

/// Forms stored chunks, one at a time. Its memory is kept from one to the next: where first
/// touching a page is slow, allocating each chunk anew took longer than writing it.
class ChunkFilters {
 public:
  /// `deflate`: 1 to 9; 0: neither shuffled nor deflated.
  ChunkFilters(std::size_t element_bytes, int deflate)
      : element_bytes_(element_bytes), deflate_(deflate) {}

  /// The buffer of the next chunk, of so many bytes: fill it with a whole chunk's elements,
  /// little-endian, then call apply(). It still holds the contents of the previous chunk.
  std::vector<std::uint8_t>& elements(std::size_t bytes);

  /// A chunk that does not become smaller is stored shuffled only. Valid until elements() change.
  const StoredChunk& apply();

 private:
  void shuffle();
  void deflate();

  std::size_t element_bytes_;
  int deflate_;
  StoredChunk chunk_;
  std::vector<std::uint8_t> shuffled_;
};

/// Fletcher's checksum of 16-bit words, most significant byte first, as in HDF5: both sums modulo
/// 65535, where a multiple of it that is not 0 is 65535 ("HDF5 File Format Specification Version
/// 3.0", IV.A.2.l; J. Fletcher, IEEE Trans. Commun. 30, 1982).
std::uint32_t fletcher32(const std::uint8_t* bytes, std::size_t count);

}  // namespace bankfull::hdf5
