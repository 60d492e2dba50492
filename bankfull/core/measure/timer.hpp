#pragma once

#include <chrono>

namespace bankfull {

/// Wall-clock seconds since construction or the last restart.
class Stopwatch {
 public:
  void restart() { start_ = Clock::now(); }

  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace bankfull
