#pragma once

#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/workloads/himeno/initial.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bankfull::himeno {

/// What a number of iterations took and left behind.
struct Sweeps {
  double seconds = 0.0;  ///< device time on GPUs, wall time on CPUs
  double gosa = 0.0;     ///< sum of squared residuals of the last iteration
};

/// How a schedule runs a given grid on a given device.
struct ScheduleFacts {
  int iterations_per_pass = 1;  ///< of the coefficients; fused schedules do more than one
  std::string description;      ///< tile, strip and thread shapes, for the result
};

/// The fields of one problem on one device, and the sweeps over them.
class Solver {
 public:
  virtual ~Solver() = default;

  /// Sets every field, boundary included.
  virtual void load(const InitialState& state) = 0;

  /// `iterations` sweeps from the present state. gosa is formed in every one of them.
  virtual Sweeps iterate(Schedule schedule, std::int64_t iterations) = 0;

  [[nodiscard]] virtual ScheduleFacts facts(Schedule schedule) const = 0;

  /// The pressure with its boundary, I x J x K values, k fastest.
  [[nodiscard]] virtual std::vector<double> pressure() const = 0;
};

/// A solver on the problem's device with the problem's precision and threads.
std::unique_ptr<Solver> make_solver(const Problem& problem);

/// Bytes and flops of one unfused iteration: every coefficient read once, the pressure read once
/// and written once. A fused pass moves as many bytes for all its iterations.
Traffic iteration_traffic(const GridSize& grid, Precision precision);

namespace detail {
template <class T>
std::unique_ptr<Solver> make_cpu_solver(const GridSize& grid, int threads);
// Defined in sweep_cuda.cu, which exists in builds with CUDA only.
template <class T>
std::unique_ptr<Solver> make_cuda_solver(const GridSize& grid, Device gpu);
}  // namespace detail

}  // namespace bankfull::himeno
