#pragma once

#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/streams.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace bankfull {

/// What measuring a ceiling may cost.
struct CeilingBudget {
  double seconds = 2.0;    ///< allocation, warm-up and passes together; see `repeats_within`
  std::int64_t bytes = 0;  ///< of memory on the device; 0: as many as `ceiling_working_set` wants
};

/// Times the passes that ceilings come from, on one device, in arrays that are allocated once for
/// any number of mixes. `sharing` processes measure the same memory at once; each takes its share
/// of the working set.
class CeilingProbe {
 public:
  CeilingProbe(Device device, int threads, std::int64_t bytes, int sharing = 1);

  /// The mix to measure from now on, in every way to run its pass (CPU: ordinary and streaming
  /// stores; GPU: blocks of 256, 512 and 1024 threads). Throws RuntimeFailure where the arrays are
  /// too small for it.
  void choose(const Mix& mix, Precision precision);

  /// Runs the pass once in every way. Returns the seconds that all of them took together.
  double warm_up();

  /// The bandwidth of the mix: each way is timed `repeats` times in turn, and the fastest pass
  /// counts.
  Ceiling measure(int repeats);

  /// Most timed passes of each way.
  static constexpr int max_repeats = 12;

  /// Timed passes of each way that fit `seconds`, where one of all ways takes `seconds_per_pass`:
  /// at least two, as many as a tenth of a second allows, and at most max_repeats. So devices on
  /// which a pass takes milliseconds always make all of them: few such passes miss the plateau.
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

/// The bandwidth that the device's memory sustains for a mix of read and written streams: what
/// "percent of bankfull" divides by. See docs/adr/0002. For one process; ranks that measure
/// together use Ceilings. Takes the budget's seconds at most, or, if that is more, one warm-up and
/// the least number of passes; before that it waits until the device's memory is cleared.
Ceiling measure_ceiling(Device device, int threads, const Mix& mix, Precision precision,
                        const CeilingBudget& budget = {});

/// Bytes of a working set of which no cache of the device holds a useful part: eight times the last
/// cache, at least 4 GiB on a GPU (passes of a millisecond) and 256 MiB on a CPU, at most `at_most`
/// (0: no bound) and half of the free memory.
std::int64_t ceiling_working_set(Device device, int threads, std::int64_t at_most = 0);

}  // namespace bankfull
