#pragma once

#include "bankfull/core/measure/footprint.hpp"
#include "bankfull/numerics/poisson/sharing.hpp"
#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull::convection {

/// What a run's output takes beside what is stepped.
struct OutputNeeds {
  std::int64_t host = 0;         ///< bytes
  std::int64_t device = 0;       ///< likewise
  std::vector<int> fields = {};  ///< that are read to be kept
};

/// What follows from a problem before anything of it is computed. It is decided here, once: what is
/// told of a run, refused, built and measured agrees.
class Plan {
 public:
  /// Throws UsageError for a bad problem, also where the requested pressure solver is not available
  /// on its device. `output`: of samples and of who records the run. On several ranks collective:
  /// each has a block of the grid. How it is cut is chosen where `sharing` leaves it at one rank.
  /// Its ranks outlive the plan and all that is made from it.
  explicit Plan(Problem problem, CeilingRule ceilings = CeilingRule::automatic,
                const OutputNeeds& output = {}, const poisson::Sharing& sharing = {});

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const Grid& grid() const { return grid_; }

  /// The problem less its scalars' reference values: what integrators store and step.
  [[nodiscard]] const Problem& stepped() const { return stepped_; }

  /// Never PressureSolver::automatic.
  [[nodiscard]] PressureSolver solver() const { return solver_; }

  /// The ranks and how they cut the grid.
  [[nodiscard]] const poisson::Sharing& sharing() const { return sharing_; }
  [[nodiscard]] bool is_shared() const { return sharing_.is_shared(); }

  /// Null where there is one only.
  [[nodiscard]] const Communicator* ranks() const {
    return sharing_.is_shared() ? sharing_.ranks : nullptr;
  }

  [[nodiscard]] Decomposition cut() const { return poisson::cut_of(grid_.domain(), sharing_.grid); }

  /// The cells of this rank.
  [[nodiscard]] const Box& block() const { return block_; }

  /// Velocity along three axes, and the scalars.
  [[nodiscard]] int fields() const { return 3 + static_cast<int>(problem_.scalars.size()); }

  /// The pressure, as a field that is read.
  [[nodiscard]] int pressure_field() const { return fields(); }

  /// Whether the output needs it.
  [[nodiscard]] bool tells_pressure() const;

  /// Stages per step, except for the first step.
  [[nodiscard]] int stages() const { return stages_; }

  /// How each field of the stepped problem continues beyond the ends of the box, in one layer of
  /// ghost cells.
  [[nodiscard]] const std::vector<Continuations>& ghosts() const { return ghosts_; }

  /// Whether steps leave their projection to the next one, see step_ahead.hpp: not where that takes
  /// more memory than there is.
  [[nodiscard]] bool leaves_projections() const { return leaves_projections_; }

  /// What make_integrator takes on the problem's device.
  [[nodiscard]] std::int64_t device_bytes() const { return device_bytes_; }

  [[nodiscard]] const OutputNeeds& output() const { return output_; }

  /// The output fields that are first copied on a GPU, so that the run continues while the host
  /// reads them: all if they fit, else none. None either if the pressure is among them or ranks
  /// share the flow.
  [[nodiscard]] const std::vector<int>& copied_fields() const { return copied_fields_; }

  /// The memory for all that, and for the host buffers through which a flow is loaded.
  [[nodiscard]] const Footprint& footprint() const { return footprint_; }

  /// Throws UsageError where the device or the host has too little memory.
  void require_memory() const;

  /// What that would say; "" where the memory suffices.
  [[nodiscard]] std::string memory_shortage() const;

 private:
  [[nodiscard]] std::string judge_memory(Shortage shortage) const;
  /// Does without leaves_projections() and what it takes.
  void project_at_once();
  /// Whether these fields need no copy, or there is room for it.
  bool copy_where_there_is_room(const std::vector<int>& fields);

  Problem problem_;
  Problem stepped_;
  Grid grid_;
  PressureSolver solver_;
  poisson::Sharing sharing_;
  Box block_;
  int stages_;
  std::vector<Continuations> ghosts_;
  bool leaves_projections_;
  std::int64_t device_bytes_;
  OutputNeeds output_;
  std::vector<int> copied_fields_;
  Footprints footprints_;
  Footprint footprint_;
};

}  // namespace bankfull::convection
