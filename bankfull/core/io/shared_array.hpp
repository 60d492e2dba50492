#pragma once

#include "bankfull/core/base/precision.hpp"
#include "bankfull/core/field/box.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull {

/// An array of reals in a file, k fastest, little-endian and without gaps, of which several
/// processes may write parts.
struct SharedArray {
  std::string path;                       ///< of the file, which may be a temporary name
  std::int64_t offset = 0;                ///< of its first element, in bytes
  Extents extents;                        ///< of the whole array, not of a process's part
  Precision precision = Precision::fp64;  ///< of the reals as stored
};

/// Consecutive bytes of an array, counted from its beginning, and their CRC-32.
struct CheckedPiece {
  std::int64_t begin = 0;  ///< the first byte; the array's first element is at 0
  std::int64_t bytes = 0;  ///< how many
  std::uint32_t crc = 0;   ///< of these bytes alone, as stored
};

/// The CRC-32 of all bytes from 0 on, from pieces of them in any order. Throws RuntimeFailure if
/// the pieces overlap or leave a gap.
std::uint32_t crc_of(std::vector<CheckedPiece> pieces);

/// Writes parts of an array. The file exists, and has room. Builds with HDF5 only, as Crc32.
class SharedArrayWriter {
 public:
  /// Throws RuntimeFailure if this process cannot write to the file, which other nodes may not
  /// have. `threads` form checksums.
  SharedArrayWriter(SharedArray array, int threads);
  ~SharedArrayWriter();
  SharedArrayWriter(const SharedArrayWriter&) = delete;
  SharedArrayWriter& operator=(const SharedArrayWriter&) = delete;

  /// Whether the file is on a parallel file system. Elsewhere nodes that write to the same page
  /// can overwrite each other's bytes: clients of NFS write whole pages.
  [[nodiscard]] bool nodes_may_share() const;

  /// Values of a part of whole rows, k fastest; exact in the array's precision. Throws
  /// RuntimeFailure, NoRoom among them.
  void write(const Box& part, const double* values);

  /// Flushes what was written to disk.
  void flush();

  /// What was written.
  [[nodiscard]] const std::vector<CheckedPiece>& pieces() const { return pieces_; }

 private:
  void write_run(std::int64_t begin, const double* values, std::int64_t count);
  void note(std::int64_t begin, const void* bytes, std::int64_t count);

  SharedArray array_;
  int threads_;
  int descriptor_ = -1;
  std::vector<float> singles_;  ///< values as they are stored in fp32
  std::vector<CheckedPiece> pieces_;
};

}  // namespace bankfull
