#pragma once

#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/streams.hpp"
#include "bankfull/numerics/formula/program.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bankfull::convection {

/// A vector by its components along x, y, z.
using Vector = std::array<double, 3>;

/// A value at the point (x, y, z). Empty: zero everywhere. One call at a time; copies are
/// independent.
using PointFunction = std::function<double(double x, double y, double z)>;

/// A value at the time t. Null: what it belongs to does not vary.
using TimeFunction = std::shared_ptr<const formula::Program>;

inline constexpr std::array<const char*, 3> axis_names{"x", "y", "z"};

/// The cells along one axis of the box.
struct AxisCells {
  double lower = 0.0;
  double upper = 1.0;
  std::int64_t cells = 16;
  bool periodic = false;

  /// 0: all cells are alike. Else cells gather at both ends, faces at
  /// middle + half tanh(s stretching) / tanh(stretching), s from -1 to 1.
  double stretching = 0.0;

  /// Coordinates of the cells' faces, cells + 1 of them.
  [[nodiscard]] std::vector<double> faces() const;
};

/// What a wall does to the flow along it.
struct WallMotion {
  bool free_slip = false;  ///< no stress; else no-slip
  Vector velocity = {};    ///< of a no-slip wall, within its plane

  /// Navier's: the fluid at the wall is faster than the wall by this length times du/dn, n into the
  /// fluid. 0: it has the wall's velocity.
  double slip_length = 0.0;

  std::array<TimeFunction, 3> varying = {};  ///< added to `velocity`, along x, y, z

  [[nodiscard]] Vector velocity_at(double time) const;
};

/// What a wall does to a scalar T. With `is_flux`: kappa dT/dn = flux, n out of the fluid, so that
/// a positive flux heats and 0 insulates. Else T = value + slope . (x, y, z) on the wall or, with a
/// `transfer`, in the surroundings: kappa dT/dn = transfer (T of the surroundings - T).
struct WallScalar {
  bool is_flux = true;
  double flux = 0.0;
  double value = 0.0;
  Vector slope = {};
  double transfer = 0.0;  ///< length / time; 0: T of the wall itself is fixed
  TimeFunction varying;   ///< added to the flux, or to value + slope . (x, y, z)

  [[nodiscard]] bool is_fixed() const { return !is_flux && transfer == 0.0; }

  static WallScalar insulating() { return {}; }
  static WallScalar heated(double flux) { return {.is_flux = true, .flux = flux}; }
  static WallScalar fixed(double value, Vector slope = {}) {
    return {.is_flux = false, .value = value, .slope = slope};
  }
  static WallScalar mixed(double transfer, double surroundings, Vector slope = {}) {
    return {.is_flux = false, .value = surroundings, .slope = slope, .transfer = transfer};
  }
};

/// How a scalar is carried by the flow.
enum class Advection {
  centred,  ///< without numerical diffusion; may leave its bounds on coarse grids
  bounded,  ///< flux-corrected: within the bounds of its beginning and of walls; diffusive at
            ///< fronts
};

/// A quantity that the flow carries: dT/dt = -div(u T) + kappa lap T + source.
struct Scalar {
  std::string name = "temperature";
  double diffusivity = 1.0;
  Advection advection = Advection::centred;

  /// Acceleration of the fluid for each unit of the scalar: g alpha, upwards for a temperature.
  Vector buoyancy = {};

  PointFunction initial;
  PointFunction source;
  TimeFunction source_factor;  ///< which multiplies the source

  /// Walls below and above along x, y, z; unused along periodic axes.
  std::array<std::array<WallScalar, 2>, 3> walls;

  /// What the scalar is more than T of this problem: see stepped_problem. Buoyancy is that of both.
  double reference = 0.0;
};

enum class TimeScheme {
  adams_bashforth,  ///< second order, one evaluation per step
  runge_kutta,      ///< third order, three evaluations per step
};

/// Along which axes diffusion is implicit in time, for all velocities and scalars.
enum class ImplicitDiffusion {
  none,
  stretched,  ///< those that are stretched
  walls,      ///< those between walls
};

enum class PressureSolver { automatic, direct, multigrid };

enum class Schedule {
  tuned,      ///< the fast one of the device
  reference,  ///< serial, fp64, one loop a term
};

/// How long a step is.
struct TimeStep {
  double fixed = 0.0;  ///< seconds of the problem; 0: by the Courant number

  /// Largest sum over the axes of dt |u| / h; each step is chosen by the flow that it starts from.
  double courant = 0.35;

  double longest = 0.0;  ///< with `courant`: no step is longer; 0: there is no such limit
};

/// Ends a run before its steps and its time are over, by its Nusselt numbers; 0: not by this.
struct Until {
  double steady = 0.0;     ///< the part by which they change at most over the window
  double converged = 0.0;  ///< the standard error of their averages at most, over the largest
  double window = 0.0;     ///< time; averages are over so much at least

  [[nodiscard]] bool any() const { return steady > 0.0 || converged > 0.0; }
};

/// The largest Problem::divergence: more makes scalars and energy that no budget knows of.
inline constexpr double max_divergence = 1e-3;

/// The largest magnitude of any number of a case: fourth powers, of which statistics are made, stay
/// finite in double precision, and the number itself in single.
inline constexpr double max_magnitude = 1e30;

/// Whether it is a number within these bounds.
inline bool is_moderate(double value) { return std::fabs(value) <= max_magnitude; }

/// A run: what to integrate and how. Plain data; units are the case's own throughout.
struct Problem {
  std::string name = "convection";

  std::array<AxisCells, 3> axes;  ///< x, y, z
  double viscosity = 1.0;
  Vector rotation = {};  ///< angular velocity Omega of the frame: adds -2 Omega x u
  std::vector<Scalar> scalars;
  std::array<std::array<WallMotion, 2>, 3> walls;
  std::array<PointFunction, 3> initial_velocity;
  std::array<PointFunction, 3> force;        ///< an acceleration along x, y, z
  std::array<TimeFunction, 3> force_factor;  ///< which multiply these

  /// Adds to every velocity a random part of this amplitude, the same for any device and schedule.
  double noise = 0.0;
  std::uint64_t seed = 1;

  TimeScheme scheme = TimeScheme::adams_bashforth;
  ImplicitDiffusion implicit_diffusion = ImplicitDiffusion::none;
  TimeStep time_step;
  std::int64_t steps = 0;  ///< the run ends after so many steps; 0: at end_time alone
  double end_time = 0.0;   ///< 0: after `steps` alone
  Until until = {};        ///< or earlier

  PressureSolver solver = PressureSolver::automatic;
  /// Largest |div u| that multigrid leaves after a step, times the step: the part of a cell's
  /// volume by which what flows in and out of it in a step may differ.
  /// Proportionally less for a flow whose step has a Courant number below `slow_courant`.
  double divergence = 1e-10;

  Precision precision = Precision::fp64;
  Schedule schedule = Schedule::tuned;
  Device device = Device::cpu();
  int threads = 1;       ///< of a schedule on CPUs
  int host_threads = 1;  ///< that form a flow to start from, of any schedule

  [[nodiscard]] std::int64_t cells() const { return axes[0].cells * axes[1].cells * axes[2].cells; }

  /// Whether diffusion along x, y, z is implicit. Never along a periodic axis.
  [[nodiscard]] std::array<bool, 3> implicit_along() const;
  [[nodiscard]] bool implicit_anywhere() const;

  /// Throws UsageError naming the field, its value and the remedy, about the setting that a case
  /// has for it. Does not look at the device.
  void validate() const;
};

/// Its value at a time; 0, or what else is given, where there is none.
inline double value_at(const TimeFunction& function, double time, double absent = 0.0) {
  return function ? function->at(time) : absent;
}

/// Whether anything is a formula of time.
bool varies_in_time(const Problem& problem);

/// Whether what a wall prescribes does.
bool walls_vary(const Problem& problem);

/// How long a run is at most; infinite where steps alone, of any length, end it.
double longest_run(const Problem& problem);

/// Numbers of the scalars that are Advection::bounded, in order.
std::vector<int> bounded_scalars(const Problem& problem);

/// Whether a force or a scalar's source is prescribed.
bool has_sources(const Problem& problem);

/// See Terms::usual.
bool has_usual_terms(const Problem& problem);

std::string to_string(Advection advection);
std::string to_string(TimeScheme scheme);
std::string to_string(ImplicitDiffusion implicit);
std::string to_string(PressureSolver solver);
std::string to_string(Schedule schedule);

}  // namespace bankfull::convection
