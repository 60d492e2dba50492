#pragma once

namespace bankfull {

/// The stated model of a piece of work: the minimum number of bytes that cross the memory
/// interface, and the floating-point operations. Declared beside the kernel it describes.
struct Traffic {
  double bytes_read = 0.0;     ///< from memory
  double bytes_written = 0.0;  ///< to memory
  double flops = 0.0;          ///< of the algorithm, however they are fused

  /// Read and written ones.
  [[nodiscard]] constexpr double bytes() const { return bytes_read + bytes_written; }

  /// The traffic of so many repetitions.
  friend constexpr Traffic operator*(double times, const Traffic& traffic) {
    return {times * traffic.bytes_read, times * traffic.bytes_written, times * traffic.flops};
  }
  /// The traffic of both pieces of work.
  friend constexpr Traffic operator+(const Traffic& a, const Traffic& b) {
    return {a.bytes_read + b.bytes_read, a.bytes_written + b.bytes_written, a.flops + b.flops};
  }
};

}  // namespace bankfull
