#include "bankfull/workloads/convection/transferred_flow.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/convection/scalar_reference.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace bankfull::convection {
namespace {

void require_same_box(const Problem& problem, const Problem& other) {
  constexpr double rounding = 1e-9;
  for (std::size_t n = 0; n < 3; ++n) {
    const AxisCells& axis = problem.axes[n];
    const AxisCells& from = other.axes[n];
    const double length = axis.upper - axis.lower;
    const double length_from = from.upper - from.lower;
    require(std::abs(length - length_from) <= rounding * length,
            fmt::format("the box of that run is {:g} long along {}, and this one {:g}", length_from,
                        axis_names[n], length),
            "begin with a run in a box of the same lengths");
    require(axis.periodic == from.periodic,
            fmt::format("the box of that run {} along {}, and this one {}",
                        from.periodic ? "is periodic" : "has walls", axis_names[n],
                        axis.periodic ? "is periodic" : "has walls"),
            "begin with a run whose box has walls where this one has");
  }
}

std::size_t number_in(const std::array<std::size_t, 3>& index,
                      const std::array<std::vector<double>, 3>& places) {
  return (index[0] * places[1].size() + index[1]) * places[2].size() + index[2];
}

/// Exactly one of both where it lies there.
double straight(double first, double second, double share) {
  return share == 0.0 ? first : share == 1.0 ? second : first + share * (second - first);
}

}  // namespace

TransferredFlow::TransferredFlow(const Problem& problem, const Grid& grid, const Problem& other,
                                 const StateReader& saved)
    : problem_(problem),
      grid_(grid),
      saved_(saved),
      other_(stepped_problem(other)),
      other_grid_(other.axes),
      other_ghosts_(continuations_of(other_, other_grid_, saved_clock(saved).progress.time)) {
  about("initial.from", [&] { require_same_box(problem, other); });
}

std::int64_t TransferredFlow::held_bytes(const Problem& other) {
  const auto& axes = other.axes;
  const std::int64_t with_ghosts = (axes[0].cells + 2) * (axes[1].cells + 2) * (axes[2].cells + 2);
  return (other.cells() + with_ghosts) * static_cast<std::int64_t>(sizeof(double));
}

void TransferredFlow::read(int field, const Box& part, double* values) const {
  InitialFlow(problem_, grid_).read(field, part, values);
  const std::optional<int> from = other_field(field);
  if (from.has_value()) {
    keep(from.value());
    interpolate(field, part, values);
  }
}

void TransferredFlow::keep(int other_field) const {
  if (kept_.field != other_field) {
    kept_ = Padded{};  // two of them at a time would be one too many
    kept_ = padded(other_field);
  }
}

void TransferredFlow::interpolate(int field, const Box& part, double* values) const {
  const bool adds_noise = field < 3 && problem_.noise > 0.0;
  const std::array<std::vector<Between>, 3> along = between(field, kept_);
  const Extents n = part.extents();
#pragma omp parallel num_threads(problem_.host_threads)
  {
    const Range rows = my_share(n.ni * n.nj);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const std::array<std::int64_t, 3> first{part.i0 + row / n.nj, part.j0 + row % n.nj, part.k0};
      for (std::int64_t k = 0; k < n.nk; ++k) {
        std::array<Between, 3> place;
        for (const int axis : storage_axes) {
          const auto own = static_cast<std::size_t>(axis);
          const auto index = static_cast<std::size_t>(first[own] + (axis == 2 ? k : 0));
          place[static_cast<std::size_t>(other_grid_.storage(grid_.physical(axis)))] =
              along[own][index];
        }
        double& value = values[row * n.nk + k];
        const bool on_wall = lies_on_wall(grid_, field, first[0], first[1], first[2] + k);
        value = on_wall ? 0.0 : value_at(kept_, place) + (adds_noise ? value : 0.0);
      }
    }
  }
}

std::optional<int> TransferredFlow::other_field(int field) const {
  if (field < 3) {
    return other_grid_.storage(grid_.physical(field));
  }
  const std::string& name = problem_.scalars[static_cast<std::size_t>(field - 3)].name;
  const auto found = std::ranges::find(other_.scalars, name, &Scalar::name);
  return found == other_.scalars.end()
             ? std::nullopt
             : std::optional(3 + static_cast<int>(found - other_.scalars.begin()));
}

/// One place beyond either end. A velocity has none below its lower end: on a wall it is zero.
std::vector<double> TransferredFlow::places_along(int other_field, int other_axis) const {
  const GridAxis& axis = other_grid_.axis(other_axis);
  if (other_field != other_axis) {
    return axis.centres;
  }
  std::vector<double> places{axis.faces.front() - axis.width(0)};
  places.insert(places.end(), axis.faces.begin(), axis.faces.end());
  return places;
}

TransferredFlow::Padded TransferredFlow::padded(int other_field) const {
  const Extents n = other_grid_.extents();
  std::vector<double> inner(static_cast<std::size_t>(n.count()));
  saved_field(other_, other_grid_, other_field, saved_)(box_of(n), inner.data());
  Padded field{.field = other_field, .places = {}, .values = {}};
  CentreLines centres;
  for (const int axis : storage_axes) {
    field.places[static_cast<std::size_t>(axis)] = places_along(other_field, axis);
    centres.along[axis] = other_grid_.axis(axis).centres.data();
  }
  const double reference =
      other_field < 3 ? 0.0 : other_.scalars[static_cast<std::size_t>(other_field - 3)].reference;
  const Continuations& rules = other_ghosts_[static_cast<std::size_t>(other_field)];
  const std::int64_t cells[3] = {n.ni, n.nj, n.nk};
  field.values.reserve(static_cast<std::size_t>((n.ni + 2) * (n.nj + 2) * (n.nk + 2)));
  const Box with_ghosts{-1, n.ni + 1, -1, n.nj + 1, -1, n.nk + 1};
  for_cells(with_ghosts, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const auto value = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
      return inner[static_cast<std::size_t>((a * n.nj + b) * n.nk + c)];
    };
    field.values.push_back(continued(rules, centres, cells, {i, j, k}, value) + reference);
  });
  return field;
}

/// The weights for all places of the grid along each of its axes.
std::array<std::vector<TransferredFlow::Between>, 3> TransferredFlow::between(
    int field, const Padded& from) const {
  std::array<std::vector<Between>, 3> all;
  for (const int axis : storage_axes) {
    const GridAxis& own = grid_.axis(axis);
    const int other_axis = other_grid_.storage(grid_.physical(axis));
    const std::vector<double>& places = from.places[static_cast<std::size_t>(other_axis)];
    const double shift = other_grid_.axis(other_axis).faces.front() - own.faces.front();
    for (std::int64_t n = 0; n < own.count(); ++n) {
      const double place =
          (field == axis ? own.faces[static_cast<std::size_t>(n)] : own.centre(n)) + shift;
      const auto above = std::upper_bound(places.begin() + 1, places.end() - 1, place);
      const auto first = static_cast<std::size_t>(above - places.begin()) - 1;
      const double share = (place - places[first]) / (places[first + 1] - places[first]);
      all[static_cast<std::size_t>(axis)].push_back({first, std::clamp(share, 0.0, 1.0)});
    }
  }
  return all;
}

double TransferredFlow::value_at(const Padded& from, const std::array<Between, 3>& place) const {
  const auto along_rows = [&](std::size_t i, std::size_t j) {
    const std::size_t number = number_in({i, j, place[2].first}, from.places);
    return straight(from.values[number], from.values[number + 1], place[2].share);
  };
  const auto in_plane = [&](std::size_t i) {
    const std::size_t j = place[1].first;
    return straight(along_rows(i, j), along_rows(i, j + 1), place[1].share);
  };
  return straight(in_plane(place[0].first), in_plane(place[0].first + 1), place[0].share);
}

}  // namespace bankfull::convection
