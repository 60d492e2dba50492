#pragma once

#include "bankfull/core/measure/progress.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <string>

namespace bankfull {

/// Reports on stderr the task, how far it is and when it will be done. On a terminal that is one
/// line, drawn anew at most ten times a second and wiped when the object goes; elsewhere a line
/// every so many seconds, none before these.
class ProgressLine final : public Progress {
 public:
  /// 0 seconds: nothing is shown.
  explicit ProgressLine(double seconds);
  ~ProgressLine() override;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  using Progress::update;
  void update(const std::string& task, double done, double total, const Detail& detail) override;

 private:
  enum class Style { none, redrawn, lines };

  [[nodiscard]] bool is_due(const std::string& task, bool restarted) const;
  [[nodiscard]] std::string text_of(const std::string& task, double done, double total,
                                    const Detail& detail) const;
  void redraw(const std::string& text);

  Style style_;
  double seconds_;
  bool dirty_ = false;
  std::string task_;
  double done_at_start_ = 0.0;
  Stopwatch since_start_;
  Stopwatch since_print_;
};

}  // namespace bankfull
