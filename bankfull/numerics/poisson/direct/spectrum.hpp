#pragma once

#include "bankfull/numerics/poisson/direct/eigen_basis.hpp"
#include "bankfull/numerics/poisson/direct/modes.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::poisson {

/// Where a field and, later in the same memory, the spectrum of its planes lie: element (j, k) of
/// the spectrum, 0 <= k <= nk / 2, takes the place of the cells 2 k and 2 k + 1 of row j. All
/// lengths are in reals.
struct SpectrumLayout {
  std::int64_t row_pitch = 0;
  std::int64_t plane_pitch = 0;
  std::int64_t size = 0;

  /// `spare`: rows that follow every plane's own.
  SpectrumLayout(const Extents& extents, std::size_t element_bytes, std::int64_t spare = 0);
};

/// The layout of this number of the domain's planes.
inline SpectrumLayout slab_layout(const Domain& domain, std::int64_t planes,
                                  std::size_t element_bytes) {
  return {{planes, domain.j.cells(), domain.k.cells()}, element_bytes};
}

constexpr std::int64_t half_spectrum(std::int64_t nk) { return nk / 2 + 1; }

/// Rows j that are their own partner j' = (nj - j) mod nj: 0, and the middle one if nj is even.
constexpr std::int64_t spare_rows(std::int64_t nj) { return nj % 2 == 0 ? 2 : 1; }

/// j', or a spare row of its own where that is j.
BANKFULL_HOST_DEVICE constexpr int spare_or_mirror_row(int j, int nj) {
  return j == 0 ? nj : (2 * j == nj ? nj + 1 : nj - j);
}

/// Fourier and cosine transforms serve uniform axes; others have a basis of their own.
inline bool has_own_basis(const Axis& axis) { return !axis.uniform(); }

/// Whether an element holds modes n and cells - n along this axis, else mode n alone.
inline bool two_in_an_element(const Axis& axis) { return !axis.periodic || has_own_basis(axis); }

/// Modes::count of a domain.
inline int modes_of(const Domain& domain) {
  return (two_in_an_element(domain.j) ? 2 : 1) * (two_in_an_element(domain.k) ? 2 : 1);
}

/// Eigenvalues and twists along one transformed axis, fp64.
struct AxisModes {
  /// Minus the second difference's eigenvalue, of mode 0, ..., n.
  std::vector<double> decay;
  /// See Modes: t(0), ..., t(n); all 1 along an axis that is periodic or has a basis of its own.
  std::vector<Complex<double>> twist;

  explicit AxisModes(const Axis& axis);

  /// For an axis with eigenvectors of its own, whose decays these are. Row n = 0 is its own
  /// partner: its mode stands at both ends.
  explicit AxisModes(const EigenBasis& basis);
};

/// What the elimination along i knows of a cell.
template <class Real>
struct alignas(4 * sizeof(Real)) EliminationCell {
  Real width;
  Real above;       ///< coupling to the next cell; 0 for the last one
  Real side_scale;  ///< of the right side: -width over the length of the transforms, which are not
                    ///< normalised
  Real
      response;  ///< solution without dominance but the root's, for right sides that are the widths
};

/// By what transforms along j and k there and back multiply, which are not normalised; 1 for axes
/// with a basis of their own.
double length_of_transforms(const Domain& domain);

/// The same on a GPU, which takes both axes to modes by products where either is stretched.
double gpu_length_of_transforms(const Domain& domain);

/// The tridiagonal system of axis i; see elimination.hpp.
template <class Real>
struct EliminationTable {
  std::vector<EliminationCell<Real>> cells;
  Real closing = 0;  ///< coupling between the first cell and the last one
  Real length = 0;
  Real mean_response = 0;  ///< of the cells, weighted by width

  /// `transforms`: see length_of_transforms.
  EliminationTable(const Domain& domain, double transforms);
};

}  // namespace bankfull::poisson
