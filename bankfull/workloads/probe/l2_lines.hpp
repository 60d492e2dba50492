#pragma once

#include "bankfull/core/machine/device.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace bankfull::probe {

/// What the multiprocessors do with lines in a timed pass, 16 bytes per thread.
enum class LinePass { read, write };

/// A set of lines for each multiprocessor, by their numbers.
using LineLists = std::vector<std::vector<std::uint32_t>>;

/// One pass of all multiprocessors over lists of lines.
struct LineRates {
  double seconds = 0.0;    ///< by the device's clock
  double bytes = 0.0;      ///< of all multiprocessors
  std::int64_t wrong = 0;  ///< multiprocessors with a wrong sum, or vectors that were not written
};

/// Lines of 128 bytes in the L2 of one GPU, accessed from chosen multiprocessors.
class L2Lines {
 public:
  virtual ~L2Lines() = default;

  static constexpr std::int64_t line_bytes = 128;

  /// A list must have at least this many lines.
  static constexpr int shortest_list = 128;

  /// And at most this many.
  static constexpr int longest_list = 8192;

  [[nodiscard]] virtual std::int64_t lines() const = 0;
  [[nodiscard]] virtual int multiprocessors() const = 0;

  /// Clocks of one atomic operation on each of `samples` lines, spread over all, from each
  /// multiprocessor: the shortest of several tries.
  virtual std::vector<std::vector<double>> sample_latencies(int samples) = 0;

  /// Clocks of an atomic operation on each line: the mean over the multiprocessors of group 0 and
  /// that over those of group 1. Requires a group, 0 or 1, for each multiprocessor, and neither to
  /// be empty.
  virtual std::array<std::vector<double>, 2> mean_latencies(const std::vector<int>& groups) = 0;

  /// All multiprocessors at once, each again and again over its list.
  virtual LineRates run(LinePass pass, const LineLists& lists) = 0;
};

/// `bytes` of memory, which L2 should hold. Defined in builds with CUDA only.
std::unique_ptr<L2Lines> make_cuda_l2_lines(Device gpu, std::int64_t bytes);

}  // namespace bankfull::probe
