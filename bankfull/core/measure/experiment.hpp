#pragma once

#include "bankfull/core/measure/benchmark.hpp"
#include "bankfull/core/measure/ceilings.hpp"
#include "bankfull/core/measure/quietness.hpp"
#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bankfull {

/// Whether the repeats of a measurement do the same work, so that their spread is noise.
enum class Repeats { equal, different };

/// The samples of one benchmark; the same on all ranks.
struct Samples {
  std::vector<double> seconds = {};        ///< of each repeat, on the slowest rank
  std::vector<double> event_seconds = {};  ///< by the slowest device's clock; empty if it has none
  std::vector<Check> checks = {};          ///< of the last repeat, or of the first that failed
  CounterTally counters = {};              ///< of this rank, around the repeats
};

/// The same work with and without its communication; its results need not be correct.
struct CommunicationPair {
  Benchmark* with = nullptr;     ///< not owned, nor is the other
  Benchmark* without = nullptr;  ///< the same work, but no messages
};

/// Measures the work of one run on all ranks: times it, records its traffic, compares it with the
/// ceilings, and determines how quiet the machine was.
///
/// Use: construct it, time benchmarks with `measure` or describe work that was timed elsewhere with
/// `measurement`, free the work's memory, and call `finish`. All functions are collective.
///
/// If the run is to end early, functions that time work throw Interrupted before they begin, and
/// `finish` measures no more ceilings.
class Experiment {
 public:
  /// `context` must outlive it; `device` and `threads` are those of this rank.
  Experiment(Device device, int threads, const RunContext& context);

  /// Measures a ceiling before the work begins, so that its drift over the run is known.
  /// `working_set_bytes` is the working set of the coming work on this rank.
  void expect(const Mix& mix, Precision precision, double working_set_bytes);

  /// Seconds that `body` takes, from the barrier before it until the last rank is done.
  [[nodiscard]] double time(const std::function<void()>& body) const;

  /// Rewinds a benchmark and times one run of it.
  [[nodiscard]] double time(Benchmark& benchmark) const;

  /// The same with everything else that a repeat yields. For work that cannot stay in memory from
  /// one repeat to the next; others use `measure_in_turn`. The benchmark must be warm. If the run
  /// is to end early the repeat is dropped; the first one counts as far as it got, if the
  /// benchmark supports that.
  void repeat(Benchmark& benchmark, Samples& samples, const Stage& stage) const;

  /// Times `repeats` runs of each benchmark, alternating between them: machines drift, so figures
  /// to be compared must be measured side by side. Every benchmark is warmed up first. The
  /// checks of each benchmark's last repeat, or of its first that failed, are added to `checks`.
  /// An interruption drops the remaining repeats, and benchmarks that have none yet. Throws
  /// UsageError for no repeats and no benchmarks.
  std::vector<Measurement> measure_in_turn(const std::vector<Benchmark*>& benchmarks, int repeats,
                                           std::vector<Check>& checks);

  /// The measurement of a benchmark with these samples.
  [[nodiscard]] Measurement measurement(const Benchmark& benchmark, const Samples& samples) const;

  /// Seconds that communication adds to a run of each pair, from `repeats` alternating runs with
  /// and without it; the pairs alternate too. Communication hidden behind work adds nothing.
  /// There is no warm-up.
  [[nodiscard]] std::vector<std::vector<double>> exposed_communication(
      const std::vector<CommunicationPair>& pairs, int repeats) const;

  /// A measurement of work that was timed elsewhere: `seconds` of each repeat, the same on all
  /// ranks, and the work of this rank in one repeat.
  [[nodiscard]] Measurement measurement(const std::string& name, const std::vector<double>& seconds,
                                        const Work& work, Repeats repeats = Repeats::equal) const;

  /// The counters of energy and throttling now; empty if nobody watches the machine. Takes less
  /// than a millisecond: for callers of `time`, before a series of calls and after it.
  [[nodiscard]] std::optional<CounterReading> read_counters() const;

  /// Adds a window between two readings to a tally, and then reads the whole state of the machine
  /// if it is due.
  void add_window(const std::optional<CounterReading>& before, double timed_seconds,
                  CounterTally& tally) const;

  /// The GPUs of this rank that work from now on, where they are not the experiment's device alone:
  /// energy and throttling are those of all of them.
  void work_on(const std::vector<Device>& devices) const;

  /// Collective: adds what the counters have counted to a measurement. Shares of throttling only if
  /// most of its repeats were in windows; else those of the whole run count.
  void add_energy(const CounterTally& tally, Measurement& measurement) const;

  /// Measures the ceiling of a measurement now, close in time to its work.
  void measure_ceiling_of(const Measurement& measurement);

  /// Measures the ceilings that are missing and, if time is left (see Ceilings), repeats those
  /// measured only once; adds them and the quietness to the measurements. The memory of the work
  /// should have been freed.
  void finish(std::vector<Measurement>& measurements);

  /// For some ranks of a larger run, with the load that all its ranks saw: to a subset of ranks
  /// the work of the others looks foreign.
  void finish(std::vector<Measurement>& measurements, const Quietness& load);

 private:
  /// Whether repeats like the last one are long enough for the counters.
  [[nodiscard]] bool is_worth_reading(const Samples& samples, double repeats) const;

  /// The public one, for one of so many repeats, whatever else the stage's task consists of.
  void repeat(Benchmark& benchmark, Samples& samples, const Stage& stage, double repeats) const;

  /// Adds the last run of a benchmark.
  void add_run(Benchmark& benchmark, double seconds, Samples& samples) const;

  /// A ceiling to measure, and how often.
  struct Wanted {
    Mix mix;
    Precision precision = Precision::fp64;
    int times = 0;
  };

  [[nodiscard]] bool is_measured(CacheFit fit) const {
    return measures_ceiling(context_.policy.ceiling, fit);
  }
  [[nodiscard]] double ceiling_seconds_left() const;
  /// Uses a share of the time that is left for ceilings. A known ceiling is measured again only if
  /// that share suffices.
  void measure_within(double share, const Mix& mix, Precision precision,
                      std::int64_t problem_bytes);

  /// The same; frees the memory.
  void measure_now(const Mix& mix, Precision precision, std::int64_t problem_bytes);
  [[nodiscard]] std::map<std::string, Wanted> wanted_ceilings(
      const std::vector<Measurement>& measurements) const;
  void measure_missing(const std::vector<Measurement>& measurements);
  void add_ceiling(Measurement& measurement) const;

  Device device_;
  const RunContext& context_;
  LoadWatch load_;
  Ceilings ceilings_;
  Stopwatch watch_;
};

}  // namespace bankfull
