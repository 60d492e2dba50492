#include "bankfull/numerics/poisson/multigrid/reference.hpp"

#include "bankfull/numerics/poisson/multigrid/line.hpp"
#include "bankfull/numerics/poisson/multigrid/plane_start.hpp"
#include "bankfull/numerics/poisson/multigrid/point.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace bankfull::poisson::multigrid {
namespace {

using Field = Reference::Field;

/// One cell of a level.
struct Cell {
  std::int64_t i;
  std::int64_t j;
  std::int64_t k;
};

double element(const std::vector<double>& values, std::int64_t n) {
  return values[static_cast<std::size_t>(n)];
}

std::size_t place_of(const Extents& n, const Cell& cell) {
  return static_cast<std::size_t>((cell.i * n.nj + cell.j) * n.nk + cell.k);
}

Field zeros(const Level& level) {
  return Field(static_cast<std::size_t>(level.extents().count()), 0.0);
}

template <class Body>
void for_cells_of(const Level& level, const Body& body) {
  for (std::int64_t i = 0; i < level.i.cells; ++i) {
    for (std::int64_t j = 0; j < level.j.cells; ++j) {
      for (std::int64_t k = 0; k < level.k.cells; ++k) {
        body(Cell{i, j, k});
      }
    }
  }
}

Faces<double> coefficients_at(const Level& level, const Cell& cell) {
  return {element(level.i.lower, cell.i), element(level.i.upper, cell.i),
          element(level.j.lower, cell.j), element(level.j.upper, cell.j),
          element(level.k.lower, cell.k), element(level.k.upper, cell.k)};
}

/// Beyond walls stands anything, for its coefficient is 0.
Faces<double> values_around(const Level& level, const Field& e, const Cell& cell) {
  const Extents n = level.extents();
  const auto before = [](std::int64_t index, std::int64_t cells) {
    return (index + cells - 1) % cells;
  };
  const auto after = [](std::int64_t index, std::int64_t cells) { return (index + 1) % cells; };
  return {e[place_of(n, {before(cell.i, n.ni), cell.j, cell.k})],
          e[place_of(n, {after(cell.i, n.ni), cell.j, cell.k})],
          e[place_of(n, {cell.i, before(cell.j, n.nj), cell.k})],
          e[place_of(n, {cell.i, after(cell.j, n.nj), cell.k})],
          e[place_of(n, {cell.i, cell.j, before(cell.k, n.nk)})],
          e[place_of(n, {cell.i, cell.j, after(cell.k, n.nk)})]};
}

/// `omega`: of the red half-sweep and of the black one.
void sweep_points(const Level& level, const double* omega, const Field& r, Field* e) {
  for (const bool red : {true, false}) {
    for_cells_of(level, [&](const Cell& cell) {
      if (is_red(cell.i, cell.j, cell.k) == red) {
        const Faces<double> coefficients = coefficients_at(level, cell);
        double& value = (*e)[place_of(level.extents(), cell)];
        value = relaxed(omega[red ? 0 : 1], inverse_of(diagonal(coefficients)), value,
                        neighbour_sum(coefficients, values_around(level, *e, cell)),
                        r[place_of(level.extents(), cell)]);
      }
    });
  }
}

/// The same for whole lines at once.
class LineSweep {
 public:
  explicit LineSweep(const Level& level)
      : level_(level), across_(level), system_(level.along_lines()) {
    AxisLevel& along = across_.*level_axes[line_axis()];
    along.lower.assign(along.lower.size(), 0.0);
    along.upper.assign(along.upper.size(), 0.0);
  }

  void run(const Field& r, Field* e) const {
    for (const bool red : {true, false}) {
      for_cells_of(level_, [&](const Cell& first) {
        if (first.*cell_axes[line_axis()] == 0 && is_red(first.i, first.j, first.k) == red) {
          relax(first, r, e);
        }
      });
    }
  }

 private:
  static constexpr std::array level_axes{&Level::i, &Level::j, &Level::k};
  static constexpr std::array cell_axes{&Cell::i, &Cell::j, &Cell::k};

  [[nodiscard]] std::size_t line_axis() const { return static_cast<std::size_t>(level_.line_axis); }

  void relax(const Cell& first, const Field& r, Field* e) const {
    const AxisLevel& axis = level_.along_lines();
    std::vector<double> dominance;
    std::vector<double> side;
    std::vector<std::size_t> places;
    Cell cell = first;
    for (std::int64_t n = 0; n < axis.cells; ++n) {
      cell.*cell_axes[line_axis()] = n;
      const Faces<double> coefficients = coefficients_at(across_, cell);
      const double width = element(axis.widths, n);
      places.push_back(place_of(level_.extents(), cell));
      dominance.push_back(width * diagonal(coefficients));
      side.push_back(width * (neighbour_sum(coefficients, values_around(level_, *e, cell)) -
                              r[places.back()]));
    }
    const std::vector<double> solved = system_.solve(dominance, side);
    for (std::size_t n = 0; n < solved.size(); ++n) {
      double& value = (*e)[places[n]];
      value += level_.omega * (solved[n] - value);
    }
  }

  const Level& level_;
  Level across_;  ///< without couplings along the lines
  LineSystem system_;
};

void sweep(const Level& level, const double* omega, const Field& r, Field* e) {
  level.has_lines() ? LineSweep(level).run(r, e) : sweep_points(level, omega, r, e);
}

void sweep_after_correction(const Level& level, const Field& r, Field* e) {
  for (int sweeps = 0; sweeps < level.sweeps_after; ++sweeps) {
    sweep(level, level.omega_after.data() + std::ptrdiff_t{2} * sweeps, r, e);
  }
}

/// The two coarse cells between which a cell lies along one axis.
struct Parents {
  std::int64_t own;
  std::int64_t other;
  double interpolation_weight;
};

Parents parents_of(const AxisLevel& fine, const AxisLevel& coarse, std::int64_t n) {
  return {parent_of(n, fine.coarsened),
          other_parent_of(n, fine.coarsened, coarse.cells, coarse.periodic),
          element(fine.interpolation_weight, n)};
}

}  // namespace

Field Reference::residual_on(const Level& level, const Field& e, const Field& r) {
  Field result = zeros(level);
  for_cells_of(level, [&](const Cell& cell) {
    const std::size_t place = place_of(level.extents(), cell);
    result[place] =
        r[place] - laplacian(coefficients_at(level, cell), e[place], values_around(level, e, cell));
  });
  return result;
}

Field Reference::restricted(std::size_t l, const Field& r) const {
  const Level& fine = levels_[l];
  const Level& coarse = levels_[l + 1];
  Field result = zeros(coarse);
  for_cells_of(fine, [&](const Cell& cell) {
    const Cell parent{parent_of(cell.i, fine.i.coarsened), parent_of(cell.j, fine.j.coarsened),
                      parent_of(cell.k, fine.k.coarsened)};
    result[place_of(coarse.extents(), parent)] +=
        element(fine.i.restriction_weight, cell.i) * element(fine.j.restriction_weight, cell.j) *
        element(fine.k.restriction_weight, cell.k) * r[place_of(fine.extents(), cell)];
  });
  return result;
}

Field Reference::interpolated_to(std::size_t l, const Field& coarse_values) const {
  const Level& fine = levels_[l];
  const Level& coarse = levels_[l + 1];
  Field result = zeros(fine);
  for_cells_of(fine, [&](const Cell& cell) {
    const Parents i = parents_of(fine.i, coarse.i, cell.i);
    const Parents j = parents_of(fine.j, coarse.j, cell.j);
    const Parents k = parents_of(fine.k, coarse.k, cell.k);
    const auto along_k = [&](std::int64_t ci, std::int64_t cj) {
      return interpolated(k.interpolation_weight,
                          coarse_values[place_of(coarse.extents(), {ci, cj, k.own})],
                          coarse_values[place_of(coarse.extents(), {ci, cj, k.other})]);
    };
    const auto along_j = [&](std::int64_t ci) {
      return interpolated(j.interpolation_weight, along_k(ci, j.own), along_k(ci, j.other));
    };
    result[place_of(fine.extents(), cell)] =
        interpolated(i.interpolation_weight, along_j(i.own), along_j(i.other));
  });
  return result;
}

void Reference::improve(std::size_t l, int sweeps_before, const Field& r, Field* e) const {
  const Level& level = levels_[l];
  for (int sweeps = 0; sweeps < sweeps_before; ++sweeps) {
    sweep(level, level.omega_before.data(), r, e);
  }
  if (l + 1 == levels_.size()) {
    return;
  }
  Field correction = zeros(levels_[l + 1]);
  improve(l + 1, levels_[l + 1].sweeps_before, restricted(l, residual_on(level, *e, r)),
          &correction);
  const Field change = interpolated_to(l, correction);
  for (std::size_t n = 0; n < e->size(); ++n) {
    (*e)[n] += change[n];
  }
  sweep_after_correction(level, r, e);
}

Field Reference::v_cycle(const Field& r) const {
  Field e = zeros(levels_.front());
  improve(0, levels_.front().sweeps_before, r, &e);
  return e;
}

Field Reference::full_multigrid(const Field& r) const {
  std::vector<Field> right_sides{r};
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    right_sides.push_back(restricted(l, right_sides.back()));
  }
  Field e = zeros(levels_.back());
  improve(levels_.size() - 1, levels_.back().sweeps_before, right_sides.back(), &e);
  for (std::size_t l = levels_.size() - 1; l-- > 0;) {
    e = interpolated_to(l, e);
    const int sweeps = levels_[l].sweeps_interpolated();
    if (sweeps == 0) {
      sweep_after_correction(levels_[l], right_sides[l], &e);
    } else {
      improve(l, sweeps, right_sides[l], &e);
    }
  }
  return e;
}

Field Reference::start_of_planes(const Field& f) const {
  const Level& level = levels_.front();
  const Axis across{level.i.widths, level.i.periodic};
  const auto area = [&](const Cell& cell) {
    return element(level.j.widths, cell.j) * element(level.k.widths, cell.k);
  };
  std::vector<double> areas(across.widths.size(), 0.0);
  std::vector<double> means(across.widths.size(), 0.0);
  for_cells_of(level, [&](const Cell& cell) {
    areas[static_cast<std::size_t>(cell.i)] += area(cell);
    means[static_cast<std::size_t>(cell.i)] += area(cell) * f[place_of(level.extents(), cell)];
  });
  for (std::size_t n = 0; n < means.size(); ++n) {
    means[n] /= areas[n];
  }
  const std::vector<double> potentials = plane_potentials(across, means);
  Field p = zeros(level);
  for_cells_of(level, [&](const Cell& cell) {
    p[place_of(level.extents(), cell)] = element(potentials, cell.i);
  });
  return p;
}

std::vector<double> Reference::solve(const Field& f, Stopping stopping, Field* p,
                                     Beginning beginning) const {
  const auto norm = [](const Field& values) {
    double largest = 0.0;
    for (const double value : values) {
      largest = std::max(largest, std::abs(value));
    }
    return largest;
  };
  *p = beginning == Beginning::planes ? start_of_planes(f) : zeros(levels_.front());
  std::vector<double> history{norm(residual(*p, f))};
  while (history.back() > stopping.tolerance &&
         static_cast<int>(history.size()) <= stopping.max_cycles) {
    const Field r = residual(*p, f);
    const Field e = history.size() == 1 ? full_multigrid(r) : v_cycle(r);
    for (std::size_t n = 0; n < p->size(); ++n) {
      (*p)[n] += e[n];
    }
    history.push_back(norm(residual(*p, f)));
  }
  return history;
}

}  // namespace bankfull::poisson::multigrid
