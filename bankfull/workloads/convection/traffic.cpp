#include "bankfull/workloads/convection/traffic.hpp"

#include "bankfull/workloads/convection/grid.hpp"

namespace bankfull::convection {
namespace {

// Operations of point.hpp, without buoyancy and rotation.
constexpr double momentum_flops = 66.0;
constexpr double scalar_flops = 50.0;
constexpr double update_flops = 4.0;
constexpr double divergence_flops = 8.0;
constexpr double projection_flops = 9.0;

}  // namespace

std::string to_string(StagePart part) {
  switch (part) {
    case StagePart::advance:
      return "advance";
    case StagePart::divergence:
      return "divergence";
    case StagePart::pressure:
      return "pressure";
    case StagePart::projection:
      return "projection";
    case StagePart::ghosts:
      break;
  }
  return "ghosts";
}

StageTraffic stage_traffic(const Problem& problem, const Traffic& pressure) {
  const auto word = static_cast<double>(bytes_of(problem.precision));
  const auto cells = static_cast<double>(problem.cells());
  const auto scalars = static_cast<double>(problem.scalars.size());
  const double fields = 3.0 + scalars;
  const Extents n = Grid(problem.axes).extents();
  const auto ghosts =
      static_cast<double>((n.ni + 2) * (n.nj + 2) * (n.nk + 2) - n.count()) * fields;
  const double advance_flops =
      3.0 * (momentum_flops + update_flops) + scalars * (scalar_flops + update_flops);
  return {Traffic{2.0 * fields * word * cells, 2.0 * fields * word * cells, advance_flops * cells},
          Traffic{3.0 * word * cells, word * cells, divergence_flops * cells}, pressure,
          Traffic{4.0 * word * cells, 3.0 * word * cells, projection_flops * cells},
          Traffic{ghosts * word, ghosts * word, ghosts}};
}

}  // namespace bankfull::convection
