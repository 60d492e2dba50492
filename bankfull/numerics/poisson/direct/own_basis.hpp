#pragma once

#include "bankfull/build_config.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/poisson/direct/eigen_basis.hpp"
#include "bankfull/numerics/poisson/direct/matrix_product.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace bankfull::poisson {

/// The eigenvector bases of axes j and k, where these are stretched.
struct OwnBases {
  std::optional<EigenBasis> j;
  std::optional<EigenBasis> k;

  explicit OwnBases(const Domain& domain) : j(of(domain.j)), k(of(domain.k)) {}

 private:
  static std::optional<EigenBasis> of(const Axis& axis) {
    if constexpr (build::eigen) {
      if (has_own_basis(axis)) {
        return eigen_basis(axis);
      }
    }
    return std::nullopt;
  }
};

/// Takes the rows of a plane's spectrum to modes along j, and back.
template <class Real>
class BasisAlongJ {
 public:
  explicit BasisAlongJ(const std::optional<EigenBasis>& basis) {
    if (basis) {
      cells_ = static_cast<std::int64_t>(basis->decay.size());
      forward_ = copy(basis->forward);
      back_ = copy(basis->back);
    }
  }

  [[nodiscard]] bool exists() const { return cells_ > 0; }

  void forward(const MatrixRows<const Real>& rows, std::int64_t columns,
               const MatrixRows<Real>& modes) const {
    multiply({cells_, cells_, columns}, {forward_.data(), cells_}, rows, modes);
  }

  void back(const MatrixRows<const Real>& modes, std::int64_t columns,
            const MatrixRows<Real>& rows) const {
    multiply({cells_, cells_, columns}, {back_.data(), cells_}, modes, rows);
  }

 private:
  static Buffer<Real> copy(const std::vector<double>& values) {
    Buffer<Real> buffer(MemorySpace::host, values.size());
    std::transform(values.begin(), values.end(), buffer.data(),
                   [](double value) { return static_cast<Real>(value); });
    return buffer;
  }

  std::int64_t cells_ = 0;
  Buffer<Real> forward_;
  Buffer<Real> back_;
};

/// Takes rows of cells to rows of a spectrum, whose modes stand where place_of_mode says, and back.
template <class Real>
class BasisAlongK {
 public:
  BasisAlongK(const std::optional<EigenBasis>& basis, std::int64_t row_pitch) : pitch_(row_pitch) {
    if (basis) {
      cells_ = static_cast<std::int64_t>(basis->decay.size());
      forward_ = zeros(cells_);
      back_ = zeros(places());
      fill(*basis);
    }
  }

  [[nodiscard]] bool exists() const { return cells_ > 0; }

  void forward(std::int64_t rows, const MatrixRows<const Real>& cells,
               const MatrixRows<Real>& modes) const {
    multiply({rows, cells_, places()}, cells, {forward_.data(), pitch_}, modes);
  }

  void back(std::int64_t rows, const MatrixRows<const Real>& modes,
            const MatrixRows<Real>& cells) const {
    multiply({rows, places(), cells_}, modes, {back_.data(), pitch_}, cells);
  }

 private:
  /// One or two have no mode: nothing goes there, and nothing comes from there.
  [[nodiscard]] std::int64_t places() const { return 2 * half_spectrum(cells_); }

  [[nodiscard]] Buffer<Real> zeros(std::int64_t rows) const {
    Buffer<Real> buffer(MemorySpace::host, static_cast<std::size_t>(rows * pitch_));
    std::fill_n(buffer.data(), rows * pitch_, Real{0});
    return buffer;
  }

  void fill(const EigenBasis& basis) const {
    for (std::int64_t mode = 0; mode < cells_; ++mode) {
      const std::int64_t place = place_of_mode(mode, cells_);
      for (std::int64_t cell = 0; cell < cells_; ++cell) {
        forward_.data()[cell * pitch_ + place] =
            static_cast<Real>(basis.forward[static_cast<std::size_t>(mode * cells_ + cell)]);
        back_.data()[place * pitch_ + cell] =
            static_cast<Real>(basis.back[static_cast<std::size_t>(cell * cells_ + mode)]);
      }
    }
  }

  std::int64_t cells_ = 0;
  std::int64_t pitch_ = 0;
  Buffer<Real> forward_;
  Buffer<Real> back_;
};

}  // namespace bankfull::poisson
