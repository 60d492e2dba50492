#pragma once

#include "bankfull/numerics/poisson/face_velocity.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "tests/numerics/poisson/domains.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace bankfull::poisson {

/// A velocity that nothing flows through walls with, with places beyond the ends of rows and planes
/// that nothing may read.
template <class Real>
class RandomVelocity {
 public:
  explicit RandomVelocity(const Domain& domain)
      : domain_(&domain),
        row_pitch_(domain.extents().nk + 1),
        plane_pitch_((domain.extents().nj + 1) * row_pitch_),
        field_(domain.extents().ni * plane_pitch_),
        values_(static_cast<std::size_t>(3 * field_), std::numeric_limits<Real>::quiet_NaN()) {
    for_cells(domain, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t place) {
      const std::array<bool, 3> on_wall{!domain.i.periodic && i == 0, !domain.j.periodic && j == 0,
                                        !domain.k.periodic && k == 0};
      for (std::size_t field = 0; field < 3; ++field) {
        at(field, i, j, k) =
            on_wall[field] ? Real{0} : static_cast<Real>(random_symmetric(7, 3 * place + field));
      }
    });
  }

  [[nodiscard]] const std::vector<Real>& values() const { return values_; }

  /// Of values(), or of a copy that begins at `first`.
  [[nodiscard]] FaceVelocity<Real> view(const Real* first) const {
    return {first, first + field_, first + 2 * field_, plane_pitch_, row_pitch_};
  }

  [[nodiscard]] Values divergence() const {
    const Extents n = domain_->extents();
    const auto part = [](const Axis& axis, std::int64_t cell, Real above, Real below) {
      const bool is_wall = cell + 1 == axis.cells() && !axis.periodic;
      const auto width = axis.widths[static_cast<std::size_t>(cell)];
      return static_cast<Real>(1.0 / width) * ((is_wall ? Real{0} : above) - below);
    };
    Values result(static_cast<std::size_t>(n.count()));
    for_cells(*domain_, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t place) {
      const Real sum = part(domain_->i, i, at(0, (i + 1) % n.ni, j, k), at(0, i, j, k)) +
                       part(domain_->j, j, at(1, i, (j + 1) % n.nj, k), at(1, i, j, k)) +
                       part(domain_->k, k, at(2, i, j, (k + 1) % n.nk), at(2, i, j, k));
      result[place] = static_cast<double>(sum);
    });
    return result;
  }

 private:
  [[nodiscard]] std::size_t place(std::size_t field, std::int64_t i, std::int64_t j,
                                  std::int64_t k) const {
    return field * static_cast<std::size_t>(field_) +
           static_cast<std::size_t>(i * plane_pitch_ + j * row_pitch_ + k);
  }
  Real& at(std::size_t field, std::int64_t i, std::int64_t j, std::int64_t k) {
    return values_[place(field, i, j, k)];
  }
  [[nodiscard]] Real at(std::size_t field, std::int64_t i, std::int64_t j, std::int64_t k) const {
    return values_[place(field, i, j, k)];
  }

  const Domain* domain_;
  std::int64_t row_pitch_;
  std::int64_t plane_pitch_;
  std::int64_t field_;
  std::vector<Real> values_;
};

}  // namespace bankfull::poisson
