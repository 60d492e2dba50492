#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/thread_placement.hpp"
#include "bankfull/core/exec/team_waits.hpp"
#include "bankfull/core/measure/interruption.hpp"
#include "bankfull/core/measure/known_ceilings.hpp"
#include "bankfull/core/measure/machine_watch.hpp"
#include "bankfull/core/measure/progress.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull {

/// The ceilings that a run is compared with.
enum class CeilingRule {
  automatic,  ///< measured in the run, except for working sets inside a cache
  always,     ///< measured in the run, for all work that moves bytes
  none,       ///< no percentages
  file,       ///< those of an earlier result on the same machine
};

/// How a run of any workload is measured.
struct MeasurePolicy {
  CeilingRule ceiling = CeilingRule::automatic;  ///< which ceilings the percentages refer to
  std::vector<Ceiling> known_ceilings = {};      ///< for CeilingRule::file
  CeilingHome home = {};                         ///< to be recorded with the result
  ThreadPlacement placement = {};                ///< of this rank

  // Measuring all ceilings of a run takes at most the larger of the two; see Ceilings.
  double ceiling_share = 0.1;    ///< of the run without its ceilings
  double ceiling_seconds = 2.0;  ///< allowed for any run

  std::int64_t ceiling_bytes = 0;  ///< of memory per device at most; 0: what the caches demand
};

/// What the `run` of every workload is given in addition to its plan.
struct RunContext {
  const Communicator& ranks;                   ///< all ranks of the run; outlives the context
  Progress& progress;                          ///< of this rank; outlives the context
  MeasurePolicy policy = {};                   ///< the same on all ranks, but for the placement
  const Interruption* interruption = nullptr;  ///< of this rank; may be null
  MachineWatch* machine = nullptr;             ///< of this rank; null on all ranks or none
  TeamWaits* waits = nullptr;                  ///< of this rank's teams; may be null

  /// Collective, between pieces of work: whether any rank was asked to end early.
  [[nodiscard]] bool interrupted() const {
    if (waits != nullptr) {
      waits->adapt();
    }
    return !ranks.all(interruption == nullptr || !interruption->requested());
  }

  /// Collective: throws Interrupted on all ranks if any was asked to end early.
  void end_if_interrupted() const {
    if (interrupted()) {
      throw Interrupted();
    }
  }

  /// Collective, called before each piece of work: reports progress, `done` of `total` units, and
  /// throws Interrupted if the run is to end early.
  void begin(const std::string& task, double done, double total) const {
    end_if_interrupted();
    progress.update(task, done, total);
  }
};

}  // namespace bankfull
