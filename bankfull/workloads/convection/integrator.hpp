#pragma once

#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bankfull::convection {

/// All fields of a flow on the host, in fp64: velocity along the storage axes 0, 1, 2, then the
/// scalars. Element (i, j, k) of each at (i nj + j) nk + k.
struct FlowState {
  std::vector<std::vector<double>> fields;
};

/// What a flow is like at one time. All of it is found on the device.
struct Diagnosis {
  double courant_rate = 0.0;    ///< max over the cells of the sum of |u| / h: Courant number / dt
  double fastest = 0.0;         ///< max |u| of any component
  Vector fastest_along = {};    ///< max |u| along x, y, z
  double kinetic_energy = 0.0;  ///< mean over the volume of |u|^2 / 2
  double divergence = 0.0;      ///< max |div u|

  struct OfScalar {
    double mean = 0.0;         ///< over the volume
    double mean_square = 0.0;  ///< over the volume
    double least = 0.0;
    double most = 0.0;
    Vector transport = {};  ///< mean over the volume of u T along x, y, z, as the scheme carries it

    /// Mean over each wall of kappa dT/dn, n out of the fluid: what flows in; 0 where periodic.
    std::array<std::array<double, 2>, 3> inflow = {};
  };
  std::vector<OfScalar> scalars;

  [[nodiscard]] bool finite() const;
};

/// One stage of a time step: u* = u + fresh G(u) + previous G_before, then projection.
struct Stage {
  double fresh = 0.0;
  double previous = 0.0;
  bool keeps = true;  ///< G(u) becomes G_before of later stages
};

/// The parts of a stage, in the order in which they run.
enum class StagePart { advance, divergence, pressure, projection, ghosts };

inline constexpr int stage_parts = 5;

std::string to_string(StagePart part);

/// What each part of a stage moves and computes by its stated model; see traffic.cpp.
using StageTraffic = std::array<Traffic, stage_parts>;

/// Seconds of each part of a stage.
using StageSeconds = std::array<double, stage_parts>;

/// Advances a flow on one device. Work may be queued: diagnose() and state() wait for it.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// One stage: advances velocity and scalars and makes the velocity free of divergence.
  virtual void advance(const Stage& stage) = 0;

  /// The same with a clock around each part.
  virtual StageSeconds advance_timed(const Stage& stage) = 0;

  /// Replaces all fields, makes the velocity free of divergence, and forgets tendencies.
  virtual void load(const FlowState& state) = 0;
  [[nodiscard]] virtual FlowState state() const = 0;

  [[nodiscard]] virtual Diagnosis diagnose() = 0;

  /// How the pressure solve of the last stage went.
  [[nodiscard]] virtual poisson::Outcome pressure_outcome() const = 0;

  /// The next pressure solve starts from nothing, not from the last one's solution.
  virtual void forget_pressure() = 0;

  /// Of one stage; the pressure's as in its last solve.
  [[nodiscard]] virtual StageTraffic traffic() const = 0;

  /// Waits for all work.
  virtual void finish() = 0;
};

/// The solver that a problem's `solver` means on its device. Throws UsageError where the one asked
/// for cannot be had.
PressureSolver chosen_solver(const Problem& problem);

/// Validates, checks the memory and builds the fields, at rest and zero: see initial_state.
std::unique_ptr<Integrator> make_integrator(const Problem& problem);

/// Bytes that make_integrator takes on the problem's device.
std::int64_t integrator_bytes(const Problem& problem);

/// Bytes of a FlowState on the host: what a flow is loaded from, and pictures are made of.
std::int64_t state_bytes(const Problem& problem);

/// Throws UsageError where the device or the host has too little memory for both.
void require_memory(const Problem& problem);

/// The fields that a problem starts from, noise included, as initial conditions give them.
FlowState initial_state(const Problem& problem, const Grid& grid);

}  // namespace bankfull::convection
