#pragma once

#include "bankfull/numerics/poisson/direct/three_pass/parts.hpp"
#include "bankfull/numerics/poisson/direct/three_pass/rest.hpp"
#include "bankfull/numerics/poisson/direct/three_pass/rows.hpp"
#include "bankfull/numerics/poisson/direct/three_pass/sizes.hpp"
#include "tests/numerics/poisson/domains.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::poisson::three_pass {

// The kernels of the three passes with loops on the host in place of threads: the same steps in the
// same order, so index maps, twiddles and eliminations are tested without a GPU.

template <class Real>
using Numbers = std::vector<Complex<Real>>;

/// Of N points in order.
template <class Real, int N>
void emulate_row(Complex<Real>* line, const Numbers<Real>& roots) {
  using Steps = RowTransform<Real, N>;
  constexpr std::size_t lanes = Steps::lanes;
  std::array<Points<Real>, lanes> x;
  std::array<Complex<Real>, Steps::shared_points> shared;
  const auto root = [&](int n) { return roots[static_cast<std::size_t>(n)]; };
  for (int lane = 0; lane < Steps::lanes; ++lane) {
    typename Steps::Taken own;
    for (int t = 0; t < Steps::taken; ++t) {
      own[t] = line[lane + t * Steps::lanes];
    }
    transform<Real, Steps::taken>(own);
    Steps::leave(lane, own, shared.data());
  }
  if constexpr (Steps::lanes == 32) {
    std::array<Sums<Real>, lanes> sums;
    for (int lane = 0; lane < Steps::lanes; ++lane) {
      sums[static_cast<std::size_t>(lane)] =
          Steps::take_sums(lane, root(Steps::root_of_sums(lane)), shared.data());
    }
    for (int lane = 0; lane < Steps::lanes; ++lane) {
      const auto own = static_cast<std::size_t>(lane);
      x[own] = sums_in_order<Real>(Steps::parity_of(lane), sums[own].kept, sums[own ^ radix].given);
      transform<Real, radix>(x[own], root(Steps::root_of(lane)));
    }
  } else {
    for (int lane = 0; lane < Steps::lanes; ++lane) {
      Points<Real, Steps::own_u> own_roots;
      for (int n = 0; n < Steps::own_u; ++n) {
        own_roots[n] = root(Steps::root_of(lane, n));
      }
      x[static_cast<std::size_t>(lane)] = Steps::finish(lane, own_roots, shared.data());
    }
  }
  for (int lane = 0; lane < Steps::lanes; ++lane) {
    for (int i = 0; i < radix; ++i) {
      if (Steps::has_mode(lane, i)) {
        line[Steps::first_mode(lane) + Steps::to_mode(i)] = x[static_cast<std::size_t>(lane)][i];
      }
    }
  }
}

/// Of 32 points in order.
template <class Real>
void emulate_rest(std::array<Complex<Real>, 32>& points) {
  using Steps = RestTransform<Real>;
  std::array<Sums<Real>, 2> sums;
  for (int parity = 0; parity < 2; ++parity) {
    Points<Real> x;
    for (int n = 0; n < radix; ++n) {
      x[n] = points[static_cast<std::size_t>(Steps::source(n, parity))];
    }
    sums[static_cast<std::size_t>(parity)] = Steps::sums(parity, x);
  }
  for (int parity = 0; parity < 2; ++parity) {
    const auto own = static_cast<std::size_t>(parity);
    Points<Real> x = sums_in_order<Real>(parity, sums[own].kept, sums[1 - own].given);
    Steps::finish(parity, x);
    for (int n = 0; n < radix; ++n) {
      points[static_cast<std::size_t>(Steps::target(n, parity))] = x[n];
    }
  }
}

/// The elimination of one mode by a cluster; `column` has a number for each of `cells`, but for the
/// one before the first.
template <class Real>
void emulate_elimination(const std::vector<PartCell<Real>>& cells, Real decay,
                         Numbers<Real>& column) {
  const std::size_t parts = column.size() / radix;
  std::vector<Part<Real>> of(parts);
  std::vector<Points<Real>> x(parts);
  std::vector<ChainRow<Real>> rows(parts);
  const auto cell = [&](std::size_t part) { return cells.data() + 1 + part * radix; };
  for (std::size_t p = 0; p < parts; ++p) {
    for (int n = 0; n < radix; ++n) {
      x[p][n] = column[p * radix + static_cast<std::size_t>(n)];
    }
    const PartCouplings<Real> couplings = of[p].eliminate_couplings(cell(p), decay);
    const PartSides<Real> sides = of[p].eliminate_sides(cell(p), x[p]);
    rows[p] = {couplings.below, Real{0}, rows[p].dominance + couplings.dominance,
               sum(rows[p].side, sides.own)};
    if (p > 0) {
      rows[p - 1].above = couplings.below;
      rows[p - 1].dominance += couplings.below_dominance;
      rows[p - 1].side = sum(rows[p - 1].side, sides.below);
    }
  }
  if (decay == Real{0}) {
    rows.back().dominance += coupling_to_ground(cell(parts - 1) + radix - 1);
  }
  for (std::size_t apart = 1; apart < parts; apart *= 2) {
    const std::vector<ChainRow<Real>> before = rows;
    for (std::size_t p = 0; p < parts; ++p) {
      const auto share = [&](bool exists, std::size_t of_part, bool upwards) {
        if (!exists) {
          return Share<Real>::nothing();
        }
        const ChainRow<Real>& row = before[of_part];
        return upwards ? row.upwards(row.inverse()) : row.downwards(row.inverse());
      };
      rows[p].take_below(share(p >= apart, p - apart, true));
      rows[p].take_above(share(p + apart < parts, p + apart, false));
    }
  }
  for (std::size_t p = 0; p < parts; ++p) {
    of[p].substitute(cell(p), rows[p].solution(), p > 0 ? rows[p - 1].solution() : Complex<Real>{},
                     x[p]);
    for (int n = 0; n < radix; ++n) {
      column[p * radix + static_cast<std::size_t>(n)] = x[p][n];
    }
  }
}

/// A solve. `N` cells along k, `Radix` x 32 along j.
template <class Real, int N, int Radix>
class EmulatedSolver {
 public:
  explicit EmulatedSolver(const Domain& domain)
      : sizes_(domain.extents()),
        tables_(domain),
        tiles_(N, Radix),
        pitch_(Tiles<Real>::pitch(sizes_.planes)),
        spectrum_(static_cast<std::size_t>(tiles_.count() * pitch_)) {}

  /// Right side to solution.
  void solve(std::vector<Real>& field) {
    for_blocks([&](int plane, int first_m) { forward(field.data(), plane, first_m); });
    for (int tile = 0; tile < tiles_.count(); ++tile) {
      for (int column = 0; column < Tiles<Real>::group; ++column) {
        eliminate(tile, column);
      }
    }
    for_blocks([&](int plane, int first_m) { back(field.data(), plane, first_m); });
  }

 private:
  using Rows = RowsOfBlock<Radix>;
  static constexpr int row_pairs = Rows::pairs;
  static constexpr int pitch_of_pairs = N;
  using Modes = RowModes<Real, N, Rows::count>;
  using Column = Points<Real, Rows::count>;

  template <class Body>
  void for_blocks(const Body& body) const {
    for (int block = 0; block < sizes_.planes * Rows::blocks_per_plane; ++block) {
      body(block / Rows::blocks_per_plane, block % Rows::blocks_per_plane * Rows::together);
    }
  }

  template <class T>
  static T* row_of(T* field, int plane, int j) {
    return field + (std::int64_t{plane} * 32 * Radix + j) * N;
  }
  Complex<Real>& at(int tile, int plane, int m, int column) {
    return spectrum_[static_cast<std::size_t>(tile * pitch_ +
                                              Tiles<Real>::within(plane, m, column))];
  }
  Complex<Real>& place(int plane, int first_m, int k, int row) {
    const int r = Rows::q(row);
    return at(tiles_.tile(k, r), plane, first_m + Rows::m(row), tiles_.column(k, r));
  }
  [[nodiscard]] Complex<Real> twist(int first_m, int row) const {
    return tables_.roots_j[static_cast<std::size_t>((first_m + Rows::m(row)) * Rows::q(row))];
  }

  void forward(const Real* field, int plane, int first_m) {
    Numbers<Real> pairs(row_pairs * pitch_of_pairs);
    for (int p = 0; p < row_pairs; ++p) {
      const Real* const row = row_of(field, plane, first_m + Rows::j(p));
      const Real* const partner = row_of(field, plane, first_m + Rows::j(p + row_pairs));
      Complex<Real>* const pair = pairs.data() + p * pitch_of_pairs;
      for (int k = 0; k < N; ++k) {
        pair[k] = {row[k], partner[k]};
      }
      emulate_row<Real, N>(pair, tables_.roots_k);
    }
    for (int k = 0; k < N / 2; ++k) {
      Column x = Modes::separate(k, pairs.data(), pitch_of_pairs);
      transform_groups<Radix, Real>(x);
      for (int row = 0; row < Rows::count; ++row) {
        const Complex<Real> factor =
            scaled(twist(first_m, row), tables_.side_scale[static_cast<std::size_t>(plane)]);
        const Complex<Real> mirrored = x[Rows::mirrored(row)];
        const Complex<Real> value = k == 0 ? first_of_two(x[row], mirrored) : x[row];
        place(plane, first_m, k, row) = fused_product(value, factor);
        if (k == 0) {
          place(plane, first_m, N / 2, row) =
              fused_product(second_of_two(x[row], mirrored), factor);
        }
      }
    }
  }

  void back(Real* field, int plane, int first_m) {
    Numbers<Real> pairs(row_pairs * pitch_of_pairs);
    for (int k = 0; k < N / 2; ++k) {
      Column x;
      for (int row = 0; row < Rows::count; ++row) {
        x[row] = place(plane, first_m, k, row);
        if (k == 0) {
          x[row] = two_as_one(x[row], place(plane, first_m, N / 2, row));
        }
        x[row] = fused_product(x[row], conjugate(twist(first_m, row)));
      }
      exchange_parts<Real, Rows::count>(x);
      transform_groups<Radix, Real>(x);
      exchange_parts<Real, Rows::count>(x);
      Modes::join(k, x, pairs.data(), pitch_of_pairs);
    }
    for (int p = 0; p < row_pairs; ++p) {
      Complex<Real>* const pair = pairs.data() + p * pitch_of_pairs;
      for (int k = 0; k < N; ++k) {
        pair[k] = exchanged(pair[k]);
      }
      emulate_row<Real, N>(pair, tables_.roots_k);
      Real* const row = row_of(field, plane, first_m + Rows::j(p));
      Real* const partner = row_of(field, plane, first_m + Rows::j(p + row_pairs));
      for (int k = 0; k < N; ++k) {
        row[k] = pair[k].im;
        partner[k] = pair[k].re;
      }
    }
  }

  void eliminate(int tile, int column) {
    const ColumnModes modes = tiles_.modes(tile, column);
    std::vector<Numbers<Real>> of_mode(
        32, Numbers<Real>(static_cast<std::size_t>(sizes_.padded_planes())));
    for (int plane = 0; plane < sizes_.planes; ++plane) {
      std::array<Complex<Real>, 32> points;
      for (int m = 0; m < 32; ++m) {
        points[static_cast<std::size_t>(m)] = at(tile, plane, m, column);
      }
      emulate_rest(points);
      for (std::size_t s = 0; s < 32; ++s) {
        of_mode[s][static_cast<std::size_t>(plane)] = points[s];
      }
    }
    for (std::size_t s = 0; s < 32; ++s) {
      const auto mode_j = static_cast<std::size_t>(modes.r) + Radix * s;
      solve_mode(tables_.decay_k[static_cast<std::size_t>(modes.k)] + tables_.decay_j[mode_j],
                 of_mode[s]);
    }
    for (int plane = 0; plane < sizes_.planes; ++plane) {
      std::array<Complex<Real>, 32> points;
      for (std::size_t s = 0; s < 32; ++s) {
        points[s] = exchanged(of_mode[s][static_cast<std::size_t>(plane)]);
      }
      emulate_rest(points);
      for (int m = 0; m < 32; ++m) {
        at(tile, plane, m, column) = exchanged(points[static_cast<std::size_t>(m)]);
      }
    }
  }

  void solve_mode(Real decay, Numbers<Real>& column) const {
    if (decay != Real{0}) {
      emulate_elimination(tables_.cells, decay, column);
      return;
    }
    remove_mean_of_sides(column);
    remove_mean_of_sides(column);
    emulate_elimination(tables_.cells, decay, column);
    Real total{0};
    for (std::size_t i = 0; i < column.size(); ++i) {
      total += column[i].re * tables_.cells[i + 1].width;
    }
    for (Complex<Real>& value : column) {
      value.re -= total * tables_.inverse_length;
    }
  }

  void remove_mean_of_sides(Numbers<Real>& column) const {
    Real total{0};
    for (const Complex<Real>& side : column) {
      total += side.re;
    }
    for (std::size_t i = 0; i < column.size(); ++i) {
      column[i].re -= total * tables_.inverse_length * tables_.cells[i + 1].width;
    }
  }

  Sizes sizes_;
  Tables<Real> tables_;
  Tiles<Real> tiles_;
  std::int64_t pitch_;
  Numbers<Real> spectrum_;
};

}  // namespace bankfull::poisson::three_pass
