#pragma once

#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/probe/problem.hpp"

#include <limits>
#include <string>

namespace bankfull::probe {

/// Time that part of a probe may take, counted from construction.
class TimeBudget {
 public:
  explicit TimeBudget(double seconds) : seconds_(seconds) {}

  [[nodiscard]] double left() const { return seconds_ - watch_.seconds(); }
  [[nodiscard]] bool allows(double seconds) const { return seconds <= left(); }

  /// This share of what is left, from now on.
  [[nodiscard]] TimeBudget share(double part) const { return TimeBudget(part * left()); }

 private:
  double seconds_;
  Stopwatch watch_;
};

/// So many seconds for a quick probe of a CPU, whose last cache may be large; unlimited for others.
inline TimeBudget budget_of(const Problem& problem, double quick_seconds) {
  const bool bounded = problem.quick && !problem.device.is_cuda();
  return TimeBudget(bounded ? quick_seconds : std::numeric_limits<double>::infinity());
}

/// Reports what a budget left out.
inline void note_left_out(int points, const std::string& where, RunResult& result) {
  if (points > 0) {
    result.notes.push_back(where + ": --quick left out " + std::to_string(points) + " point" +
                           (points == 1 ? "" : "s") + " for lack of time");
  }
}

}  // namespace bankfull::probe
