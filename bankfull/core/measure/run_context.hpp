#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/measure/interruption.hpp"
#include "bankfull/core/measure/known_ceilings.hpp"
#include "bankfull/core/measure/progress.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <string>
#include <vector>

namespace bankfull {

/// Which ceilings a run is compared with.
enum class CeilingRule {
  automatic,  ///< measured in the run, but for working sets inside a cache
  always,     ///< measured in the run, of all work that moves bytes
  none,       ///< no percentages
  file,       ///< those of an earlier result on the same machine
};

/// How a run is to be measured, whatever its workload.
struct MeasurePolicy {
  CeilingRule ceiling = CeilingRule::automatic;
  std::vector<Ceiling> known_ceilings = {};  ///< for CeilingRule::file
  CeilingHome home = {};                     ///< to be recorded with the result

  // All measuring of ceilings in the run takes no longer than the larger of the two; see Ceilings.
  double ceiling_share = 0.1;    ///< of the run without its ceilings
  double ceiling_seconds = 2.0;  ///< however short the run
};

/// What every workload's `run` gets beside its problem.
struct RunContext {
  const Communicator& ranks;
  Progress& progress;
  MeasurePolicy policy = {};
  const Interruption* interruption = nullptr;  ///< of this rank; null: there is none

  /// Collective: whether any rank was asked to end early.
  [[nodiscard]] bool interrupted() const {
    return !ranks.all(interruption == nullptr || !interruption->requested());
  }

  /// Collective: throws Interrupted on all ranks where any was asked to end early.
  void end_if_interrupted() const {
    if (interrupted()) {
      throw Interrupted();
    }
  }

  /// Collective, before each piece of work: tells how far the task is, `done` of `total` units, and
  /// ends it if the run was interrupted.
  void begin(const std::string& task, double done, double total) const {
    end_if_interrupted();
    progress.update(task, done, total);
  }
};

}  // namespace bankfull
