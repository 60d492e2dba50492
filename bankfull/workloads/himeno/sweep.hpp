#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/core/measure/work.hpp"
#include "bankfull/workloads/himeno/domain.hpp"
#include "bankfull/workloads/himeno/initial.hpp"
#include "bankfull/workloads/himeno/pass_runner.hpp"
#include "bankfull/workloads/himeno/plan.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::himeno {

/// What a number of iterations took and left behind; the same on all ranks.
struct Sweeps {
  double seconds = 0.0;  ///< of the slowest rank: wall time from when all are ready
  double gosa = 0.0;     ///< sum of squared residuals of the last iteration
};

/// How a schedule runs a given grid on a given device.
struct ScheduleFacts {
  int iterations_per_pass = 1;   ///< of the coefficients; fused schedules do more than one
  int iterations_per_batch = 1;  ///< queued as one; runs are best divided between whole batches
  std::string description = {};  ///< tile, strip and thread shapes, for the result
  Transport transport = Transport::local;
  std::int64_t sent_bytes = 0;         ///< to other ranks, by the busiest one, in a pass
  std::int64_t sent_bytes_single = 0;  ///< likewise, in an iteration that does not fill a pass
};

/// The fields of one problem on the devices of its ranks, and the sweeps over them. Functions that
/// are not const are collective, and so is `pressure`.
class Solver {
 public:
  /// `ranks` must outlive it.
  explicit Solver(const Communicator& ranks) : ranks_(ranks) {}
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  virtual ~Solver() = default;

  /// Sets every field, boundary included.
  void load(const InitialState& state) {
    fill(state);
    iteration_ = 0;
  }

  /// Iterations since `load`.
  [[nodiscard]] std::int64_t iteration() const { return iteration_; }

  /// Does what `run` of as many iterations needs and what is not timed: refreshes ghosts, records
  /// passes.
  virtual void prepare(Schedule schedule, std::int64_t iterations, Halos halos) = 0;

  /// `iterations` sweeps from the present state. gosa is formed in every one of them. Returns this
  /// rank's part of the last one's, when it is in its host's memory.
  /// With stale halos the pressures near other ranks are wrong: for timing only.
  double run(Schedule schedule, std::int64_t iterations, Halos halos) {
    iteration_ += iterations;
    return sweep(schedule, iterations, halos);
  }

  /// This rank's part of gosa of each iteration of the last pass; none on CPUs.
  [[nodiscard]] virtual std::vector<double> gosa_of_last_pass() const { return {}; }

  /// Seconds of the last run of this rank by the GPU's clock; none on CPUs.
  [[nodiscard]] virtual std::optional<double> event_seconds() const { return std::nullopt; }

  /// Prepares, runs and times.
  Sweeps iterate(Schedule schedule, std::int64_t iterations);

  [[nodiscard]] virtual ScheduleFacts facts(Schedule schedule) = 0;

  /// The work of so many iterations on this rank.
  [[nodiscard]] virtual Work work(Schedule schedule, std::int64_t iterations) const = 0;

  /// The pressure of the whole grid with its boundary, I x J x K values, k fastest, on all ranks.
  [[nodiscard]] virtual std::vector<double> pressure() const = 0;

  /// Not collective: the pressures of `part`, in this rank's numbering, k fastest.
  [[nodiscard]] virtual std::vector<double> pressure_in(const Box& part) const = 0;

  /// What this rank sweeps.
  [[nodiscard]] virtual const Domain& domain() const = 0;

  [[nodiscard]] const Communicator& ranks() const { return ranks_; }

 private:
  virtual void fill(const InitialState& state) = 0;
  virtual double sweep(Schedule schedule, std::int64_t iterations, Halos halos) = 0;

  const Communicator& ranks_;
  std::int64_t iteration_ = 0;
};

/// Collective: a solver on the problem's device with the problem's precision and threads. `ranks`,
/// for which the plan was made, must outlive it.
std::unique_ptr<Solver> make_solver(const Plan& plan, const Communicator& ranks);

/// Bytes and flops of one unfused iteration: every coefficient read once, the pressure read once
/// and written once. A fused pass moves as many bytes for all its iterations.
Traffic iteration_traffic(const GridSize& grid, Precision precision);

/// The work of iterations over the points of one rank, with so many per pass. Whole passes move all
/// fields once; iterations that do not fill a pass are done one by one.
Work work_of(const Domain& domain, Precision precision, int iterations_per_pass,
             std::int64_t iterations);

namespace detail {
std::unique_ptr<Solver> make_cpu_solver(const Plan& plan, const Communicator& ranks);
// Defined in sweep_cuda.cu, which exists in builds with CUDA only.
template <class T>
std::unique_ptr<Solver> make_cuda_solver(const Plan& plan, const Communicator& ranks);
}  // namespace detail

}  // namespace bankfull::himeno
