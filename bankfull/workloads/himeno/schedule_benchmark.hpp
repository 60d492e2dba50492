#pragma once

#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/workloads/himeno/plan.hpp"
#include "bankfull/workloads/himeno/problem.hpp"
#include "bankfull/workloads/himeno/sweep.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull::himeno {

/// One schedule by the official protocol: trial iterations to warm up, then as many as fill a
/// repeat's share of the time, from the state that the solver has, which must be loaded. Where the
/// problem names the iterations, every repeat begins with the official state instead.
class ScheduleBenchmark final : public Benchmark {
 public:
  /// `solver` and `problem` must outlive it. With `iterations` above 0 the first warm-up does not
  /// choose how many a repeat has.
  ScheduleBenchmark(Solver& solver, const Problem& problem, Schedule schedule,
                    std::int64_t iterations = 0);

  [[nodiscard]] std::string name() const override;
  void rewind() override;
  void warm_up() override;
  void run() override;
  bool shorten_to_last_run() override;
  [[nodiscard]] std::optional<double> own_seconds() const override { return done_.seconds; }
  [[nodiscard]] std::optional<double> event_seconds() const override { return done_.event_seconds; }
  [[nodiscard]] Work work() const override { return solver_.work(schedule_, iterations_); }
  [[nodiscard]] std::vector<Figure> parameters() const override;
  [[nodiscard]] std::vector<Figure> figures() const override;
  [[nodiscard]] std::vector<std::string> notes() const override;

  [[nodiscard]] Schedule schedule() const { return schedule_; }

  /// Iterations per repeat; 0 before the warm-up.
  [[nodiscard]] std::int64_t iterations() const { return iterations_; }

  /// Iterations for timing communication: whole passes that take about a second, and no more than a
  /// repeat has.
  [[nodiscard]] std::int64_t communication_iterations(double seconds_per_repeat) const;

  /// Adds the rates to the measurement of this benchmark.
  void add_rates(Measurement& m) const;

  /// Adds how the ranks were arranged and what their communication took: `exposed` seconds of one
  /// iteration, of every time that they were measured.
  void add_ranks(const std::vector<double>& exposed, Measurement& m) const;

 private:
  /// The completed part of a repeat, without the pauses between its pieces.
  struct Progressed {
    std::int64_t iterations = 0;
    double seconds = 0.0;  ///< of the slowest rank in each piece
    std::optional<double> event_seconds = std::nullopt;
    double gosa = 0.0;                ///< this rank's part, of the last iteration
    std::int64_t gosa_iteration = 0;  ///< from the official state
  };

  void run_piece(std::int64_t iterations);

  Solver& solver_;
  const Problem& problem_;
  Schedule schedule_;
  std::int64_t iterations_;
  ScheduleFacts facts_;
  double seconds_per_iteration_ = 0.0;           ///< of the last iterations that were timed
  Progressed done_;                              ///< of the present repeat
  Progressed last_;                              ///< the last repeat that counts
  std::optional<std::int64_t> full_iterations_;  ///< of a repeat, where one was ended early
};

/// Measures the ceiling of a plan's sweeps before they begin.
void expect_ceiling(const Plan& plan, Experiment& experiment);

/// So many iterations from whatever state the solver has, for their time only.
class Stretch final : public Benchmark {
 public:
  /// `solver` must outlive it.
  Stretch(Solver& solver, Schedule schedule, std::int64_t iterations, Halos halos)
      : solver_(solver), schedule_(schedule), iterations_(iterations), halos_(halos) {}

  [[nodiscard]] std::string name() const override { return "himeno " + to_string(schedule_); }
  void rewind() override { solver_.prepare(schedule_, iterations_, halos_); }
  void run() override { solver_.run(schedule_, iterations_, halos_); }
  [[nodiscard]] Work work() const override { return solver_.work(schedule_, iterations_); }

 private:
  Solver& solver_;
  Schedule schedule_;
  std::int64_t iterations_;
  Halos halos_;
};

}  // namespace bankfull::himeno
