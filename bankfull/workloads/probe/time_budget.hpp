#pragma once

#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/probe/problem.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

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

/// Seconds that a part of a probe of a CPU may take, whose last cache may be large.
struct PartSeconds {
  double quick;
  double usual;
};

/// Whether a probe leaves out what would take long: on CPUs, unless it is to be full.
inline bool is_bounded(const Problem& problem) {
  return !problem.full && !problem.device.is_cuda();
}

/// The budget of a part; unlimited on GPUs and for a full probe.
inline TimeBudget budget_of(const Problem& problem, const PartSeconds& seconds) {
  return TimeBudget(!is_bounded(problem) ? std::numeric_limits<double>::infinity()
                    : problem.quick      ? seconds.quick
                                         : seconds.usual);
}

/// Chooses, one after the other, the points of a curve for which there is time. Where there is not
/// enough for all that are to come, every second, third, ... of them is taken, so that no part of
/// the curve is missing; the last one is taken in any case.
class PointsInTime {
 public:
  /// `work` of each point, in any unit.
  PointsInTime(const TimeBudget& budget, std::vector<double> work)
      : budget_(budget),
        work_(std::move(work)),
        to_come_(std::accumulate(work_.begin(), work_.end(), 0.0)) {}

  /// Whether the next point is to be measured, if a unit of work takes so many seconds.
  bool takes_next(double seconds_per_unit) {
    const double work = work_[next_];
    const bool is_last = ++next_ == work_.size();
    const double affordable = budget_.left() / seconds_per_unit - work_.back();
    const double stride = std::ceil((to_come_ - work_.back()) / affordable);
    to_come_ -= work;
    ++since_last_;
    const bool takes = is_last || (work <= affordable && since_last_ >= stride);
    since_last_ = takes ? 0 : since_last_;
    left_out_ += takes ? 0 : 1;
    return takes;
  }

  [[nodiscard]] int left_out() const { return left_out_; }

 private:
  TimeBudget budget_;
  std::vector<double> work_;
  double to_come_;  ///< work of the points from `next_` on
  std::size_t next_ = 0;
  int since_last_ = 0;  ///< points, the next one included, since the one taken last
  int left_out_ = 0;
};

/// Reports what a bounded probe left out, in one note for all of it.
inline void note_left_out(const std::string& what, RunResult& result) {
  const std::string start = "left out to save time (--full measures all): ";
  for (std::string& note : result.notes) {
    if (note.starts_with(start)) {
      note += ", " + what;
      return;
    }
  }
  result.notes.push_back(start + what);
}

inline void note_left_out(int points, const std::string& where, RunResult& result) {
  if (points > 0) {
    note_left_out(std::to_string(points) + (points == 1 ? " point of " : " points of ") + where,
                  result);
  }
}

}  // namespace bankfull::probe
