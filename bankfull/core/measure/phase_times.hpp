#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <string>
#include <vector>

namespace bankfull {

/// What a run spends its time on: one phase after the other, without gaps, from the first `enter`
/// on.
class PhaseTimes {
 public:
  /// The phase before ends, and this one begins.
  void enter(const std::string& name) {
    end_last();
    names_.push_back(name);
  }

  /// Collective: ends the last phase. Seconds are those of the rank on which a phase took longest;
  /// all ranks must have entered the same phases.
  [[nodiscard]] std::vector<Phase> finish(const Communicator& ranks) {
    end_last();
    std::vector<Phase> phases;
    for (std::size_t n = 0; n < names_.size(); ++n) {
      phases.push_back({.name = names_[n], .seconds = ranks.max(seconds_[n])});
    }
    return phases;
  }

 private:
  void end_last() {
    if (seconds_.size() < names_.size()) {
      seconds_.push_back(watch_.seconds());
    }
    watch_.restart();
  }

  std::vector<std::string> names_;
  std::vector<double> seconds_;  ///< of the phases that have ended
  Stopwatch watch_;
};

}  // namespace bankfull
