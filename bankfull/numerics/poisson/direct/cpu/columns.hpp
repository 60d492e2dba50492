#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/numerics/poisson/direct/lanes.hpp"
#include "bankfull/numerics/poisson/direct/own_basis.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace bankfull::poisson {

/// Neighbouring elements (j, k), ..., (j, k + count - 1) of a row of the spectrum, which are
/// eliminated together, with those of row j'.
struct LaneTile {
  std::int64_t number = 0;  ///< in the order of j, then k
  std::int64_t j = 0;
  std::int64_t k = 0;
  std::int64_t count = 0;

  [[nodiscard]] bool has_constant_mode() const { return j == 0 && k == 0; }
};

/// The modes of the spectrum's columns, which CPUs eliminate along i tile by tile.
template <class Real>
class CpuColumns {
 public:
  CpuColumns(const Domain& domain, const OwnBases& bases)
      : nj_(domain.j.cells()),
        nk_(domain.k.cells()),
        own_basis_j_(bases.j.has_value()),
        wall_j_(!domain.j.periodic),
        two_along_k_(two_in_an_element(domain.k)),
        modes_j_(modes_along(domain.j, bases.j)),
        modes_k_(modes_along(domain.k, bases.k)) {}

  /// body(Kind{}) with the kind of modes of this domain.
  template <class Body>
  void with_kind(const Body& body) const {
    if (own_basis_j_) {
      two_along_k_ ? body(RowModes<true>{}) : body(RowModes<false>{});
    } else if (wall_j_) {
      two_along_k_ ? body(Modes<true, true>{}) : body(Modes<true, false>{});
    } else {
      two_along_k_ ? body(Modes<false, true>{}) : body(Modes<false, false>{});
    }
  }

  /// One of the tiles of so many lanes.
  [[nodiscard]] LaneTile tile(std::int64_t number, std::int64_t lanes) const {
    const std::int64_t of_row = tiles_of_row(lanes);
    const std::int64_t k = number % of_row * lanes;
    return {number, number / of_row, k, std::min(lanes, half_spectrum(nk_) - k)};
  }

  /// How many there are, in pairs of rows (j, j').
  [[nodiscard]] std::int64_t tiles(std::int64_t lanes) const {
    return half_spectrum(nj_) * tiles_of_row(lanes);
  }

  [[nodiscard]] std::int64_t mirror_row(std::int64_t j) const { return (nj_ - j) % nj_; }

  /// Sets the decays and twists of these lanes, and of those that fill up their last pack.
  template <class Kind, bool Cyclic>
  void prepare(const LaneElimination<Real, Kind, Cyclic>& lanes, const LaneTile& tile) const {
    const auto nth = [](const auto& values, std::int64_t n) {
      return values[static_cast<std::size_t>(n)];
    };
    constexpr std::int64_t width = Pack<Real>::width;
    const std::int64_t filled = (tile.count + width - 1) / width * width;
    for (std::int64_t lane = 0; lane < filled; ++lane) {
      const std::int64_t at = std::min(tile.k + lane, half_spectrum(nk_) - 1);
      for (int mode = 0; mode < Kind::count; ++mode) {
        const std::int64_t mode_j = Kind::mirrors_j(mode) ? nj_ - tile.j : tile.j;
        const std::int64_t mode_k = Kind::mirrors_k(mode) ? nk_ - at : at;
        lanes.decay(mode)[lane] =
            static_cast<Real>(nth(modes_j_.decay, mode_j) + nth(modes_k_.decay, mode_k));
      }
      const Complex<double> along_k = nth(modes_k_.twist, at);
      const Complex<double> a = times(nth(modes_j_.twist, tile.j), along_k);
      const Complex<double> b = times(nth(modes_j_.twist, nj_ - tile.j), along_k);
      lanes.set_twists(lane, {static_cast<Real>(a.re), static_cast<Real>(a.im)},
                       {static_cast<Real>(b.re), static_cast<Real>(b.im)});
    }
  }

 private:
  [[nodiscard]] std::int64_t tiles_of_row(std::int64_t lanes) const {
    return (half_spectrum(nk_) + lanes - 1) / lanes;
  }

  static AxisModes modes_along(const Axis& axis, const std::optional<EigenBasis>& basis) {
    return basis ? AxisModes(*basis) : AxisModes(axis);
  }

  std::int64_t nj_;
  std::int64_t nk_;
  bool own_basis_j_;
  bool wall_j_;
  bool two_along_k_;
  AxisModes modes_j_;
  AxisModes modes_k_;
};

}  // namespace bankfull::poisson
