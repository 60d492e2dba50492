#pragma once

#include "bankfull/numerics/poisson/poisson.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::poisson {

/// The eigenvectors of the second difference L along an axis of any widths W, between walls or
/// periodic (R. E. Lynch, J. R. Rice, D. H. Thomas, "Direct solution of partial difference
/// equations by tensor product methods", Numer. Math. 6, 1964): W^(1/2) L W^(-1/2) = -Q decay Q^T
/// with Q orthogonal. Mode 0 is the constant one, whose decay is exactly 0.
struct EigenBasis {
  std::vector<double> decay;    ///< minus the eigenvalues, ascending; one per mode
  std::vector<double> forward;  ///< Q^T W^(1/2), from cells to modes: [mode * cells + cell]
  std::vector<double> back;     ///< W^(-1/2) Q, from modes to cells: [cell * cells + mode]
};

/// By Eigen's singular values of G = D W^(-1/2), with D the differences through the faces over the
/// square roots of their distances: W^(1/2) L W^(-1/2) = -G^T G. So small decays lose the digits
/// that the ratio of lengths takes, not those that its square does. The constant mode is split off
/// by a reflection before. Exists in builds with build::eigen only.
EigenBasis eigen_basis(const Axis& axis);

/// Where mode m of an axis k with a basis of its own stands in a row of the spectrum: as if it were
/// a cosine transform's, modes m and cells - m in one complex element; see Modes.
constexpr std::int64_t place_of_mode(std::int64_t mode, std::int64_t cells) {
  return mode <= cells / 2 ? 2 * mode : 2 * (cells - mode) + 1;
}

}  // namespace bankfull::poisson
