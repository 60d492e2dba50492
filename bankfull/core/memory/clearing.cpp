#include "bankfull/core/memory/clearing.hpp"

#include <algorithm>

namespace bankfull {

void Clearing::freed(double bytes, Clock::time_point now) {
  const std::chrono::duration<double> needed(bytes / bytes_per_second);
  const std::lock_guard lock(mutex_);
  done_ = std::max(done_, now) + std::chrono::duration_cast<Clock::duration>(needed);
}

double Clearing::seconds_left(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  return std::max(0.0, std::chrono::duration<double>(done_ - now).count());
}

}  // namespace bankfull
