#pragma once

#include <functional>
#include <string>

namespace bankfull {

/// Receives the progress of long work. Workloads never print; the application shows a line.
class Progress {
 public:
  /// Details of a task in a few words, "step 120, time 0.5"; called only if they are shown.
  using Detail = std::function<std::string()>;

  virtual ~Progress() = default;

  /// `done` of `total` units of `task`; called often, must be cheap.
  virtual void update(const std::string& task, double done, double total, const Detail& detail) = 0;

  /// The same without details.
  void update(const std::string& task, double done, double total) {
    update(task, done, total, nullptr);
  }
};

/// For callers that show no progress.
class NoProgress final : public Progress {
 public:
  using Progress::update;
  void update(const std::string& /*task*/, double /*done*/, double /*total*/,
              const Detail& /*detail*/) override {}
};

}  // namespace bankfull
