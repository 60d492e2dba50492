#include "jacobi/plan.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/field/field_set.hpp"

#include "jacobi/sweep.hpp"
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

namespace bankfull::jacobi {
namespace {

// With more the bytes of a cube would not fit 64 bits.
constexpr std::int64_t max_cells_per_axis = 1 << 19;

void check(const Problem& problem) {
  const Extents& n = problem.cells;
  const auto [least, most] = std::minmax({n.ni, n.nj, n.nk});
  if (least < 1 || most > max_cells_per_axis) {
    throw UsageError(fmt::format("{}x{}x{} cells are not a grid", n.ni, n.nj, n.nk),
                     fmt::format("use from 1 to {} cells along each axis", max_cells_per_axis));
  }
  if (!(problem.omega > 0.0 && problem.omega <= 1.0)) {
    throw UsageError(fmt::format("omega = {} is out of range", problem.omega),
                     "use a weight above 0 and up to 1");
  }
  if (problem.sweeps < 1 || problem.repeats < 1) {
    throw UsageError(
        fmt::format("{} sweeps and {} repeats measure nothing", problem.sweeps, problem.repeats),
        "use at least 1 of each");
  }
}

}  // namespace

std::int64_t field_bytes(const Problem& problem) {
  return field_set_bytes<double>(Layout(problem.cells, 1, sizeof(double)), field_count);
}

Plan make_plan(const Problem& problem, const Communicator& ranks, CeilingRule ceilings,
               Shortage shortage) {
  check(problem);
  const std::int64_t bytes = field_bytes(problem);
  const Footprints footprints(Device::cpu(), problem.threads, ranks, ceilings);
  Plan plan{.problem = problem,
            .footprint = footprints.of({.device = bytes, .working_set = bytes})};
  plan.shortage = footprints.require(
      ranks, plan.footprint, "jacobi", [] { return "use fewer cells"; }, shortage);
  return plan;
}

}  // namespace bankfull::jacobi
