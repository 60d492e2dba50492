#pragma once

#include "bankfull/core/measure/progress.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <string>

namespace bankfull {

/// One line on stderr that tells the task, how far it is and when it will be done. Shown only on a
/// terminal, at most ten times a second; wiped when the object goes.
class ProgressLine final : public Progress {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine() override;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(const std::string& task, double done, double total) override;

 private:
  bool shown_;
  bool dirty_ = false;
  std::string task_;
  double done_at_start_ = 0.0;
  Stopwatch since_start_;
  Stopwatch since_print_;
};

}  // namespace bankfull
