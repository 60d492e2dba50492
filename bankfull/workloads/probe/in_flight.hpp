#pragma once

#include "bankfull/core/machine/device.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace bankfull::probe {

/// Independent 16-byte loads of a thread before it waits for them.
inline constexpr int loads_per_thread[] = {1, 2, 4, 8};

/// A point of the curves of bandwidth by bytes in flight.
struct FlightShape {
  int loads = 1;     ///< per thread, of `loads_per_thread`
  int blocks = 1;    ///< per multiprocessor
  int threads = 32;  ///< per block

  /// Per multiprocessor, when all its threads wait for all their loads.
  [[nodiscard]] constexpr std::int64_t bytes_in_flight() const {
    return std::int64_t{16} * loads * blocks * threads;
  }
};

/// One pass over the array.
struct FlightPass {
  double seconds = 0.0;   ///< by the device's clock
  bool is_right = false;  ///< the sum of all words is that of the contents
};

/// Reads of one array in a GPU's memory by persistent grids.
class FlightReads {
 public:
  virtual ~FlightReads() = default;

  [[nodiscard]] virtual std::int64_t bytes() const = 0;
  [[nodiscard]] virtual int multiprocessors() const = 0;

  /// Blocks of so many threads that a multiprocessor holds at a time.
  [[nodiscard]] virtual int most_blocks(int loads, int threads) const = 0;

  virtual FlightPass read(const FlightShape& shape) = 0;
};

/// `bytes`: a multiple of 4 KiB, at most 16 GiB. Defined in builds with CUDA only.
std::unique_ptr<FlightReads> make_cuda_flight_reads(Device gpu, std::int64_t bytes);

/// From one warp per multiprocessor, each twice the threads of the one before, up to as many
/// blocks of 256 threads as `most_blocks` fit.
std::vector<FlightShape> flight_shapes(int loads, int most_blocks);

/// The least x of a curve at which y reaches this part of the curve's largest; 0 without points.
double x_at_part_of_largest(std::span<const std::pair<double, double>> points, double part);

/// Bytes in flight per multiprocessor that sustain a bandwidth (B/s) of the whole GPU at a latency
/// (s): J. D. C. Little, "A proof for the queuing formula L = lambda W", 1961.
constexpr double bytes_by_littles_law(double bandwidth, double latency, int multiprocessors) {
  return bandwidth * latency / multiprocessors;
}

}  // namespace bankfull::probe
