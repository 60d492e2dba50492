#pragma once

#include <chrono>

namespace bankfull {

/// Wall-clock seconds since construction or the last restart.
class Stopwatch {
 public:
  /// Counts from 0 again.
  void restart() { start_ = Clock::now(); }

  /// By a clock that is never set back; the watch keeps running.
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace bankfull
