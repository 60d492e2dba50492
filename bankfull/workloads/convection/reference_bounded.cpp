#include "bankfull/workloads/convection/reference_bounded.hpp"

#include "bankfull/core/field/for_cells.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull::convection {

ReferenceBounded::ReferenceBounded(const Problem& problem, const Grid& grid)
    : problem_(problem), grid_(grid), bounded_(bounded_scalars(problem)) {
  restart();
}

void ReferenceBounded::restart() {
  const std::size_t scalars = problem_.scalars.size();
  Fluxes none;
  for (const int axis : storage_axes) {
    const std::int64_t faces = grid_.extents().count() / count(axis) * (count(axis) + 1);
    none[static_cast<std::size_t>(axis)].assign(static_cast<std::size_t>(faces), 0.0);
  }
  before_.assign(scalars, none);
  corrections_.assign(scalars, {});
  corrected_variance_.assign(scalars, 0.0);
}

void ReferenceBounded::save(StateWriter& to) const {
  for (const int scalar : bounded_) {
    for (const int axis : storage_axes) {
      const std::vector<double>& through =
          before_[static_cast<std::size_t>(scalar)][static_cast<std::size_t>(axis)];
      to.cells(name_of_flux(problem_, grid_, scalar, axis), extents_of_faces(grid_, axis),
               Precision::fp64, [&](const Box& part, double* values) {
                 for_cells(part, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
                   *values++ = through[face(axis, {i, j, k})];
                 });
               });
    }
  }
  save_corrected_variance(
      problem_, [this](int scalar) { return corrected_variance(scalar); }, to);
}

void ReferenceBounded::restore(const StateReader& from) {
  for (const int scalar : bounded_) {
    for (const int axis : storage_axes) {
      std::vector<double>& through =
          before_[static_cast<std::size_t>(scalar)][static_cast<std::size_t>(axis)];
      from.cells(name_of_flux(problem_, grid_, scalar, axis), box_of(extents_of_faces(grid_, axis)),
                 through.data());
    }
  }
  restore_corrected_variance(problem_, from, [this](int scalar, double value) {
    corrected_variance_[static_cast<std::size_t>(scalar)] = value;
  });
}

std::size_t ReferenceBounded::cell(Index at) const {
  const Extents n = grid_.extents();
  return static_cast<std::size_t>((at[0] * n.nj + at[1]) * n.nk + at[2]);
}

std::size_t ReferenceBounded::face(int axis, Index at) const {
  const std::int64_t rows = count(1) + (axis == 1 ? 1 : 0);
  const std::int64_t cells = count(2) + (axis == 2 ? 1 : 0);
  return static_cast<std::size_t>((at[0] * rows + at[1]) * cells + at[2]);
}

ReferenceBounded::Index ReferenceBounded::beside(Index at, int axis, std::int64_t steps) {
  at[static_cast<std::size_t>(axis)] += steps;
  return at;
}

bool ReferenceBounded::wall_beside(const Index& at, int axis, int side) const {
  const std::int64_t n = at[static_cast<std::size_t>(axis)];
  return walled(axis) && n == (side < 0 ? 0 : count(axis) - 1);
}

template <class Body>
void ReferenceBounded::each_cell(const Body& body) const {
  for_cells(box_of(grid_.extents()), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    body(Index{i, j, k});
  });
}

template <class Body>
void ReferenceBounded::each_face(int axis, const Body& body) const {
  Box faces = box_of(grid_.extents());
  faces.i1 += axis == 0 ? 1 : 0;
  faces.j1 += axis == 1 ? 1 : 0;
  faces.k1 += axis == 2 ? 1 : 0;
  for_cells(faces, [&](std::int64_t i, std::int64_t j, std::int64_t k) { body(Index{i, j, k}); });
}

ReferenceBounded::Fluxes ReferenceBounded::fluxes_of(const FieldSet<double>& flow, int scalar,
                                                     bool upwind) const {
  Fluxes found;
  const FieldView<const double> values = flow[3 + scalar];
  const double kappa = problem_.scalars[static_cast<std::size_t>(scalar)].diffusivity;
  for (const int axis : storage_axes) {
    const FieldView<const double> velocity = flow[axis];
    each_face(axis, [&](const Index& at) {
      const Index down = beside(at, axis, -1);
      const double below = values(down[0], down[1], down[2]);
      const double above = values(at[0], at[1], at[2]);
      const double u = velocity(at[0], at[1], at[2]);
      const double carried = upwind ? (u > 0.0 ? below : above) : 0.5 * (below + above);
      const double distance = grid_.axis(axis).cells.distance(at[static_cast<std::size_t>(axis)]);
      found[static_cast<std::size_t>(axis)].push_back(u * carried -
                                                      kappa * (above - below) / distance);
    });
  }
  return found;
}

double ReferenceBounded::gain(const Fluxes& fluxes, const Index& at) const {
  double sum = 0.0;
  for (const int axis : storage_axes) {
    const std::vector<double>& across = fluxes[static_cast<std::size_t>(axis)];
    sum += (across[face(axis, at)] - across[face(axis, beside(at, axis, 1))]) /
           grid_.axis(axis).width(at[static_cast<std::size_t>(axis)]);
  }
  return sum;
}

/// R+ (`upper`) or R- of all cells: Zalesak's equations 7 to 13 in three dimensions, his extremes
/// those of the old values alone, of which the low order gives means.
std::vector<double> ReferenceBounded::limits(const FieldSet<double>& flow, int scalar,
                                             const std::vector<double>& low, const Fluxes& wanted,
                                             bool upper) const {
  const FieldView<const double> values = flow[3 + scalar];
  const double sign = upper ? 1.0 : -1.0;
  std::vector<double> found;
  each_cell([&](const Index& at) {
    const double here = values(at[0], at[1], at[2]);
    double bound = sign * here;
    double flowing_in = 0.0;
    for (const int axis : storage_axes) {
      for (const int side : {-1, 1}) {
        const Index there = beside(at, axis, side);
        const double beyond = values(there[0], there[1], there[2]);
        const bool on_wall = wall_beside(at, axis, side);
        bound = std::max(bound, sign * (on_wall ? 0.5 * (here + beyond) : beyond));
        const double flux =
            wanted[static_cast<std::size_t>(axis)][face(axis, side < 0 ? at : there)];
        flowing_in += std::max(0.0, -side * sign * flux) /
                      grid_.axis(axis).width(at[static_cast<std::size_t>(axis)]);
      }
    }
    const double room = std::max(0.0, bound - sign * low[cell(at)]);
    found.push_back(flowing_in > room ? room / flowing_in : 1.0);
  });
  return found;
}

void ReferenceBounded::withhold(const std::vector<double>& rise, const std::vector<double>& fall,
                                Fluxes& fluxes) const {
  for (const int axis : storage_axes) {
    each_face(axis, [&](const Index& at) {
      const std::int64_t along = at[static_cast<std::size_t>(axis)];
      const std::int64_t last = count(axis) - 1;
      double& flux = fluxes[static_cast<std::size_t>(axis)][face(axis, at)];
      const std::vector<double>& to_above = flux > 0.0 ? rise : fall;
      const std::vector<double>& to_below = flux > 0.0 ? fall : rise;
      // Beyond a wall there is room for anything.
      double part = 1.0;
      if (along <= last || !walled(axis)) {
        part = std::min(part, to_above[cell(along <= last ? at : beside(at, axis, -along))]);
      }
      if (along > 0 || !walled(axis)) {
        part = std::min(part, to_below[cell(beside(at, axis, along > 0 ? -1 : last))]);
      }
      flux *= 1.0 - part;
    });
  }
}

void ReferenceBounded::find_corrections(const FieldSet<double>& flow, const Stage& stage) {
  for (const int scalar : bounded_) {
    const auto s = static_cast<std::size_t>(scalar);
    const FieldView<const double> values = flow[3 + scalar];
    const Fluxes high = fluxes_of(flow, scalar, false);
    const Fluxes upwind = fluxes_of(flow, scalar, true);
    std::vector<double> low;
    each_cell([&](const Index& at) {
      low.push_back(values(at[0], at[1], at[2]) + stage.length() * gain(upwind, at));
    });
    Fluxes withheld = high;
    for (std::size_t axis = 0; axis < withheld.size(); ++axis) {
      for (std::size_t n = 0; n < withheld[axis].size(); ++n) {
        withheld[axis][n] = stage.gamma * high[axis][n] + stage.zeta * before_[s][axis][n] -
                            stage.length() * upwind[axis][n];
      }
    }
    withhold(limits(flow, scalar, low, withheld, true), limits(flow, scalar, low, withheld, false),
             withheld);
    corrections_[s].assign(low.size(), 0.0);
    each_cell([&](const Index& at) { corrections_[s][cell(at)] = -gain(withheld, at); });
    if (stage.store_tendency) {
      before_[s] = high;
    }
  }
}

void ReferenceBounded::correct(int scalar, const FieldView<const double>& before,
                               const FieldView<double>& after) {
  const auto s = static_cast<std::size_t>(scalar);
  if (corrections_[s].empty()) {
    return;
  }
  each_cell([&](const Index& at) {
    const auto [i, j, k] = at;
    const double correction = corrections_[s][cell(at)];
    after(i, j, k) += correction;
    const double volume = grid_.axis(0).width(i) * grid_.axis(1).width(j) * grid_.axis(2).width(k);
    corrected_variance_[s] +=
        volume / grid_.volume() * 0.5 * (before(i, j, k) + after(i, j, k)) * correction;
  });
}

double ReferenceBounded::exchange_rate(const FieldSet<double>& flow, std::int64_t i, std::int64_t j,
                                       std::int64_t k) const {
  double kappa = 0.0;
  for (const int scalar : bounded_) {
    kappa = std::max(kappa, problem_.scalars[static_cast<std::size_t>(scalar)].diffusivity);
  }
  double rate = 0.0;
  const Index at{i, j, k};
  for (const int axis : storage_axes) {
    const Index up = beside(at, axis, 1);
    const double width = grid_.axis(axis).width(at[static_cast<std::size_t>(axis)]);
    const FieldView<const double> velocity = flow[axis];
    rate += std::max(0.0, velocity(up[0], up[1], up[2])) / width;
    rate += std::max(0.0, -velocity(i, j, k)) / width;
    if (!walled(axis) && count(axis) == 1) {
      continue;
    }
    for (const int side : {-1, 1}) {
      const std::int64_t face = at[static_cast<std::size_t>(axis)] + (side > 0 ? 1 : 0);
      const double distance = grid_.axis(axis).cells.distance(face);
      rate += kappa / width / (wall_beside(at, axis, side) ? 0.5 * distance : distance);
    }
  }
  return bounded_.empty() ? 0.0 : rate;
}

}  // namespace bankfull::convection
