#pragma once

#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/convection/budget.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/heat_path.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/plan.hpp"
#include "bankfull/workloads/convection/profile_statistics.hpp"
#include "bankfull/workloads/convection/resolution.hpp"
#include "bankfull/workloads/convection/run_probes.hpp"
#include "bankfull/workloads/convection/run_spectra.hpp"
#include "bankfull/workloads/convection/time_taken.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace bankfull::convection {

/// One line of a run's history.
struct SeriesRow {
  std::int64_t step = 0;
  double time = 0.0;
  double dt = 0.0;                     ///< of the last step; at the start of the first, to come
  StepLimit limit = StepLimit::given;  ///< what made it as long as it was
  double courant = 0.0;                ///< its dt times the rate of advection, see StepState
  Diagnosis diagnosis;
  Nusselt nusselt;
  Resolution resolution;
  std::optional<TimeSchemeBudget> time_scheme;  ///< over the row's last two steps, where known
  int cycles = 0;                      ///< V-cycles of the step's last pressure solve; 0: direct
  double seconds_per_cell_step = 0.0;  ///< since the row before
};

/// Which of a run's fields, and of when. Numbers follow each other, across restarts too.
struct FieldMoment {
  std::int64_t number = 0;
  std::int64_t step = 0;
  double time = 0.0;
};

/// A flow as a recorder receives it.
struct ToldFlow {
  const Grid& grid;
  const FlowReader& flow;
  bool stays = false;  ///< any one thread may read it until Recorder::finish_reading; else it can
                       ///< be read until the recorder returns
};

/// Which of a run's pictures, and of when; numbers as above.
struct SnapshotMoment {
  std::int64_t number = 0;
  std::int64_t step = 0;
  double time = 0.0;
  std::vector<KnownRange> scalars;  ///< for the whole run: the same at each picture
};

/// What the samples of a run have come to, of windows that have any.
struct StatisticsSoFar {
  std::vector<Profile> profiles;
  std::vector<Spectrum> spectra;
  bool at_end = false;  ///< of the run: nothing will replace it

  [[nodiscard]] bool any() const { return !profiles.empty() || !spectra.empty(); }
};

/// When a run is saved.
struct CheckpointMoment {
  std::int64_t step = 0;
  double time = 0.0;
  TimeTaken taken;  ///< until then
};

/// Receives the results of a run while it runs. Workloads write no files; the application does.
class Recorder {
 public:
  virtual ~Recorder() = default;

  /// The fields are allocated and the flow to start from is known to be good: from here on there is
  /// something to record.
  virtual void begin() {}

  /// At the start, every Cadence::series_steps, and at the end.
  virtual void record(const SeriesRow& row) = 0;

  /// Cadence::snapshots times, the first at the start and the last at the end.
  virtual void snapshot(const SnapshotMoment& moment, const Grid& grid, const FlowReader& flow) = 0;

  /// Asked after each row: whether statistics() is to be called with the samples so far.
  [[nodiscard]] virtual bool wants_statistics() { return false; }

  /// Called if there are samples: when wants_statistics(), with every checkpoint and at the end.
  virtual void statistics(const StatisticsSoFar& /*all*/) {}

  /// As often as FieldCadence asks for.
  virtual void fields(const FieldMoment& /*moment*/, const ToldFlow& /*flow*/) {}

  /// Waits until no flow that it has received is being read any more.
  virtual void finish_reading() noexcept {}

  /// At the start, and as often as each of Cadence::probes asks for.
  virtual void probe(const ProbeReading& /*reading*/) {}

  /// As often as CheckpointCadence asks for, before anything that the run records at this step:
  /// `save` takes down all that its rest depends on.
  virtual void checkpoint(const CheckpointMoment& /*moment*/,
                          const std::function<void(StateWriter&)>& /*save*/) {}
};

/// How often a run saves its state; 0: not by this measure. Where any of them asks for it, it does
/// so when it is interrupted and at its end, too.
struct CheckpointCadence {
  std::int64_t steps = 0;  ///< at multiples of them
  double time = 0.0;       ///< of the flow, likewise
  double seconds = 0.0;    ///< of the clock on the wall
  bool at_end = false;     ///< when it is interrupted and at its end, whatever the others say

  [[nodiscard]] bool any() const { return at_end || steps > 0 || time > 0.0 || seconds > 0.0; }
};

/// How often a run records its fields; 0: not by this measure. Where any of them asks for it, it
/// does so at the start and, unless it is interrupted, at its end, too. Steps are not made to meet
/// times: fields are those of the first step at or beyond.
struct FieldCadence {
  std::int64_t steps = 0;  ///< at multiples of them
  double time = 0.0;       ///< of the flow, likewise
  double seconds = 0.0;    ///< of the clock on the wall

  [[nodiscard]] bool any() const { return steps > 0 || time > 0.0 || seconds > 0.0; }
};

/// How often a run records anything.
struct Cadence {
  std::int64_t series_steps = 0;  ///< 0: about two hundred rows, where the number of steps is known
  int snapshots = 0;              ///< 0, or 2 and more
  CheckpointCadence checkpoints = {};
  std::vector<StatisticsRequest> statistics = {};
  FieldCadence fields = {};
  std::vector<ProbeRequest> probes = {};
  std::vector<SpectrumRequest> spectra = {};
};

/// What a run gets beside its plan: IntegrationContext{{ranks, progress}, cadence, recorder}.
struct IntegrationContext : RunContext {
  Cadence cadence;
  Recorder& recorder;
  const FlowReader* initial = nullptr;  ///< of a new run, in place of the problem's; or null
  const StateReader* start = nullptr;   ///< what the run to be continued has saved; null: a new run
  TimeTaken earlier = {};               ///< by the processes of that run
};

/// Integrates the problem to its end (see RunEnd), from its initial conditions or from where a run
/// was saved, as if it had never been interrupted; measures, and checks the divergence of the final
/// flow. An interruption makes the next step the last one, and leaves out the times of its parts.
///
/// Throws UsageError where a fixed step is too long for the flow that it starts from;
/// RuntimeFailure where it becomes so, where the flow blows up, naming the step, the time and what
/// is no longer finite, or where the pressure solver no longer converges.
RunResult run(const Plan& plan, const IntegrationContext& context);

}  // namespace bankfull::convection
