#include "bankfull/app/progress_line.hpp"

#include "bankfull/core/base/format.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace bankfull {
namespace {

constexpr double seconds_between_prints = 0.1;

// The first steps of a task say little about the rest.
constexpr double seconds_before_estimate = 1.0;
constexpr const char* wipe_line = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (dirty_) {
    std::fputs(wipe_line, stderr);
  }
}

void ProgressLine::update(const std::string& task, double done, double total) {
  if (!shown_) {
    return;
  }
  const bool restarted = done <= done_at_start_;
  if (restarted) {
    since_start_.restart();
    done_at_start_ = done;
  } else if (task == task_ && since_print_.seconds() < seconds_between_prints) {
    return;
  }
  task_ = task;
  since_print_.restart();
  std::string line = fmt::format("{}{}", wipe_line, task);
  if (total > 0.0 && done > done_at_start_) {
    line += fmt::format("  {:3.0f} %", 100.0 * done / total);
    if (since_start_.seconds() > seconds_before_estimate) {
      const double rate = (done - done_at_start_) / since_start_.seconds();
      line += fmt::format("  {} left", format_seconds((total - done) / rate));
    }
  }
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  dirty_ = true;
}

}  // namespace bankfull
