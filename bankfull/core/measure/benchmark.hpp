#pragma once

#include "bankfull/core/measure/pauses.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/work.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bankfull {

/// A piece of work that can be timed again and again, with its data, on one device per rank; see
/// Experiment, which times it.
///
/// Constructing one does its set-up. Constructing, destroying, `rewind`, `warm_up`, `run`, `checks`
/// and `figures` are collective.
class Benchmark {
 public:
  Benchmark() = default;
  Benchmark(const Benchmark&) = delete;
  Benchmark& operator=(const Benchmark&) = delete;
  virtual ~Benchmark() = default;

  /// For tables and result files: "npb cg C".
  [[nodiscard]] virtual std::string name() const = 0;

  /// Restores the state from which `run` starts; not timed.
  virtual void rewind() {}

  /// Touches all code and data that `run` needs; not timed.
  virtual void warm_up() { run(); }

  /// The timed region. Returns when this rank's part is complete. Where it takes long it pauses,
  /// and leaves by Interrupted, on all ranks, if it is not to go on.
  virtual void run() = 0;

  /// After a run that was left by Interrupted: makes what it did count as a run, if that makes
  /// sense; from then on all functions speak of runs of that length. The same on all ranks.
  virtual bool shorten_to_last_run() { return false; }

  /// Those of the runs that follow.
  void set_pauses(Pauses pauses) { pauses_ = std::move(pauses); }

  /// Seconds of the last run on this rank by a watch closer to the work than the experiment's, such
  /// as one within the team of threads; where there is one, it counts.
  [[nodiscard]] virtual std::optional<double> own_seconds() const { return std::nullopt; }

  /// Seconds of the last run by the device's own clock, where it has one.
  [[nodiscard]] virtual std::optional<double> event_seconds() const { return std::nullopt; }

  /// What one run of this rank does.
  [[nodiscard]] virtual Work work() const = 0;

  /// The verification of the last run, the same on all ranks.
  [[nodiscard]] virtual std::vector<Check> checks() { return {}; }

  /// How it was run, beside what the problem says; the same on all ranks.
  [[nodiscard]] virtual std::vector<Figure> parameters() const { return {}; }

  /// What it found, beside the time; the same on all ranks. Asked for after the last run.
  [[nodiscard]] virtual std::vector<Figure> figures() const { return {}; }

  /// What a reader of its figures must know; the same on all ranks.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }

 protected:
  [[nodiscard]] const Pauses& pauses() const { return pauses_; }

 private:
  Pauses pauses_;
};

}  // namespace bankfull
