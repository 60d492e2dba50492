#pragma once

#include <chrono>
#include <mutex>

namespace bankfull {

/// When the memory that was freed on a GPU is cleared again.
///
/// The driver clears what a process frees before it hands it out anew, beside whatever runs, which
/// takes bandwidth from it (docs/adr/0002). Rates that are to be compared with others are measured
/// afterwards.
class Clearing {
 public:
  using Clock = std::chrono::steady_clock;

  /// So slow that what is left is cleared for certain: a whole GPU is waited for some seconds.
  static constexpr double bytes_per_second = 48e9;

  /// So many bytes are freed at this time.
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
