#include "bankfull/workloads/convection/step_ahead.hpp"

#include "bankfull/core/field/layout.hpp"
#include "bankfull/workloads/convection/plan.hpp"
#include "bankfull/workloads/convection/stability.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace bankfull::convection {
namespace {

/// Of chosen steps. Multigrid's need a launch more.
std::int64_t fewest_cells(PressureSolver solver) {
  return std::int64_t{1} << (solver == PressureSolver::multigrid ? 21 : 20);
}

/// Of a field, ghosts among them, as the kernel numbers them.
bool have_numbers_of_32_bits(const Plan& plan) {
  const Extents n = plan.grid().extents();
  const Layout layout(n, 1, static_cast<std::size_t>(bytes_of(plan.problem().precision)));
  return (n.ni + 3) * layout.plane_pitch() <= std::numeric_limits<std::uint32_t>::max();
}

/// Planes between walls, which close on themselves and have cells that are all alike.
bool is_a_layer(const Grid& grid) {
  const auto closes = [&](int n) {
    const GridAxis& axis = grid.axis(n);
    return axis.cells.periodic && axis.cells.uniform() && axis.count() > 1;
  };
  return !grid.axis(0).cells.periodic && closes(1) && closes(2);
}

}  // namespace

bool can_leave_projections(const Plan& plan) {
  const Problem& problem = plan.problem();
  if (!problem.device.is_cuda() || problem.schedule != Schedule::tuned || plan.is_shared() ||
      !are_steps_planned(problem) || !has_usual_terms(problem) || !is_a_layer(plan.grid())) {
    return false;
  }
  constexpr std::int64_t together = 2;  // cells of a row in fp32
  const bool in_pairs =
      problem.precision == Precision::fp64 || plan.grid().extents().nk % together == 0;
  const bool pays =
      problem.time_step.fixed > 0.0 || problem.cells() >= fewest_cells(plan.solver());
  return in_pairs && pays && have_numbers_of_32_bits(plan) && !varies_in_time(problem);
}

bool keeps_both_tendencies(const Plan& plan) {
  return plan.leaves_projections() && plan.problem().time_step.fixed == 0.0;
}

}  // namespace bankfull::convection
