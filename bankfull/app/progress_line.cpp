#include "bankfull/app/progress_line.hpp"

#include "bankfull/app/console.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/base/printable.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace bankfull {
namespace {

constexpr double seconds_between_redraws = 0.1;

// The first steps of a task say little about the rest.
constexpr double seconds_before_estimate = 1.0;
constexpr const char* wipe_line = "\r\x1b[K";

/// Characters that a line of the terminal holds, without the last, which would begin another line.
std::size_t columns_of_terminal() {
  winsize size{};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return is_known ? size.ws_col - std::size_t{1} : std::string::npos;
}

}  // namespace

ProgressLine::ProgressLine(double seconds)
    : style_(seconds == 0.0               ? Style::none
             : isatty(STDERR_FILENO) == 1 ? Style::redrawn
                                          : Style::lines),
      seconds_(style_ == Style::redrawn ? seconds_between_redraws : seconds) {}

ProgressLine::~ProgressLine() {
  if (dirty_) {
    std::fputs(wipe_line, stderr);
  }
}

void ProgressLine::update(const std::string& task, double done, double total,
                          const Detail& detail) {
  if (style_ == Style::none) {
    return;
  }
  const bool restarted = done <= done_at_start_;
  if (restarted) {
    since_start_.restart();
    done_at_start_ = done;
  }
  if (!is_due(task, restarted)) {
    return;
  }
  task_ = task;
  since_print_.restart();
  const std::string text = one_line(text_of(task, done, total, detail));
  if (style_ == Style::lines) {
    write_error(text);
  } else {
    redraw(text);
  }
}

bool ProgressLine::is_due(const std::string& task, bool restarted) const {
  const bool is_news = style_ == Style::redrawn && (restarted || task != task_);
  return is_news || since_print_.seconds() >= seconds_;
}

std::string ProgressLine::text_of(const std::string& task, double done, double total,
                                  const Detail& detail) const {
  std::string text = task;
  const bool has_begun = total > 0.0 && done > done_at_start_;
  if (has_begun) {
    text += fmt::format("  {:3.0f} %", 100.0 * done / total);
  }
  if (detail) {
    text += "  " + detail();
  }
  if (has_begun && since_start_.seconds() > seconds_before_estimate) {
    const double rate = (done - done_at_start_) / since_start_.seconds();
    text += fmt::format("  {} left", format_seconds((total - done) / rate));
  }
  return text;
}

void ProgressLine::redraw(const std::string& text) {
  const std::string line = wipe_line + text.substr(0, columns_of_terminal());
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  dirty_ = true;
}

}  // namespace bankfull
