#pragma once

#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/numerics/random/counter.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

namespace bankfull::poisson {

/// What tests of Poisson solvers share: domains, and the equation in plain fp64 loops. Fields are
/// dense, k fastest.
using Values = std::vector<double>;

struct NamedDomain {
  std::string name;  ///< letters, digits and '_'
  Domain domain;
};

inline void PrintTo(const NamedDomain& each, std::ostream* out) { *out << each.name; }

/// What a test of one domain is called: its name and, as names are used for several extents, those.
inline std::string domain_name(const testing::TestParamInfo<NamedDomain>& info) {
  const Extents n = info.param.domain.extents();
  return info.param.name + '_' + std::to_string(n.ni) + 'x' + std::to_string(n.nj) + 'x' +
         std::to_string(n.nk);
}

inline Axis uniform_axis(std::int64_t cells, bool periodic, double width = 1.0) {
  return {std::vector<double>(static_cast<std::size_t>(cells), width), periodic};
}

/// Cells that grow from both ends to the middle, by `ratio` from one to the next.
inline Axis stretched_axis(std::int64_t cells, bool periodic, double ratio, double first = 1.0) {
  Axis axis = uniform_axis(cells, periodic, first);
  for (std::int64_t n = 0; n < cells; ++n) {
    const auto from_end = static_cast<double>(std::min(n, cells - 1 - n));
    axis.widths[static_cast<std::size_t>(n)] = first * std::pow(ratio, from_end);
  }
  return axis;
}

/// Cells that gather at both ends as those of flows do: faces at tanh(s stretching), s from -1
/// to 1.
inline Axis gathered_axis(std::int64_t cells, bool periodic, double stretching) {
  Axis axis{{}, periodic};
  const auto face = [&](std::int64_t n) {
    const double s = 2.0 * static_cast<double>(n) / static_cast<double>(cells) - 1.0;
    return stretching == 0.0 ? 0.5 * s : 0.5 * std::tanh(s * stretching) / std::tanh(stretching);
  };
  for (std::int64_t n = 0; n < cells; ++n) {
    axis.widths.push_back(face(n + 1) - face(n));
  }
  return axis;
}

/// Domains that no solver serves, and what is said of them.
struct RefusedDomain {
  Domain domain;
  std::string refusal;
};

inline std::vector<RefusedDomain> refused_domains() {
  const Axis some = uniform_axis(4, true);
  return {
      {{{}, some, some}, "axis i of a domain has no cells; give it at least one"},
      {{some, {}, some}, "axis j of a domain has no cells; give it at least one"},
      {{some, some, {}}, "axis k of a domain has no cells; give it at least one"},
      {{some, {{1.0, -0.5}}, some},
       "cell 1 of axis j has a width of -0.5; use finite widths above 0"},
      {{some, some, {{0.0, 1.0}}}, "cell 0 of axis k has a width of 0; use finite widths above 0"},
      {{{{1.0, 1.0, std::numeric_limits<double>::quiet_NaN()}}, some, some},
       "cell 2 of axis i has a width of nan; use finite widths above 0"},
  };
}

inline double volume(const Domain& domain, std::int64_t i, std::int64_t j, std::int64_t k) {
  const auto width = [](const Axis& axis, std::int64_t n) {
    return axis.widths[static_cast<std::size_t>(n)];
  };
  return width(domain.i, i) * width(domain.j, j) * width(domain.k, k);
}

/// body(i, j, k, place of the cell in Values)
template <class Body>
void for_cells(const Domain& domain, const Body& body) {
  const Extents n = domain.extents();
  std::size_t place = 0;
  for (std::int64_t i = 0; i < n.ni; ++i) {
    for (std::int64_t j = 0; j < n.nj; ++j) {
      for (std::int64_t k = 0; k < n.nk; ++k) {
        body(i, j, k, place++);
      }
    }
  }
}

/// The second difference along an axis at its cell n, of p with `stride` between cells.
inline double second_difference(const Axis& axis, const double* p, std::int64_t n,
                                std::int64_t stride) {
  const std::int64_t cells = axis.cells();
  double sum = 0.0;
  if (n + 1 < cells || axis.periodic) {
    sum += (p[(n + 1) % cells * stride] - p[n * stride]) / axis.distance(n + 1);
  }
  if (n > 0 || axis.periodic) {
    sum -= (p[n * stride] - p[(n + cells - 1) % cells * stride]) / axis.distance(n);
  }
  return sum / axis.widths[static_cast<std::size_t>(n)];
}

inline Values laplacian(const Domain& domain, const Values& p) {
  const Extents n = domain.extents();
  Values result(p.size());
  for_cells(domain, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t place) {
    const double* const row = p.data() + (i * n.nj + j) * n.nk;
    const double* const plane_row = p.data() + i * n.nj * n.nk + k;
    result[place] = second_difference(domain.i, p.data() + j * n.nk + k, i, n.nj * n.nk) +
                    second_difference(domain.j, plane_row, j, n.nk) +
                    second_difference(domain.k, row, k, 1);
  });
  return result;
}

/// Weighted by volume. In fp64 the sum over millions of cells would lose more digits than a solver.
inline double mean(const Domain& domain, const Values& values) {
  long double sum = 0.0;
  for_cells(domain, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t place) {
    sum += volume(domain, i, j, k) * values[place];
  });
  const auto length = [](const Axis& axis) {
    return std::reduce(axis.widths.begin(), axis.widths.end(), 0.0L);
  };
  return static_cast<double>(sum / (length(domain.i) * length(domain.j) * length(domain.k)));
}

inline void remove_mean(const Domain& domain, Values* values) {
  const double value = mean(domain, *values);
  for (double& each : *values) {
    each -= value;
  }
}

/// In [-1, 1), with a mean.
inline Values random_values(const Domain& domain, std::uint64_t seed) {
  Values values(static_cast<std::size_t>(domain.extents().count()));
  for (std::size_t n = 0; n < values.size(); ++n) {
    values[n] = random_symmetric(seed, n);
  }
  return values;
}

/// A right side that has a solution.
inline Values random_right_side(const Domain& domain, std::uint64_t seed) {
  Values f = random_values(domain, seed);
  remove_mean(domain, &f);
  return f;
}

inline double largest(const Values& values) {
  double result = 0.0;
  for (const double value : values) {
    result = std::max(result, std::abs(value));
  }
  return result;
}

inline double largest_difference(const Values& a, const Values& b) {
  double result = 0.0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    result = std::max(result, std::abs(a[n] - b[n]));
  }
  return result;
}

/// max |f - L p|
inline double residual(const Domain& domain, const Values& p, const Values& f) {
  return largest_difference(laplacian(domain, p), f);
}

/// Into memory of the host.
template <class Real>
void put(const Domain& domain, const Values& values, const CellSlots<Real>& slots) {
  for_cells(domain, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t place) {
    slots(i, j, k) = static_cast<Real>(values[place]);
  });
}

/// From memory of the host.
template <class Real>
Values take(const Domain& domain, const CellSlots<Real>& slots) {
  Values values(static_cast<std::size_t>(domain.extents().count()));
  for_cells(domain, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t place) {
    values[place] = static_cast<double>(slots(i, j, k));
  });
  return values;
}

/// All eight combinations of walls and periodic axes, of these extents.
inline std::vector<NamedDomain> all_boundaries(const Extents& n) {
  std::vector<NamedDomain> result;
  for (int bits = 0; bits < 8; ++bits) {
    const bool i = (bits & 4) != 0;
    const bool j = (bits & 2) != 0;
    const bool k = (bits & 1) != 0;
    const auto letter = [](bool periodic) { return periodic ? 'p' : 'w'; };
    result.push_back({{letter(i), letter(j), letter(k)},
                      {uniform_axis(n.ni, i), uniform_axis(n.nj, j), uniform_axis(n.nk, k)}});
  }
  return result;
}

/// Odd, prime, thin and anisotropic boxes, also of one cell, with uniform axes.
inline std::vector<NamedDomain> uniform_shapes() {
  return {
      {"isotropic", {uniform_axis(16, false), uniform_axis(16, true), uniform_axis(32, true)}},
      {"odd", {uniform_axis(15, false), uniform_axis(9, true), uniform_axis(21, false)}},
      {"prime", {uniform_axis(13, true), uniform_axis(17, false), uniform_axis(31, true)}},
      {"thin_i", {uniform_axis(1, true), uniform_axis(24, false), uniform_axis(20, true)}},
      {"thin_j", {uniform_axis(24, false), uniform_axis(1, true), uniform_axis(20, true)}},
      {"thin_k", {uniform_axis(24, false), uniform_axis(20, true), uniform_axis(1, false)}},
      {"line_i", {uniform_axis(37, false), uniform_axis(1, true), uniform_axis(1, false)}},
      {"line_k", {uniform_axis(1, false), uniform_axis(1, true), uniform_axis(37, true)}},
      {"point", {uniform_axis(1, false), uniform_axis(1, true), uniform_axis(1, true)}},
      {"two", {uniform_axis(2, true), uniform_axis(2, false), uniform_axis(2, true)}},
      {"flat_cells",
       {uniform_axis(20, false, 0.1), uniform_axis(12, true), uniform_axis(14, false)}},
      {"long_cells",
       {uniform_axis(20, false), uniform_axis(12, true), uniform_axis(14, true, 7.0)}},
      {"three_widths",
       {uniform_axis(12, true, 0.3), uniform_axis(17, false, 0.03), uniform_axis(14, false, 1.0)}},
  };
}

/// With axis i stretched, walls or periodic.
inline std::vector<NamedDomain> stretched_shapes() {
  return {
      {"stretched_walls",
       {stretched_axis(24, false, 1.15), uniform_axis(16, true, 2.0), uniform_axis(12, false)}},
      {"stretched_periodic",
       {stretched_axis(17, true, 1.1), uniform_axis(16, false), uniform_axis(9, true)}},
  };
}

/// What a V-cycle by lines leaves of a residual, at most. Where the axes across lines are
/// stretched, too, cells have many shapes, and smoothing one of them well is smoothing another
/// badly.
inline double left_by_lines(const Domain& domain) {
  const int uniform_axes = static_cast<int>(domain.i.uniform()) +
                           static_cast<int>(domain.j.uniform()) +
                           static_cast<int>(domain.k.uniform());
  return uniform_axes >= 2 ? 0.2 : 0.3;
}

/// One axis gathered at its ends as strongly as flows may have it, and the others uniform: of the
/// same length, long, short and both, walls and periodic; or gathered, too, as much as multigrid
/// serves well. Schedules have lines along i or j.
enum class LinesAlong { any_axis, i_or_j };

inline std::vector<NamedDomain> gathered_domains(LinesAlong which) {
  std::vector<NamedDomain> result;
  for (const int stretching : {1, 3, 5}) {
    const std::string name = "stretched_by_" + std::to_string(stretching);
    const auto add = [&](const std::string& shape, std::int64_t cells, double width_a,
                         double width_b) {
      const Axis gathered = gathered_axis(cells, false, stretching);
      const auto uniform = [&](bool periodic, std::int64_t n, double length) {
        return uniform_axis(n, periodic, length / static_cast<double>(n));
      };
      result.push_back({name + shape + "_i",
                        {gathered, uniform(true, cells, width_a), uniform(true, cells, width_b)}});
      result.push_back(
          {name + shape + "_j_walls",
           {uniform(false, cells - 3, width_a), gathered, uniform(false, cells + 5, width_b)}});
      if (which == LinesAlong::any_axis) {
        result.push_back(
            {name + shape + "_k",
             {uniform(true, cells - 5, width_b), uniform(false, cells, width_a), gathered}});
      }
    };
    add("_cube", 32, 1.0, 1.0);
    add("_wide", 24, 4.0, 4.0);
    add("_narrow", 24, 0.25, 0.25);
    add("_uneven", 20, 4.0, 0.25);
  }
  const Axis fine = gathered_axis(64, false, 5.0);
  result.push_back(
      {"cube", {fine, uniform_axis(64, true, 1.0 / 64), uniform_axis(64, true, 1.0 / 64)}});
  result.push_back({"plane", {fine, uniform_axis(1, true), uniform_axis(48, false, 1.0 / 12)}});
  result.push_back({"line", {uniform_axis(1, true), fine, uniform_axis(1, true)}});
  result.push_back(
      {"periodic_lines",
       {gathered_axis(31, true, 4.0), uniform_axis(16, true, 0.1), uniform_axis(18, false, 0.06)}});
  result.push_back({"beside_others",
                    {gathered_axis(20, false, 4.0), gathered_axis(34, false, 1.0),
                     gathered_axis(38, false, 1.0)}});
  return result;
}

}  // namespace bankfull::poisson
