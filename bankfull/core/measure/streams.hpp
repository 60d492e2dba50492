#pragma once

#include "bankfull/core/base/precision.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/mix.hpp"
#include "bankfull/core/measure/traffic.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace bankfull {

/// One pass over arrays a, a1, ... (written) and b, c, ... (read) of equal length.
enum class StreamOperation {
  read,   ///< sum of b
  write,  ///< a = s
  copy,   ///< a = b
  scale,  ///< a = s b
  add,    ///< a = b + c
  triad,  ///< a = b + s c
  mix,  ///< a = b + c + ..., a1 = a + 1, a2 = a + 2: `mix_reads` arrays read, `mix_writes` written
};

/// The scalar s of scale, triad and write.
inline constexpr int stream_factor = 3;

/// A stream kernel: what it does to arrays of which precision, and how it stores.
struct StreamPattern {
  /// Which arrays it reads and writes.
  StreamOperation operation = StreamOperation::copy;
  int mix_reads = 1;                      ///< of StreamOperation::mix, 1 to max_mix_reads
  int mix_writes = 1;                     ///< likewise, 1 to max_mix_writes
  Precision precision = Precision::fp64;  ///< of all arrays
  bool streaming_stores = false;  ///< CPU: stores bypass the caches, without reading the line first

  /// For StreamOperation::copy: the number of streams that traverse each array at the same time,
  /// as in the copy routine of the 2008 paper "Acceleration Technique of Computational Fluid
  /// Dynamics on GPGPU" (fig. 3): with m = n / n_copy, position i < m is followed by i + m, i + 2
  /// m, ... A position is 64 bytes of each thread's part on the CPU and 16 bytes of the array on a
  /// GPU.
  int n_copy = 1;

  [[nodiscard]] int reads() const;   ///< number of arrays read, 0 for StreamOperation::write
  [[nodiscard]] int writes() const;  ///< number of arrays written, 0 for StreamOperation::read
  /// Number of arrays in all.
  [[nodiscard]] int arrays() const { return reads() + writes(); }

  /// Whether the last array read is multiplied by stream_factor.
  [[nodiscard]] bool multiplies() const;

  /// The traffic of one pass over arrays of `elements` elements: every array once, as STREAM
  /// counts. Write-allocate reads are not counted.
  [[nodiscard]] Traffic traffic(std::int64_t elements) const;
};

/// The pass that moves a mix: `read` or `write` if the mix only reads or only writes. Throws
/// UsageError for a mix of no streams, or of more than max_mix_arrays says.
StreamPattern pattern_of(const Mix& mix, Precision precision);

/// The name in stream_operation_names.
std::string to_string(StreamOperation operation);

/// "triad, fp64", "13 read : 1 write, fp32, streaming stores".
std::string to_string(const StreamPattern& pattern);

/// How a GPU runs a pass. Zero blocks: as many as the data need at one 16-byte access per thread.
struct StreamGrid {
  int blocks = 0;           ///< of the launch; 0: see above
  int threads = 256;        ///< per block
  bool through_l1 = false;  ///< let reads hit L1; otherwise L2 is the first cache
};

/// Arrays on one device and timed passes over them: every ceiling is measured with these.
class Streams {
 public:
  virtual ~Streams() = default;

  /// `elements` is a multiple of this.
  static constexpr std::int64_t granularity = 16;

  /// Seconds for `passes` passes in a row over the first `elements` elements of each array, by the
  /// device's clock on GPUs. Repeated passes let a small working set stay in cache.
  virtual double seconds(const StreamPattern& pattern, std::int64_t elements, int passes) = 0;

  /// Largest `elements` for a pattern.
  [[nodiscard]] virtual std::int64_t capacity(const StreamPattern& pattern) const = 0;

  /// The launch shape of later passes; the CPU ignores it.
  virtual void use_grid(const StreamGrid& grid) = 0;

  /// Fills the arrays to be read with known values, runs one pass and returns how many written
  /// elements are wrong; for `read`, how many of the partial sums (CPU) or of the elements that
  /// reached a thread (GPU) are wrong. Exact for `elements` up to 2^20. For `read`, `elements` is
  /// at most the capacity of a copy.
  virtual std::int64_t wrong_elements(const StreamPattern& pattern, std::int64_t elements) = 0;
};

/// Arrays of `bytes` in total. On the CPU, each of `threads` threads owns, first-touches and
/// streams one contiguous part of every array. Throws UsageError if memory does not suffice.
std::unique_ptr<Streams> make_streams(Device device, int threads, std::int64_t bytes);

namespace detail {
/// Element n of the `array`-th array read, as wrong_elements sets it: a small integer, so that all
/// sums are exact in both precisions.
constexpr int known_element(int array, std::int64_t n) {
  return static_cast<int>((5 * n + std::int64_t{3} * array) % 13) - 6;
}

/// What one pass over known values must write to element n of the `written`-th array; not for
/// StreamOperation::read.
int expected_element(const StreamPattern& pattern, int written, std::int64_t n);

std::unique_ptr<Streams> make_cpu_streams(int threads, std::int64_t bytes);
// Defined in streams_cuda.cu, which exists in builds with CUDA only.
std::unique_ptr<Streams> make_cuda_streams(Device gpu, std::int64_t bytes);
}  // namespace detail

}  // namespace bankfull
