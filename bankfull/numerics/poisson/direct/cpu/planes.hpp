#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/numerics/poisson/direct/cpu/plane_transforms.hpp"
#include "bankfull/numerics/poisson/direct/own_basis.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace bankfull::poisson {

/// Takes planes of cells to the amplitudes of modes along j and k, and back, in place, each group
/// of planes by one thread: by transforms in the cache, or by products where an axis has a basis of
/// its own. What a group() is depends on the domain alone; on ranks planes are taken one by one.
template <class Real>
class CpuPlanes {
 public:
  CpuPlanes(const Domain& domain, const OwnBases& bases, const SpectrumLayout& layout)
      : nj_(domain.j.cells()),
        places_in_row_(2 * half_spectrum(domain.k.cells())),
        row_pitch_(layout.row_pitch),
        basis_j_(bases.j),
        basis_k_(bases.k, layout.row_pitch),
        transforms_(domain.j, domain.k, layout),
        between_(PlaneTransforms<Real>::work_reals(domain.j.cells(), domain.k.cells())) {}

  /// Planes that are taken together. A product takes one.
  [[nodiscard]] std::int64_t planes_of_group() const {
    return has_product() ? 1 : transforms_.planes_at_once();
  }

  /// Of so many planes.
  [[nodiscard]] std::int64_t groups(std::int64_t planes) const {
    return (planes + planes_of_group() - 1) / planes_of_group();
  }

  [[nodiscard]] Range group(std::int64_t number, std::int64_t planes) const {
    const std::int64_t first = number * planes_of_group();
    return {first, std::min(first + planes_of_group(), planes)};
  }

  /// The planes of a group, or of a part of it, from the one at `plane` on. `work`: work_reals() of
  /// the calling thread.
  void forward(Real* plane, std::int64_t planes, Real* work) const {
    // A product cannot be in place.
    Real* const between = has_product() ? work + between_ : plane;
    if (basis_k_.exists()) {
      basis_k_.forward(nj_, rows_of(std::as_const(*plane)), rows_of(*between));
      clear_room_between_rows(between);
    } else {
      transforms_.rows_forward(plane, planes, between, work);
    }
    if (basis_j_.exists()) {
      basis_j_.forward(rows_of(std::as_const(*between)), places_in_row_, rows_of(*plane));
    } else {
      transforms_.columns_forward(between, planes, plane, work);
    }
  }

  /// forward() of one plane, for domains that go past the caches (see goes_past_caches).
  /// form(rows, between) sets some of its rows, in their places in another plane, and says what it
  /// will read next. To be followed by a stream_store_fence().
  template <class Form>
  void form_and_stream(const Form& form, Real* plane, Real* work) const {
    constexpr std::int64_t at_once = PlaneTransforms<Real>::rows_at_once();
    Real* const between = work + between_;
    for (std::int64_t first = 0; first < nj_; first += at_once) {
      const RowRequests<Real> requests =
          form(Range{first, std::min(first + at_once, nj_)}, between);
      transforms_.some_rows_forward(first, between, between, work, requests);
    }
    transforms_.stream_columns_forward(between, plane, work);
  }

  void back(Real* plane, std::int64_t planes, Real* work) const {
    Real* const between = has_product() ? work + between_ : plane;
    if (basis_j_.exists()) {
      basis_j_.back(rows_of(std::as_const(*plane)), places_in_row_, rows_of(*between));
    } else {
      transforms_.columns_back(plane, planes, between, work);
    }
    if (basis_k_.exists()) {
      basis_k_.back(nj_, rows_of(std::as_const(*between)), rows_of(*plane));
    } else {
      transforms_.rows_back(between, planes, plane, work);
    }
  }

 private:
  [[nodiscard]] bool has_product() const { return basis_j_.exists() || basis_k_.exists(); }

  /// Whole blocks of columns are transformed, with what lies behind the last one.
  void clear_room_between_rows(Real* plane) const {
    for (std::int64_t j = 0; j < nj_; ++j) {
      std::fill(plane + j * row_pitch_ + places_in_row_, plane + (j + 1) * row_pitch_, Real{0});
    }
  }

  /// The rows of the plane that begins here.
  template <class Value>
  [[nodiscard]] MatrixRows<Value> rows_of(Value& plane) const {
    return {&plane, row_pitch_};
  }

  std::int64_t nj_;
  std::int64_t places_in_row_;
  std::int64_t row_pitch_;
  BasisAlongJ<Real> basis_j_;
  BasisAlongK<Real> basis_k_;
  PlaneTransforms<Real> transforms_;
  std::int64_t between_;  ///< in the work of a thread: a plane between two steps
};

}  // namespace bankfull::poisson
