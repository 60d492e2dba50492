#pragma once

#include "bankfull/numerics/poisson/direct/fftw.hpp"
#include "bankfull/numerics/poisson/direct/own_basis.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <cstdint>
#include <utility>

namespace bankfull::poisson {

/// Takes planes of cells to the amplitudes of modes along j and k, and back, in place, each plane
/// by one thread.
///
/// Walls along uniform j and k are folded on the way into the transforms and unfolded on the way
/// back: both cost a pass over a plane in the cache, and complex transforms, which FFTW vectorises,
/// take half the time of its real cosine transforms.
template <class Real>
class CpuPlanes {
 public:
  CpuPlanes(const Domain& domain, const OwnBases& bases, const SpectrumLayout& layout)
      : nj_(domain.j.cells()),
        nk_(domain.k.cells()),
        folded_j_(is_folded(domain.j) ? nj_ : 0),
        folded_k_(is_folded(domain.k) ? nk_ : 0),
        row_pitch_(layout.row_pitch),
        plane_pitch_(layout.plane_pitch),
        basis_j_(bases.j),
        basis_k_(bases.k, layout.row_pitch),
        transforms_(nj_, nk_, layout.row_pitch / 2) {}

  /// `work`: memory of the calling thread for a plane and a row.
  void forward(Real* plane, Real* work) const {
    rows_forward(plane, work);
    if (basis_j_.exists()) {
      basis_j_.forward(rows_of(std::as_const(*work)), places_in_row(), rows_of(*plane));
    } else {
      transforms_.columns_forward(spectrum(work), spectrum(plane));
    }
  }

  void back(Real* plane, Real* work) const {
    if (basis_j_.exists()) {
      basis_j_.back(rows_of(std::as_const(*plane)), places_in_row(), rows_of(*work));
    } else {
      transforms_.columns_back(spectrum(plane), spectrum(work));
    }
    rows_back(work, plane);
  }

 private:
  static bool is_folded(const Axis& axis) { return !axis.periodic && !has_own_basis(axis); }

  [[nodiscard]] Real* line_of(Real* work) const { return work + plane_pitch_; }

  /// The rows of the plane that begins here.
  template <class Value>
  [[nodiscard]] MatrixRows<Value> rows_of(Value& plane, std::int64_t folded = 0) const {
    return {&plane, row_pitch_, folded};
  }

  [[nodiscard]] std::int64_t places_in_row() const { return 2 * half_spectrum(nk_); }

  static Complex<Real>* spectrum(Real* at) { return reinterpret_cast<Complex<Real>*>(at); }

  /// Rows of `work` are in the order of a transform along j.
  void rows_forward(const Real* plane, Real* work) const {
    if (basis_k_.exists()) {
      basis_k_.forward(nj_, rows_of(*plane), rows_of(*work, folded_j_));
      return;
    }
    Real* const line = line_of(work);
    for (std::int64_t j = 0; j < nj_; ++j) {
      const Real* row = plane + j * row_pitch_;
      if (folded_k_ > 0) {
        fold(row, line);
        row = line;
      }
      transforms_.row_forward(row, spectrum(work + slot_of(j, folded_j_) * row_pitch_));
    }
  }

  void rows_back(Real* work, Real* plane) const {
    if (basis_k_.exists()) {
      basis_k_.back(nj_, rows_of(std::as_const(*work), folded_j_), rows_of(*plane));
      return;
    }
    Real* const line = line_of(work);
    for (std::int64_t j = 0; j < nj_; ++j) {
      Real* const row = plane + j * row_pitch_;
      Real* const from = work + slot_of(j, folded_j_) * row_pitch_;
      if (folded_k_ > 0) {
        transforms_.row_back(spectrum(from), line);
        unfold(line, row);
      } else {
        transforms_.row_back(spectrum(from), row);
      }
    }
  }

  /// See slot_of.
  void fold(const Real* row, Real* folded) const {
    const std::int64_t even = (nk_ + 1) / 2;
    for (std::int64_t n = 0; n < even; ++n) {
      folded[n] = row[2 * n];
    }
    for (std::int64_t n = 0; n < nk_ / 2; ++n) {
      folded[nk_ - 1 - n] = row[2 * n + 1];
    }
  }

  void unfold(const Real* folded, Real* row) const {
    const std::int64_t even = (nk_ + 1) / 2;
    for (std::int64_t n = 0; n < even; ++n) {
      row[2 * n] = folded[n];
    }
    for (std::int64_t n = 0; n < nk_ / 2; ++n) {
      row[2 * n + 1] = folded[nk_ - 1 - n];
    }
  }

  std::int64_t nj_;
  std::int64_t nk_;
  std::int64_t folded_j_;  ///< cells, where the axis is transformed and ends at walls
  std::int64_t folded_k_;
  std::int64_t row_pitch_;
  std::int64_t plane_pitch_;
  BasisAlongJ<Real> basis_j_;
  BasisAlongK<Real> basis_k_;
  PlaneTransforms<Real> transforms_;
};

}  // namespace bankfull::poisson
