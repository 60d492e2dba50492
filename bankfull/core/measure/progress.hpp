#pragma once

#include <string>

namespace bankfull {

/// Told by long work how far it is. Workloads never print; the application shows a line.
class Progress {
 public:
  virtual ~Progress() = default;

  /// `done` of `total` units of `task`; called often, must be cheap.
  virtual void update(const std::string& task, double done, double total) = 0;
};

/// For callers that do not watch.
class NoProgress final : public Progress {
 public:
  void update(const std::string& /*task*/, double /*done*/, double /*total*/) override {}
};

}  // namespace bankfull
