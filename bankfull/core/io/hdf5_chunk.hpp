#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::hdf5 {

/// Bytes as a file of HDF5 stores a chunk of a dataset, behind the filters of Dataset: shuffled and
/// deflated on request, and then a checksum. The library forms the same, but one thread at a time.
struct StoredChunk {
  std::vector<std::uint8_t> bytes;
  std::uint32_t skipped_filters = 0;  ///< bit n: filter n has not been applied
};

/// `elements`: of a whole chunk, little-endian, `element_bytes` each. `deflate`: 1 to 9; 0: neither
/// shuffled nor deflated. What does not become smaller is stored as it is, shuffled.
StoredChunk stored_chunk(std::vector<std::uint8_t> elements, std::size_t element_bytes,
                         int deflate);

/// Fletcher's checksum of 16-bit words, most significant byte first, as HDF5 has it: both sums
/// modulo 65535, where a multiple of it that is not 0 is 65535 ("HDF5 File Format Specification
/// Version 3.0", IV.A.2.l; J. Fletcher, IEEE Trans. Commun. 30, 1982).
std::uint32_t fletcher32(const std::uint8_t* bytes, std::size_t count);

}  // namespace bankfull::hdf5
