#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/workloads/hpcg/step_times.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace bankfull::hpcg::cuda {

/// Marks in the work of a stream.
class EventMarks {
 public:
  explicit EventMarks(const Stream& stream) : stream_(stream) {}

  void restart() {
    used_ = 0;
    set();
  }
  void set() {
    if (used_ == events_.size()) {
      events_.emplace_back();
    }
    events_[used_++].record(stream_);
  }
  [[nodiscard]] double seconds_before(std::size_t n) const {
    return Event::seconds_between(events_[n], events_[n + 1]);
  }

 private:
  const Stream& stream_;
  std::size_t used_ = 0;
  std::vector<Event> events_;
};

}  // namespace bankfull::hpcg::cuda
