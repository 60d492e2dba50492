#pragma once

#include <chrono>
#include <mutex>

namespace bankfull {

/// Estimates when the memory that was freed on a GPU has been cleared.
///
/// The driver clears the memory that a process frees before handing it out again, concurrently with
/// running kernels, which takes bandwidth from them (docs/adr/0002). Rates that are to be compared
/// with others are measured afterwards.
class Clearing {
 public:
  /// Steady, as waits must not change with the time of day; callers pass its times.
  using Clock = std::chrono::steady_clock;

  /// A lower bound, so that memory is certainly cleared: for a whole GPU the wait is some seconds.
  static constexpr double bytes_per_second = 48e9;

  /// Records that so many bytes are freed at this time.
  void freed(double bytes, Clock::time_point now);

  /// Seconds from this time on until all is surely cleared; 0 if it is.
  [[nodiscard]] double seconds_left(Clock::time_point now) const;

 private:
  mutable std::mutex mutex_;
  Clock::time_point done_{};
};

/// Seconds until all GPU memory that this process freed as `Memory` is surely cleared.
double seconds_until_cleared();

}  // namespace bankfull
