#pragma once

#include "bankfull/core/measure/pauses.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/work.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bankfull {

/// A piece of work that can be timed repeatedly, with its data, on one device per rank. Experiment
/// times it.
///
/// The constructor does the set-up. Constructor, destructor, `rewind`, `warm_up`, `run`, `checks`
/// and `figures` are collective.
class Benchmark {
 public:
  Benchmark() = default;
  Benchmark(const Benchmark&) = delete;
  Benchmark& operator=(const Benchmark&) = delete;
  virtual ~Benchmark() = default;

  /// The name in tables and result files: "npb cg C".
  [[nodiscard]] virtual std::string name() const = 0;

  /// Restores the state from which `run` starts; not timed.
  virtual void rewind() {}

  /// Touches all code and data that `run` needs; not timed.
  virtual void warm_up() { run(); }

  /// The timed region. Returns when this rank's part is complete. A long run pauses now and then
  /// and, if the run is to end early, throws Interrupted on all ranks.
  virtual void run() = 0;

  /// Called after a run that threw Interrupted: counts the completed part as a run if possible, so
  /// that all functions then refer to runs of that length. The same on all ranks.
  virtual bool shorten_to_last_run() { return false; }

  /// Pauses for the runs that follow.
  void set_pauses(Pauses pauses) { pauses_ = std::move(pauses); }

  /// Seconds of the last run on this rank by a timer closer to the work than the experiment's, such
  /// as one inside the thread team. If present, it is used instead.
  [[nodiscard]] virtual std::optional<double> own_seconds() const { return std::nullopt; }

  /// Seconds of the last run by the device's own clock, if it has one.
  [[nodiscard]] virtual std::optional<double> event_seconds() const { return std::nullopt; }

  /// The work of one run on this rank.
  [[nodiscard]] virtual Work work() const = 0;

  /// The verification of the last run, the same on all ranks.
  [[nodiscard]] virtual std::vector<Check> checks() { return {}; }

  /// Parameters of the run that the problem does not state; the same on all ranks.
  [[nodiscard]] virtual std::vector<Figure> parameters() const { return {}; }

  /// Results other than the time; the same on all ranks. Called after the last run.
  [[nodiscard]] virtual std::vector<Figure> figures() const { return {}; }

  /// Caveats for readers of its figures; the same on all ranks.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }

 protected:
  /// For `run` of long work; until `set_pauses` has been called they never interrupt it.
  [[nodiscard]] const Pauses& pauses() const { return pauses_; }

 private:
  Pauses pauses_;
};

}  // namespace bankfull
