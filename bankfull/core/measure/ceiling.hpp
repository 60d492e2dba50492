#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/streams.hpp"

namespace bankfull {

/// Timed passes of each way to measure a ceiling, at most.
inline constexpr int usual_ceiling_repeats = 12;

/// Those of a ceiling that is measured briefly, on a smaller working set.
inline constexpr int brief_ceiling_repeats = 1;

/// The passes for the ceiling of a run that moves so many bytes in its timed part: brief on a CPU
/// where that is less than a GiB. Such a run is a test, and the ceiling shall not take most of its
/// time; on a GPU it takes milliseconds.
int ceiling_repeats_of_run(Device device, double run_bytes);

/// Collective: waits until the GPUs of all ranks have cleared what the ranks freed. Ranks that
/// measure at once begin with this, for `measure_ceiling` waits only for its own process.
void wait_until_cleared(const Communicator& ranks);

/// The bandwidth that the device's memory sustains for a mix of read and written streams: what
/// "percent of bankfull" divides by. See docs/adr/0002.
///
/// The working set is eight times the last cache, twice where the ceiling is measured briefly (less
/// only where memory is short). Each way to run the pass (CPU: ordinary and streaming stores; GPU:
/// blocks of 256, 512 and 1024 threads) is warmed up and timed up to `repeats` times in turn, fewer
/// (but four) where a pass moves gigabytes on a CPU; the fastest pass counts. Takes about a second.
/// `sharing` processes measure the same memory at once; each takes its share of the working set.
Ceiling measure_ceiling(Device device, int threads, const Mix& mix, Precision precision,
                        int sharing = 1, int repeats = usual_ceiling_repeats);

/// Of `reads` read streams and one written stream.
inline Ceiling measure_ceiling(Device device, int threads, int reads, Precision precision,
                               int sharing = 1, int repeats = usual_ceiling_repeats) {
  return measure_ceiling(device, threads, Mix{.reads = reads, .writes = 1}, precision, sharing,
                         repeats);
}

/// Bytes of a working set that no cache of the device can hold a useful part of: at least so many
/// times the last cache and `at_least`, at most half of the free memory.
std::int64_t memory_working_set(Device device, std::int64_t at_least, int times_last_cache = 8);

/// Bytes of the device's last cache; 0 where unknown.
std::int64_t last_cache_bytes(Device device);

}  // namespace bankfull
