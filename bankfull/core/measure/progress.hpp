#pragma once

#include <functional>
#include <string>

namespace bankfull {

/// Told by long work how far it is. Workloads never print; the application shows a line.
class Progress {
 public:
  /// More of a task in a few words, "step 120, time 0.5"; asked for only where it is shown.
  using Detail = std::function<std::string()>;

  virtual ~Progress() = default;

  /// `done` of `total` units of `task`; called often, must be cheap.
  virtual void update(const std::string& task, double done, double total, const Detail& detail) = 0;

  void update(const std::string& task, double done, double total) {
    update(task, done, total, nullptr);
  }
};

/// For callers that do not watch.
class NoProgress final : public Progress {
 public:
  using Progress::update;
  void update(const std::string& /*task*/, double /*done*/, double /*total*/,
              const Detail& /*detail*/) override {}
};

}  // namespace bankfull
