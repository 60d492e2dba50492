#include "bankfull/workloads/convection/traffic.hpp"

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/point_bounded.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

namespace bankfull::convection {
namespace {

constexpr auto part_names = enum_names<StagePart>({{StagePart::advance, "advance"},
                                                   {StagePart::divergence, "divergence"},
                                                   {StagePart::pressure, "pressure"},
                                                   {StagePart::projection, "projection"},
                                                   {StagePart::ghosts, "ghosts"}});

double count_of(std::int64_t n) { return static_cast<double>(n); }

std::int64_t scalar_count(const Problem& problem) {
  return static_cast<std::int64_t>(problem.scalars.size());
}

/// What acts on velocity `along`, of x, y and z; see with_forces.
int force_flops(const Problem& problem, std::size_t along) {
  if (has_usual_terms(problem)) {
    return PointFlops::buoyancy + PointFlops::all_buoyancy;
  }
  int flops = 0;
  for (const Scalar& scalar : problem.scalars) {
    flops += scalar.buoyancy[along] != 0.0 ? PointFlops::buoyancy : 0;
  }
  flops += flops > 0 ? PointFlops::all_buoyancy : 0;
  const bool turns =
      problem.rotation[(along + 1) % 3] != 0.0 || problem.rotation[(along + 2) % 3] != 0.0;
  return flops + (turns ? PointFlops::rotation : 0);
}

/// What the length of steps asks of the scalars; see buoyancy_rate.
int buoyancy_rate_flops(const Problem& problem) {
  if (has_usual_terms(problem)) {
    return PointFlops::buoyancy_rate;
  }
  const auto drives = [](const Scalar& scalar) { return scalar.buoyancy != Vector{}; };
  return static_cast<int>(std::ranges::count_if(problem.scalars, drives)) *
         (PointFlops::buoyancy_rate + 1);
}

Traffic advance_traffic(const Problem& problem, double word) {
  const auto scalars = static_cast<int>(scalar_count(problem));
  const int fields = 3 + scalars;
  const bool sources = has_sources(problem);
  int flops = 3 * PointFlops::transport_of_velocity + scalars * PointFlops::transport_of_scalar +
              fields * (PointFlops::advance + (sources ? PointFlops::source : 0)) +
              buoyancy_rate_flops(problem);
  for (const std::size_t along : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    flops += force_flops(problem, along);
  }
  return count_of(problem.cells()) * Traffic{.bytes_read = (sources ? 3.0 : 2.0) * fields * word,
                                             .bytes_written = 2.0 * fields * word,
                                             .flops = static_cast<double>(flops)};
}

/// What bounded scalars add to `advance`: for each, A is found from velocities, the scalar and kept
/// fluxes, which are replaced; limiter ratios from velocities, the scalar and A; the correction
/// from A, the limiter ratios, the scalar and what it has become.
Traffic bounded_traffic(const Problem& problem, double word) {
  const double cells = count_of(problem.cells());
  double faces = 0.0;
  double on_walls = 0.0;
  for (const AxisCells& axis : problem.axes) {
    const double across = cells / count_of(axis.cells);
    faces += cells + across;
    on_walls += axis.periodic ? 0.0 : 2.0 * across;
  }
  const Traffic antidiffusion{.bytes_read = 7.0 * word * cells,
                              .bytes_written = 6.0 * word * cells,
                              .flops = (BoundedFlops::flux + BoundedFlops::antidiffusion) * faces};
  const Traffic limiter_ratios{
      .bytes_read = 7.0 * word * cells,
      .bytes_written = 2.0 * word * cells,
      .flops = (BoundedFlops::upwind_value + BoundedFlops::limiter_ratios) * cells +
               BoundedFlops::on_wall * on_walls};
  const Traffic correction{.bytes_read = 7.0 * word * cells,
                           .bytes_written = word * cells,
                           .flops = (BoundedFlops::corrected + BoundedFlops::production) * cells};
  return count_of(static_cast<std::int64_t>(bounded_scalars(problem).size())) *
         (antidiffusion + limiter_ratios + correction);
}

/// And to the projection: velocities are read again, for how fast cells exchange what is in them.
Traffic exchange_traffic(const Problem& problem, double word) {
  return bounded_scalars(problem).empty()
             ? Traffic{}
             : count_of(problem.cells()) *
                   Traffic{.bytes_read = 3.0 * word, .flops = BoundedFlops::exchange_rate};
}

/// How lines are solved; see ImplicitLines.
struct LineSolves {
  int within_planes = 0;  ///< axes
  bool for_values = false;
  double planes = 1.0;
  double fields = 0.0;
};

LineSolves line_solves_of(const Problem& problem, const Grid& grid) {
  LineSolves solves{.planes = count_of(grid.axis(0).count()),
                    .fields = 3.0 + count_of(scalar_count(problem))};
  for (const int axis : storage_axes) {
    const bool implicit = problem.implicit_along()[static_cast<std::size_t>(grid.physical(axis))];
    solves.within_planes += implicit && axis > 0 ? 1 : 0;
    solves.for_values = solves.for_values || (implicit && axis == 0);
  }
  solves.for_values = solves.for_values && solves.within_planes == 0;
  return solves;
}

/// What implicit diffusion adds to `advance`: the pressure is read, columns are eliminated, and
/// lines within planes are solved, by one more pass, on a GPU one for each axis.
Traffic elimination_traffic(const Problem& problem, const Grid& grid, double word) {
  const LineSolves solves = line_solves_of(problem, grid);
  const double cells = count_of(problem.cells());
  Traffic all =
      cells * Traffic{.bytes_read = word,
                      .flops = solves.fields * (PointFlops::right_side + PointFlops::eliminated) +
                               3.0 * PointFlops::pressure_gradient};
  if (solves.for_values) {
    // Walls beyond the planes act on all fields but the velocity that ends at them.
    constexpr double of_wall = 4.0;
    all.flops += cells * solves.fields *
                     (PointFlops::second_difference - PointFlops::transport_without_diffusion) +
                 2.0 * cells / solves.planes * (solves.fields - 1.0) * of_wall;
    return all;
  }
  for (const int axis : storage_axes) {
    const auto along = static_cast<std::size_t>(grid.physical(axis));
    if (problem.implicit_along()[along]) {
      all.flops +=
          cells * solves.fields * (PointFlops::second_difference + PointFlops::added_difference);
      const double lines = cells / count_of(grid.axis(axis).count());
      all.flops += axis == 0 ? 0.0
                             : solves.fields * (cells * PointFlops::eliminated +
                                                (cells - lines) * PointFlops::substituted);
    }
  }
  // A CPU has a plane in its cache from one axis to the next.
  const int passes =
      problem.device.is_cuda() ? solves.within_planes : std::min(solves.within_planes, 1);
  const double passed = passes * cells * solves.fields * word;
  return all + Traffic{.bytes_read = passed, .bytes_written = passed};
}

/// What it adds to the divergence and the projection of a GPU, which both go down the columns of
/// velocities: the first one writes none of them.
struct DescentTraffic {
  Traffic divergence;
  Traffic projection;
};

DescentTraffic descent_traffic_on_gpu(const Problem& problem, const Grid& grid, double word) {
  const LineSolves solves = line_solves_of(problem, grid);
  const double cells = count_of(problem.cells());
  const double below = cells / solves.planes * (solves.planes - 1.0);
  const double scalars = solves.fields - 3.0;
  const double started = solves.for_values ? 0.0 : 1.0;
  const auto of_fields = [&](double fields) {
    return Traffic{.bytes_read = started * fields * cells * word,
                   .flops = fields * (below * PointFlops::substituted + started * cells)};
  };
  const Traffic moved{.bytes_read = scalars * cells * word,
                      .bytes_written = scalars * cells * word};
  return {of_fields(3.0) + of_fields(scalars) + moved, of_fields(3.0)};
}

/// What it adds to the divergence of a CPU, which ends its solves: columns go the way down, and
/// changes become values. The divergence then reads no velocity again.
Traffic substitution_traffic(const Problem& problem, const Grid& grid, double word) {
  const LineSolves solves = line_solves_of(problem, grid);
  const double cells = count_of(problem.cells());
  const double below = cells / solves.planes * (solves.planes - 1.0);
  Traffic all{.flops = solves.fields * below * PointFlops::substituted};
  if (solves.for_values) {
    all.bytes_read = solves.planes > 1.0 ? cells * (solves.fields - 3.0) * word : 0.0;
    all.bytes_written = solves.fields * below * word;
  } else {
    all.bytes_read = cells * (2.0 * solves.fields - 3.0) * word;
    all.bytes_written = cells * solves.fields * word;
    all.flops += cells * solves.fields;
  }
  return all;
}

double flops_of_kept_pressure(const Problem& problem, const Grid& grid) {
  return line_solves_of(problem, grid).for_values ? PointFlops::kept_pressure_across_planes
                                                  : PointFlops::kept_pressure;
}

Traffic divergence_traffic(const Problem& problem, double word) {
  return count_of(problem.cells()) *
         Traffic{.bytes_read = 3.0 * word, .bytes_written = word, .flops = PointFlops::divergence};
}

Traffic projection_traffic(const Problem& problem, double word) {
  const double cells = count_of(problem.cells());
  double faces = 0.0;
  for (const AxisCells& axis : problem.axes) {
    faces += cells - (axis.periodic ? 0.0 : cells / count_of(axis.cells));
  }
  // A CPU reads those on walls too, for the rate of advection.
  return {.bytes_read = (cells + (problem.device.is_cuda() ? faces : 3.0 * cells)) * word,
          .bytes_written = faces * word,
          .flops = PointFlops::projection * faces + PointFlops::advective_rate * cells};
}

/// Ghosts at the ends of rows, and others.
struct Ghosts {
  Traffic ends;
  Traffic others;
};

/// Ghosts beyond the lower end (-1) or the upper one (1) of axes, or beside all cells (0).
using Beyond = std::array<int, 3>;

int flops_of_ghost(const Continuations& rules, const Beyond& beyond) {
  int flops = 0;
  for (std::size_t axis = 0; axis < beyond.size(); ++axis) {
    if (beyond[axis] != 0) {
      flops += flops_of(rules.at[axis][beyond[axis] < 0 ? 0 : 1]);
    }
  }
  return flops;
}

/// Cells of a row that its ghosts may follow from.
std::int64_t ends_of(std::int64_t cells) { return std::min<std::int64_t>(cells, 2); }

/// Rows that only the ghosts at their ends follow from.
std::int64_t inner_rows(const Extents& n) {
  return (n.ni - ends_of(n.ni)) * (n.nj - ends_of(n.nj));
}

/// Writes and operations.
Ghosts ghosts_of(const Continuations& rules, const Extents& n, double word) {
  Ghosts all;
  for (int region = 0; region < 27; ++region) {
    const Beyond beyond{region / 9 - 1, region / 3 % 3 - 1, region % 3 - 1};
    if (beyond == Beyond{}) {
      continue;
    }
    const double count = count_of((beyond[0] == 0 ? n.ni : 1) * (beyond[1] == 0 ? n.nj : 1) *
                                  (beyond[2] == 0 ? n.nk : 1));
    Traffic& part = beyond[0] == 0 && beyond[1] == 0 ? all.ends : all.others;
    part = part + count * Traffic{.bytes_written = word,
                                  .flops = static_cast<double>(flops_of_ghost(rules, beyond))};
  }
  return all;
}

/// For all fields; `others` with the cells that they follow from, the outermost rows.
Ghosts ghost_traffic(const Problem& problem, const Grid& grid, double word) {
  const Extents n = grid.extents();
  Ghosts all;
  for (const Continuations& rules : continuations_of(problem, grid)) {
    const Ghosts mine = ghosts_of(rules, n, word);
    all = {all.ends + mine.ends, all.others + mine.others};
    all.others.bytes_read += count_of((n.ni * n.nj - inner_rows(n)) * n.nk) * word;
  }
  return all;
}

/// Cells at the ends of rows that no ghost of others follows from.
double cells_at_inner_ends(const Problem& problem, const Extents& n) {
  return count_of(inner_rows(n) * ends_of(n.nk)) * (3.0 + count_of(scalar_count(problem)));
}

/// Cells of scalars at the ends of rows, which nothing was projected in.
double cells_of_scalars_at_ends(const Problem& problem, const Extents& n) {
  return count_of(scalar_count(problem) * n.ni * n.nj * ends_of(n.nk));
}

/// The model of the parts that implicit diffusion changes.
std::string implicit_model_of(StagePart part, const Problem& problem, const Grid& grid) {
  const LineSolves solves = line_solves_of(problem, grid);
  if (part == StagePart::advance) {
    return std::string(has_sources(problem) ? "5" : "4") +
           " words per field and cell, and the pressure read" +
           (solves.within_planes > 0 ? "; 2 words for the lines within planes" : "") +
           (problem.device.is_cuda() && solves.within_planes > 1 ? ", along each axis" : "");
  }
  const bool for_values = solves.for_values;
  if (part == StagePart::divergence && problem.device.is_cuda()) {
    return std::string("3 velocities read, 2 words per scalar, the right side written") +
           (for_values ? "" : "; old values read");
  }
  if (part == StagePart::divergence) {
    return for_values ? "2 words per field and cell, the right side written"
                      : "3 words per field and cell, the right side written";
  }
  return std::string(
             "9 words per cell: potential read, pressure and velocities read and written, "
             "but for those on walls") +
         (problem.device.is_cuda() && !for_values ? "; old velocities read" : "");
}

std::string explicit_model_of(StagePart part, const Problem& problem, PressureSolver solver) {
  switch (part) {
    case StagePart::advance:
      return has_sources(problem)
                 ? "5 words per field and cell: fields, tendencies and sources read, the first two "
                   "written"
                 : "4 words per field and cell: fields and tendencies read and written";
    case StagePart::divergence:
      return "4 words per cell: three velocities read, the right side written";
    case StagePart::projection:
      return "7 words per cell: pressure read, velocities read and written, but for those on walls";
    case StagePart::ghosts:
      return "each ghost cell written, the outermost cells read";
    case StagePart::pressure:
      break;
  }
  return solver == PressureSolver::direct ? "the direct solver's own model"
                                          : "multigrid's own model";
}

std::string model_of_bounded(StagePart part, const Problem& problem) {
  if (bounded_scalars(problem).empty()) {
    return "";
  }
  return part == StagePart::advance      ? "; 30 words per bounded scalar and cell in three passes"
         : part == StagePart::projection ? "; velocities read again for bounded scalars"
                                         : "";
}

std::string model_of(StagePart part, const Plan& plan) {
  const bool changed =
      part == StagePart::advance || part == StagePart::divergence || part == StagePart::projection;
  return changed && plan.problem().implicit_anywhere()
             ? implicit_model_of(part, plan.problem(), plan.grid())
             : explicit_model_of(part, plan.problem(), plan.solver()) +
                   model_of_bounded(part, plan.problem());
}

}  // namespace

std::string to_string(StagePart part) { return part_names.to_string(part); }

StageTraffic stage_traffic(const Plan& plan, const Traffic& pressure) {
  const Problem& problem = plan.problem();
  const auto word = static_cast<double>(bytes_of(problem.precision));
  const Grid& grid = plan.grid();
  const Ghosts ghosts = ghost_traffic(problem, grid, word);
  Traffic projection = projection_traffic(problem, word);
  Traffic filling = ghosts.others;
  if (problem.device.is_cuda()) {
    filling = filling + ghosts.ends;
    filling.bytes_read += cells_at_inner_ends(problem, grid.extents()) * word;
  } else {
    projection = projection + ghosts.ends;
    projection.bytes_read += cells_of_scalars_at_ends(problem, grid.extents()) * word;
  }
  projection = projection + exchange_traffic(problem, word);
  Traffic advance = advance_traffic(problem, word) + bounded_traffic(problem, word);
  Traffic divergence = divergence_traffic(problem, word);
  if (problem.implicit_anywhere()) {
    advance = advance + elimination_traffic(problem, grid, word);
    if (problem.device.is_cuda()) {
      const DescentTraffic descent = descent_traffic_on_gpu(problem, grid, word);
      divergence = divergence + descent.divergence;
      projection = projection + descent.projection;
    } else {
      divergence = divergence + substitution_traffic(problem, grid, word);
    }
    projection = projection + count_of(problem.cells()) *
                                  Traffic{.bytes_read = word,
                                          .bytes_written = word,
                                          .flops = flops_of_kept_pressure(problem, grid)};
  }
  return {advance, divergence, pressure, projection, filling};
}

StageWork stage_work(const Plan& plan, const Traffic& pressure) {
  const StageTraffic traffic = stage_traffic(plan, pressure);
  const auto bytes = static_cast<double>(plan.device_bytes());
  const double part_of_rank =
      count_of(plan.block().extents().count()) / count_of(plan.problem().cells());
  StageWork work;
  for (std::size_t n = 0; n < work.size(); ++n) {
    work[n] = {.traffic = part_of_rank * traffic[n],
               .model = model_of(static_cast<StagePart>(n), plan),
               .working_set_bytes = bytes,
               .precision = plan.problem().precision};
  }
  return work;
}

std::string text_of_cycles(double cycles) {
  return cycles < 1.0 ? ", counted as one cycle"
                      : fmt::format(", for {:g} cycle{}", cycles, cycles == 1.0 ? "" : "s");
}

Work sum_of(const StageWork& parts, double stages) {
  Work sum = parts.front();
  sum.traffic = {};
  for (const Work& part : parts) {
    sum.traffic = sum.traffic + stages * part.traffic;
  }
  sum.model = sum.traffic.bytes() > 0.0 ? "the sum of its parts" : "";
  return sum;
}

Traffic traffic_left_out(const Plan& plan) {
  if (!plan.leaves_projections()) {
    return {};
  }
  const Problem& problem = plan.problem();
  const Extents n = plan.grid().extents();
  const auto word = static_cast<double>(bytes_of(problem.precision));
  const double of_planes = 2.0 * count_of(n.nj * n.nk) * word;
  const double fields = 3.0 + count_of(scalar_count(problem));
  const StageTraffic parts = stage_traffic(plan, {});
  const Traffic& projection = parts[static_cast<std::size_t>(StagePart::projection)];
  const Traffic& ghosts = parts[static_cast<std::size_t>(StagePart::ghosts)];
  // `advance` reads the potential; ghosts beyond the outer planes follow from fields and potential.
  return {.bytes_read = projection.bytes_read - count_of(n.count()) * word + ghosts.bytes_read -
                        (fields + 1.0) * of_planes,
          .bytes_written = projection.bytes_written + ghosts.bytes_written - fields * of_planes};
}

Work work_of_steps(const Plan& plan, const StageWork& stage, double steps, double ahead) {
  Work work = sum_of(stage, plan.stages() * steps);
  const Traffic less = traffic_left_out(plan);
  if (ahead > 0.0) {
    work.traffic.bytes_read -= ahead * less.bytes_read;
    work.traffic.bytes_written -= ahead * less.bytes_written;
    work.model += fmt::format(
        ", but, in {:.0f} % of the steps, for the velocities of the projection, which advance "
        "makes "
        "as it reads, and ghosts within planes",
        100.0 * ahead / steps);
  }
  return work;
}

}  // namespace bankfull::convection
