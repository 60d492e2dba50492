#pragma once

#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/streams.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace bankfull {

/// The time and memory that measuring a ceiling may take.
struct CeilingBudget {
  double seconds = 2.0;    ///< allocation, warm-up and passes together; see `repeats_within`
  std::int64_t bytes = 0;  ///< of device memory; 0: as many as `ceiling_working_set` returns
};

/// What processes that measure the same memory do around each pass: what one of them streams while
/// others pause is more than they sustain together.
struct SharedPass {
  std::function<void()> begin = [] {};  ///< waits for the others
  /// The seconds of the slowest of them, from this process's.
  std::function<double(double seconds)> slowest = [](double seconds) { return seconds; };
};

/// Times the stream passes that yield ceilings on one device, in arrays allocated once for any
/// number of mixes. `sharing` processes measure the same memory at once; each takes its share
/// of the working set.
class CeilingProbe {
 public:
  /// Allocates bytes / sharing on the device; `threads` are those of a CPU's team. Throws
  /// UsageError if memory does not suffice, RuntimeFailure for a GPU in a program without CUDA.
  CeilingProbe(Device device, int threads, std::int64_t bytes, int sharing = 1);

  /// Selects the mix to measure, with every variant of its pass (CPU: ordinary and streaming
  /// stores; GPU: blocks of 256, 512 and 1024 threads). Throws RuntimeFailure if the arrays are
  /// too small for it.
  void choose(const Mix& mix, Precision precision);

  /// Runs every variant of the pass once. Returns their total time in seconds.
  double warm_up();

  /// The bandwidth of the mix: the variants are timed `repeats` times, alternating, and the fastest
  /// pass counts, by the time of the slowest process that shares it.
  Ceiling measure(int repeats, const SharedPass& shared = {});

  /// Maximum number of timed passes per variant.
  static constexpr int max_repeats = 12;

  /// Timed passes per variant that fit `seconds` if one pass of all variants takes
  /// `seconds_per_pass`: at least two, at least what a tenth of a second allows, at most
  /// max_repeats. Passes of milliseconds thus run max_repeats times: fewer miss the plateau.
  static int repeats_within(double seconds, double seconds_per_pass);

 private:
  struct Candidate {
    StreamPattern pattern;
    StreamGrid grid;
    std::vector<double> seconds = {};
  };

  static std::vector<Candidate> candidates(Device device, const StreamPattern& pattern);

  Device device_;
  std::unique_ptr<Streams> streams_;
  std::int64_t elements_ = 0;
  std::vector<Candidate> candidates_;
};

/// The bandwidth that the device's memory sustains for a mix of read and written streams: the
/// denominator of "percent of bankfull" (docs/output.md). For one process; ranks that measure
/// together use Ceilings. Takes at most the budget's seconds or, if that is more, one warm-up and
/// the minimum number of passes, after waiting until the device's memory has been cleared.
Ceiling measure_ceiling(Device device, int threads, const Mix& mix, Precision precision,
                        const CeilingBudget& budget = {});

/// Bytes of a working set that defeats the device's caches: eight times the last-level cache, at
/// least 4 GiB on a GPU (passes of a millisecond) or 256 MiB on a CPU, but at most `at_most`
/// (0: no bound) and half of the free memory.
std::int64_t ceiling_working_set(Device device, int threads, std::int64_t at_most = 0);

}  // namespace bankfull
