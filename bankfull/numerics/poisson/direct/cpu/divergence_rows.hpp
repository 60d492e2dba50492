#pragma once

#include "bankfull/core/base/pack.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/numerics/poisson/direct/cpu/row_requests.hpp"
#include "bankfull/numerics/poisson/face_velocity.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::poisson {

/// The divergence of a velocity on the cells of a domain, row by row.
template <class Real>
class DivergenceRows {
 public:
  explicit DivergenceRows(const Domain& domain)
      : i_(domain.i), j_(domain.j), k_(domain.k), nothing_(k_.per_width.size(), Real{0}) {}

  /// The rows of plane i, `row_pitch` apart.
  void form_plane(const FaceVelocity<Real>& velocity, std::int64_t i, Real* plane,
                  std::int64_t row_pitch) const {
    form_rows(velocity, i, {0, j_.cells()}, plane, row_pitch);
  }

  /// Some of the rows of plane i, in their places in it.
  void form_rows(const FaceVelocity<Real>& velocity, std::int64_t i, const Range& rows, Real* plane,
                 std::int64_t row_pitch) const {
    for (std::int64_t j = rows.begin; j < rows.end; ++j) {
      form_row(velocity, i, j, plane + j * row_pitch);
    }
  }

  /// Requests of most of what form_rows() reads for `count` rows, or as many as there are, from row
  /// j of plane i on, or, at its end, from the first of the next plane on: not of u of that plane,
  /// which the plane before it has read, and not of the row of v beyond the last of them.
  [[nodiscard]] RowRequests<Real> requests_from(const FaceVelocity<Real>& velocity, std::int64_t i,
                                                std::int64_t j, std::int64_t count) const {
    if (j == j_.cells()) {
      j = 0;
      ++i;
    }
    if (i == i_.cells()) {
      return {};
    }
    const std::int64_t here = i * velocity.plane_pitch + j * velocity.row_pitch;
    const Real* const next_u =
        i + 1 < i_.cells() ? velocity.along_i + here + velocity.plane_pitch : nullptr;
    return {{next_u, velocity.along_j + here, velocity.along_k + here},
            velocity.row_pitch,
            std::min(count, j_.cells() - j),
            k_.cells()};
  }

 private:
  /// An axis as the divergence has it.
  struct Along {
    explicit Along(const Axis& axis) : periodic(axis.periodic) {
      for (const double width : axis.widths) {
        per_width.push_back(static_cast<Real>(1.0 / width));
      }
    }

    std::vector<Real> per_width;
    bool periodic;

    [[nodiscard]] std::int64_t cells() const { return static_cast<std::int64_t>(per_width.size()); }
    [[nodiscard]] Real per_width_of(std::int64_t n) const {
      return per_width[static_cast<std::size_t>(n)];
    }
    /// The lower face of the cell above cell n is the first one again, or within a wall.
    [[nodiscard]] bool ends_at_wall(std::int64_t n) const { return n + 1 == cells() && !periodic; }
    [[nodiscard]] std::int64_t above(std::int64_t n) const { return n + 1 < cells() ? n + 1 : 0; }
  };

  void form_row(const FaceVelocity<Real>& velocity, std::int64_t i, std::int64_t j,
                Real* __restrict result) const {
    using P = Pack<Real>;
    const std::int64_t here = i * velocity.plane_pitch + j * velocity.row_pitch;
    const Real* const u = velocity.along_i + here;
    const Real* const v = velocity.along_j + here;
    const Real* const w = velocity.along_k + here;
    const Real* const next_u =
        i_.ends_at_wall(i) ? nothing_.data()
                           : velocity.along_i + here + (i_.above(i) - i) * velocity.plane_pitch;
    const Real* const next_v =
        j_.ends_at_wall(j) ? nothing_.data()
                           : velocity.along_j + here + (j_.above(j) - j) * velocity.row_pitch;
    const Real per_i = i_.per_width_of(i);
    const Real per_j = j_.per_width_of(j);
    const Real* const per_k = k_.per_width.data();
    const std::int64_t last = k_.cells() - 1;
    std::int64_t k = 0;
    for (; k + P::width <= last; k += P::width) {
      sum(per_i, P::load(next_u + k) - P::load(u + k), per_j, P::load(next_v + k) - P::load(v + k),
          P::load(per_k + k), P::load(w + k + 1) - P::load(w + k))
          .store(result + k);
    }
    for (; k < last; ++k) {
      result[k] = sum(per_i, next_u[k] - u[k], per_j, next_v[k] - v[k], per_k[k], w[k + 1] - w[k]);
    }
    const Real beyond = k_.periodic ? w[0] : Real{0};
    result[last] = sum(per_i, next_u[last] - u[last], per_j, next_v[last] - v[last], per_k[last],
                       beyond - w[last]);
  }

  /// In the order in which all schedules of the flow add.
  template <class Number>
  BANKFULL_ALWAYS_INLINE static Number sum(Real per_i, const Number& i, Real per_j, const Number& j,
                                           const Number& per_k, const Number& k) {
    return per_i * i + per_j * j + per_k * k;
  }

  Along i_;
  Along j_;
  Along k_;
  std::vector<Real> nothing_;  ///< a row of faces within a wall
};

}  // namespace bankfull::poisson
