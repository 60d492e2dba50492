#include "bankfull/workloads/convection/reference_budget.hpp"

#include "bankfull/core/field/for_cells.hpp"

#include <array>

namespace bankfull::convection {
namespace {

using Index = std::array<std::int64_t, 3>;

class ReferenceBudget {
 public:
  ReferenceBudget(const Problem& problem, const Grid& grid, const FlowAtTime& flow)
      : problem_(problem),
        grid_(grid),
        state_(flow.state),
        time_(flow.time),
        sources_(steady_sources(problem, grid)) {}

  /// The terms of all fields' budgets, over the volume of the box.
  struct Terms {
    double dissipation = 0.0;
    double by_walls = 0.0;
    double by_sources = 0.0;
    double sources = 0.0;
    double gradients = 0.0;  ///< squares of them, but at walls
  };

  [[nodiscard]] Terms of_velocity() const {
    Terms sum;
    for (const int field : storage_axes) {
      strain_along_itself(field, sum);
      for (const int axis : storage_axes) {
        if (axis != field) {
          diffuse(field, axis, problem_.viscosity, sum);
        }
      }
      act(field, sum);
    }
    return sum;
  }

  [[nodiscard]] Terms of_scalar(int scalar) const {
    Terms sum;
    for (const int axis : storage_axes) {
      diffuse(3 + scalar, axis, problem_.scalars[static_cast<std::size_t>(scalar)].diffusivity,
              sum);
    }
    act(3 + scalar, sum);
    return sum;
  }

  [[nodiscard]] double mean_of(int field) const {
    double sum = 0.0;
    each_moving(field, [&](const Index& at) { sum += volume(field, at) * value(field, at); });
    return sum / grid_.volume();
  }

  /// The mean of g alpha T u: T on the faces, where u is, is the mean of the cells on both sides.
  [[nodiscard]] double work_of_buoyancy() const {
    double work = 0.0;
    for (const int axis : storage_axes) {
      each_moving(axis, [&](const Index& at) {
        double acceleration = 0.0;
        for (std::size_t s = 0; s < problem_.scalars.size(); ++s) {
          const int field = 3 + static_cast<int>(s);
          const double on_face = 0.5 * (value(field, below(at, axis)) + value(field, at));
          acceleration += problem_.scalars[s].buoyancy[physical(axis)] * on_face;
        }
        work += volume(axis, at) * acceleration * value(axis, at);
      });
    }
    return work / grid_.volume();
  }

 private:
  [[nodiscard]] std::size_t physical(int axis) const {
    return static_cast<std::size_t>(grid_.physical(axis));
  }
  [[nodiscard]] static std::int64_t along(const Index& at, int axis) {
    return at[static_cast<std::size_t>(axis)];
  }
  [[nodiscard]] std::int64_t last(int axis) const { return grid_.axis(axis).count() - 1; }
  [[nodiscard]] bool walled(int axis) const { return !grid_.axis(axis).cells.periodic; }

  /// One element further down, around a periodic end.
  [[nodiscard]] Index below(Index at, int axis) const {
    std::int64_t& n = at[static_cast<std::size_t>(axis)];
    n = n == 0 ? last(axis) : n - 1;
    return at;
  }
  [[nodiscard]] Index above(Index at, int axis) const {
    std::int64_t& n = at[static_cast<std::size_t>(axis)];
    n = n == last(axis) ? 0 : n + 1;
    return at;
  }

  [[nodiscard]] std::size_t element(const Index& at) const {
    const Extents n = grid_.extents();
    return static_cast<std::size_t>((at[0] * n.nj + at[1]) * n.nk + at[2]);
  }
  [[nodiscard]] double value(int field, const Index& at) const {
    return state_.fields[static_cast<std::size_t>(field)][element(at)];
  }

  [[nodiscard]] double width(int axis, const Index& at) const {
    return grid_.axis(axis).cells.widths[static_cast<std::size_t>(along(at, axis))];
  }

  /// The length that belongs to an element of a field: of its cell, or between the centres on both
  /// sides of its face.
  [[nodiscard]] double length(int field, int axis, const Index& at) const {
    return field == axis ? grid_.axis(axis).cells.distance(along(at, axis)) : width(axis, at);
  }
  [[nodiscard]] double volume(int field, const Index& at) const {
    return length(field, 0, at) * length(field, 1, at) * length(field, 2, at);
  }

  /// All elements of a field but velocities on their own walls, which are zero for good.
  template <class Body>
  void each_moving(int field, const Body& body) const {
    for_cells(box_of(grid_.extents()), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      if (!lies_on_wall(grid_, field, i, j, k)) {
        body(Index{i, j, k});
      }
    });
  }

  /// nu (du/dx)^2 in every cell.
  void strain_along_itself(int field, Terms& sum) const {
    for_cells(box_of(grid_.extents()), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const Index at{i, j, k};
      const bool ends = walled(field) && along(at, field) == last(field);
      const double beyond = ends ? 0.0 : value(field, above(at, field));
      const double gradient = (beyond - value(field, at)) / width(field, at);
      const double cell = width(0, at) * width(1, at) * width(2, at);
      sum.dissipation += cell / grid_.volume() * problem_.viscosity * gradient * gradient;
      sum.gradients += cell / grid_.volume() * gradient * gradient;
    });
  }

  /// The diffusion of a field along an axis: between elements the square of the difference over the
  /// distance, and from the last ones to the walls over half a cell.
  void diffuse(int field, int axis, double diffusivity, Terms& sum) const {
    each_moving(field, [&](const Index& at) {
      const double here = value(field, at);
      const double conductance =
          diffusivity * volume(field, at) / length(field, axis, at) / grid_.volume();
      if (!walled(axis) || along(at, axis) > 0) {
        const double difference = here - value(field, below(at, axis));
        sum.gradients += volume(field, at) / length(field, axis, at) / grid_.volume() * difference *
                         difference / grid_.axis(axis).cells.distance(along(at, axis));
        sum.dissipation += conductance * difference * difference /
                           grid_.axis(axis).cells.distance(along(at, axis));
      }
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        if (walled(axis) && along(at, axis) == (side == 0 ? 0 : last(axis))) {
          const double half = 0.5 * width(axis, at);
          const double on_wall = wall_value(field, axis, side, at);
          sum.dissipation += conductance * (on_wall - here) * (on_wall - here) / half;
          sum.by_walls += conductance * (on_wall - here) / half * on_wall;
        }
      }
    });
  }

  void act(int field, Terms& sum) const {
    const std::vector<double>& source = sources_[static_cast<std::size_t>(field)];
    if (source.empty()) {
      return;
    }
    const TimeFunction& varying =
        field < 3 ? problem_.force_factor[physical(field)]
                  : problem_.scalars[static_cast<std::size_t>(field - 3)].source_factor;
    const double factor = value_at(varying, time_, 1.0);
    each_moving(field, [&](const Index& at) {
      const double part = volume(field, at) / grid_.volume() * factor * source[element(at)];
      sum.by_sources += part * value(field, at);
      sum.sources += part;
    });
  }

  /// What the field is on the wall beside an element.
  [[nodiscard]] double wall_value(int field, int axis, std::size_t side, const Index& at) const {
    const double here = value(field, at);
    if (field < 3) {
      const WallMotion& wall = problem_.walls[physical(axis)][side];
      return wall.free_slip ? here
                            : between(here, wall.velocity_at(time_)[physical(field)],
                                      wall.slip_length, axis, at);
    }
    const Scalar& scalar = problem_.scalars[static_cast<std::size_t>(field - 3)];
    const WallScalar& wall = scalar.walls[physical(axis)][side];
    if (wall.is_flux) {
      const double flux = wall.flux + value_at(wall.varying, time_);
      return here + flux / scalar.diffusivity * 0.5 * width(axis, at);
    }
    Vector place = grid_.place(field, at[0], at[1], at[2]);
    const std::vector<double>& faces = grid_.axis(axis).faces;
    place[physical(axis)] = side == 0 ? faces.front() : faces.back();
    const double given = wall.value + value_at(wall.varying, time_) + wall.slope[0] * place[0] +
                         wall.slope[1] * place[1] + wall.slope[2] * place[2];
    return wall.is_fixed() ? given
                           : between(here, given, scalar.diffusivity / wall.transfer, axis, at);
  }

  /// The value at a wall from which the field changes as much per length towards the element, which
  /// is half a cell away, as towards what is given, `length` beyond.
  [[nodiscard]] double between(double here, double given, double length, int axis,
                               const Index& at) const {
    const double half = 0.5 * width(axis, at);
    return (half * given + length * here) / (half + length);
  }

  const Problem& problem_;
  const Grid& grid_;
  const FlowState& state_;
  double time_;
  std::vector<std::vector<double>> sources_;
};

}  // namespace

void add_reference_budgets(const Problem& problem, const Grid& grid, const FlowAtTime& flow,
                           Diagnosis& found) {
  const ReferenceBudget budget(problem, grid, flow);
  const ReferenceBudget::Terms velocity = budget.of_velocity();
  found.dissipation = velocity.dissipation;
  found.wall_work = velocity.by_walls;
  found.force_work = velocity.by_sources;
  found.mean_square_gradient = velocity.gradients;
  found.buoyancy_work = budget.work_of_buoyancy();
  for (const int axis : storage_axes) {
    found.mean_velocity[static_cast<std::size_t>(grid.physical(axis))] = budget.mean_of(axis);
  }
  for (std::size_t s = 0; s < found.scalars.size(); ++s) {
    const ReferenceBudget::Terms terms = budget.of_scalar(static_cast<int>(s));
    found.scalars[s].dissipation = terms.dissipation;
    found.scalars[s].wall_production = terms.by_walls;
    found.scalars[s].source_production = terms.by_sources;
    found.scalars[s].mean_source = terms.sources;
  }
}

}  // namespace bankfull::convection
