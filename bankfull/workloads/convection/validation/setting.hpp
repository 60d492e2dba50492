#pragma once

#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/numerics/poisson/sharing.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/validation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace bankfull::convection {

/// Where a validation runs, how far it goes, and who watches.
class ValidationSetting {
 public:
  ValidationSetting(Validation validation, RunContext context)
      : validation_(std::move(validation)), context_(std::move(context)) {}

  [[nodiscard]] bool full() const { return validation_.level == ValidationLevel::full; }
  [[nodiscard]] Device device() const { return validation_.device; }
  [[nodiscard]] int threads() const { return validation_.threads; }

  /// The ranks that share each flow.
  [[nodiscard]] poisson::Sharing sharing() const { return {.ranks = &context_.ranks}; }

  /// The same, but a flow in a plane with implicit diffusion has nothing to cut: each rank computes
  /// it as a whole.
  [[nodiscard]] poisson::Sharing sharing_of(const Problem& problem) const {
    const bool in_plane =
        std::ranges::any_of(problem.axes, [](const AxisCells& axis) { return axis.cells == 1; });
    return in_plane && problem.implicit_anywhere() ? poisson::Sharing{} : sharing();
  }

  /// The problem on the device of this validation, on a CPU with as many threads as it has work
  /// for.
  [[nodiscard]] Problem placed(Problem problem) const {
    constexpr std::int64_t cells_per_thread = 32768;
    problem.device = device();
    problem.threads = static_cast<int>(
        std::clamp<std::int64_t>(problem.cells() / cells_per_thread, 1, threads()));
    return problem;
  }

  /// The part of the whole validation that the next cases are, from 0 to 1.
  void set_part(double begin, double end) {
    begin_ = begin;
    end_ = end;
  }

  /// `done` of 1 of a case. Throws Interrupted where the run is to end early.
  void tell(const std::string& name, double done) const {
    context_.begin("validating: " + name, begin_ + done * (end_ - begin_), 1.0);
  }

 private:
  Validation validation_;
  RunContext context_;
  double begin_ = 0.0;
  double end_ = 1.0;
};

/// Two results of second order, of cells of width h and h / 2, extrapolated to h = 0.
constexpr double extrapolated(double coarse, double fine) { return fine + (fine - coarse) / 3.0; }

/// Sets out with one roll about y between the walls of a unit cube.
inline void set_roll(Problem& problem, double amplitude) {
  using std::numbers::pi;
  problem.initial_velocity[0] = [amplitude](double x, double y, double z) {
    return -amplitude * std::sin(pi * x) * std::sin(pi * y) * std::cos(pi * z);
  };
  problem.initial_velocity[2] = [amplitude](double x, double y, double z) {
    return amplitude * std::cos(pi * x) * std::sin(pi * y) * std::sin(pi * z);
  };
}

// The families of cases, which add their checks as soon as they have them, for a run may end early;
// `check_invariants` has the multigrid factors among its own.

/// What the discrete equations keep to rounding, what the pressure solvers leave, and the schedule
/// against others: the CPU's, or the serial reference.
void check_invariants(const ValidationSetting& setting, std::vector<Check>& checks);

/// By what a V-cycle reduces the residual on cubes of isotropic cells, at several sizes: small, and
/// the same for all of them.
void check_multigrid_factors(const ValidationSetting& setting, std::vector<Check>& checks);

/// Flows that are known everywhere: decaying vortices, and manufactured flows between all kinds of
/// walls, by which the order of the errors in space and in time is found.
void check_exact_flows(const ValidationSetting& setting, std::vector<Check>& checks);

/// Where convection sets in, J. M. Cohen, M. J. Molemaker, "A fast double precision CFD code using
/// CUDA", Parallel CFD 2009, Table II and the cubic box: at each resolution against the critical
/// Rayleigh number of the discrete equations, and extrapolated against the exact one.
void check_critical_rayleigh_numbers(const ValidationSetting& setting, std::vector<Check>& checks);

/// Flows in boxes: the square cavity heated from one side, the cube heated from below, the cavity
/// with a lid that moves, and a tall cavity whose flow is periodic in time.
void check_cavities(const ValidationSetting& setting, std::vector<Check>& checks);

/// The tall cavity, M. A. Christon, P. M. Gresho, S. B. Sutton, "Computational predictability of
/// time-dependent natural convection flows in enclosures", Int. J. Numer. Meth. Fluids 40 (2002)
/// 953. `done` of 1 of the cavities come before it.
void check_tall_cavity(const ValidationSetting& setting, double done, std::vector<Check>& checks);

/// Heat through layers that are periodic across: steady rolls, convection in the plane, and
/// turbulence.
void check_layers(const ValidationSetting& setting, std::vector<Check>& checks);

}  // namespace bankfull::convection
