#pragma once

#include "bankfull/core/measure/footprint.hpp"
#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull::convection {

/// Memory of what a run tells beside what it steps.
struct OutputBytes {
  std::int64_t host = 0;
  std::int64_t device = 0;
};

/// What follows from a problem before anything of it is computed. It is decided here, once: what is
/// told of a run, refused, built and measured agrees.
class Plan {
 public:
  /// Throws UsageError for a bad problem, also where the pressure solver asked for cannot be had on
  /// its device. `output`: what samples and who records the run take.
  explicit Plan(Problem problem, CeilingRule ceilings = CeilingRule::automatic,
                const OutputBytes& output = {});

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const Grid& grid() const { return grid_; }

  /// The problem less its scalars' reference values: what integrators store and step.
  [[nodiscard]] const Problem& stepped() const { return stepped_; }

  /// Never PressureSolver::automatic.
  [[nodiscard]] PressureSolver solver() const { return solver_; }

  /// Velocity along three axes, and the scalars.
  [[nodiscard]] int fields() const { return 3 + static_cast<int>(problem_.scalars.size()); }

  /// Stages per step, except for the first step.
  [[nodiscard]] int stages() const { return stages_; }

  /// How each field of the stepped problem goes on beyond the ends of the box, in one layer of
  /// ghost cells.
  [[nodiscard]] const std::vector<Continuations>& ghosts() const { return ghosts_; }

  /// What make_integrator takes on the problem's device.
  [[nodiscard]] std::int64_t device_bytes() const { return device_bytes_; }

  [[nodiscard]] const OutputBytes& output() const { return output_; }

  /// Of all that, and of what a flow is loaded through on the host.
  [[nodiscard]] const Footprint& footprint() const { return footprint_; }

  /// Throws UsageError where the device or the host has too little memory.
  void require_memory() const;

  /// What that would say; "" where the memory suffices.
  [[nodiscard]] std::string memory_shortage() const;

 private:
  [[nodiscard]] std::string judge_memory(Shortage shortage) const;

  Problem problem_;
  Problem stepped_;
  Grid grid_;
  PressureSolver solver_;
  int stages_;
  std::vector<Continuations> ghosts_;
  std::int64_t device_bytes_;
  OutputBytes output_;
  Footprints footprints_;
  Footprint footprint_;
};

}  // namespace bankfull::convection
