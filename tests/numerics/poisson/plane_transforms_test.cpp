#include "bankfull/numerics/poisson/direct/cpu/plane_transforms.hpp"

#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/random/counter.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

namespace bankfull::poisson {
namespace {

using Shape = std::tuple<std::int64_t, std::int64_t, bool, bool>;  // nj, nk, walls along j, k

Axis axis_of(std::int64_t cells, bool walls) {
  return {std::vector<double>(static_cast<std::size_t>(cells), 1.0), !walls};
}

/// Transforms of planes of one shape, with the plane and the memory to work in.
template <class Real>
class Planes {
 public:
  explicit Planes(const Shape& shape)
      : nj_(std::get<0>(shape)),
        nk_(std::get<1>(shape)),
        folded_j_(std::get<2>(shape) ? nj_ : 0),
        folded_k_(std::get<3>(shape) ? nk_ : 0),
        layout_({1, nj_, nk_}, sizeof(Real)),
        transforms_(axis_of(nj_, std::get<2>(shape)), axis_of(nk_, std::get<3>(shape)),
                    layout_.row_pitch),
        plane_(zeros(layout_.size)),
        work_(zeros(PlaneTransforms<Real>::work_reals(nj_, nk_))) {
    for (std::int64_t j = 0; j < nj_; ++j) {
      for (std::int64_t k = 0; k < nk_; ++k) {
        values_.push_back(
            static_cast<Real>(random_symmetric(3, static_cast<std::uint64_t>(j * nk_ + k))));
        cell(j, k) = values_.back();
      }
    }
  }

  void forward() {
    transforms_.rows_forward(plane_.data(), plane_.data(), work_.data());
    transforms_.columns_forward(plane_.data(), plane_.data(), work_.data());
  }
  void back() {
    transforms_.columns_back(plane_.data(), plane_.data(), work_.data());
    transforms_.rows_back(plane_.data(), plane_.data(), work_.data());
  }

  [[nodiscard]] Real& cell(std::int64_t j, std::int64_t k) {
    return plane_.data()[j * layout_.row_pitch + k];
  }
  [[nodiscard]] double value(std::int64_t j, std::int64_t k) const {
    return static_cast<double>(values_[static_cast<std::size_t>(j * nk_ + k)]);
  }
  [[nodiscard]] std::complex<double> element(std::int64_t j, std::int64_t k) {
    return {static_cast<double>(cell(j, 2 * k)), static_cast<double>(cell(j, 2 * k + 1))};
  }
  [[nodiscard]] bool is_clear_behind_rows() {
    for (std::int64_t j = 0; j < nj_; ++j) {
      if (std::any_of(&cell(j, 2 * half_spectrum(nk_)), &cell(j, 0) + layout_.row_pitch,
                      [](Real x) { return x != Real{0}; })) {
        return false;
      }
    }
    return true;
  }

  /// Of the folded values, by the definition.
  [[nodiscard]] std::complex<double> transformed(std::int64_t at_j, std::int64_t at_k) const {
    std::complex<double> sum = 0.0;
    for (std::int64_t j = 0; j < nj_; ++j) {
      for (std::int64_t k = 0; k < nk_; ++k) {
        const double turns = turns_of(at_j * slot_of(j, folded_j_), nj_) +
                             turns_of(at_k * slot_of(k, folded_k_), nk_);
        sum += value(j, k) * std::polar(1.0, -2.0 * std::numbers::pi * turns);
      }
    }
    return sum;
  }

  [[nodiscard]] std::int64_t nj() const { return nj_; }
  [[nodiscard]] std::int64_t nk() const { return nk_; }

 private:
  static double turns_of(std::int64_t n, std::int64_t cells) {
    return static_cast<double>(n % cells) / static_cast<double>(cells);
  }
  static Buffer<Real> zeros(std::int64_t count) {
    Buffer<Real> buffer(MemorySpace::host, static_cast<std::size_t>(count));
    std::fill_n(buffer.data(), count, Real{0});
    return buffer;
  }

  std::int64_t nj_;
  std::int64_t nk_;
  std::int64_t folded_j_;
  std::int64_t folded_k_;
  SpectrumLayout layout_;
  PlaneTransforms<Real> transforms_;
  Buffer<Real> plane_;
  Buffer<Real> work_;
  std::vector<Real> values_;
};

class PlaneTransformsOf : public ::testing::TestWithParam<Shape> {
 protected:
  template <class Real>
  void expect_transform(double rounding) {
    Planes<Real> planes(GetParam());
    planes.forward();
    const double bound = rounding * static_cast<double>(planes.nj() * planes.nk());
    for (std::int64_t j = 0; j < planes.nj(); ++j) {
      for (std::int64_t k = 0; k < half_spectrum(planes.nk()); ++k) {
        ASSERT_LT(std::abs(planes.element(j, k) - planes.transformed(j, k)), bound)
            << "j " << j << " k " << k;
      }
    }
    EXPECT_TRUE(planes.is_clear_behind_rows());
  }

  template <class Real>
  void expect_back(double rounding) {
    Planes<Real> planes(GetParam());
    planes.forward();
    planes.back();
    const auto length = static_cast<double>(planes.nj() * planes.nk());
    for (std::int64_t j = 0; j < planes.nj(); ++j) {
      for (std::int64_t k = 0; k < planes.nk(); ++k) {
        ASSERT_NEAR(static_cast<double>(planes.cell(j, k)) / length, planes.value(j, k), rounding)
            << "j " << j << " k " << k;
      }
    }
  }
};

TEST_P(PlaneTransformsOf, AreThoseOfTheFoldedPlane) {
  expect_transform<double>(1e-15);
  expect_transform<float>(3e-7);
}

TEST_P(PlaneTransformsOf, TakeEachOtherBack) {
  expect_back<double>(1e-14);
  expect_back<float>(3e-6);
}

std::string name_of(const ::testing::TestParamInfo<Shape>& shape) {
  const auto [nj, nk, walls_j, walls_k] = shape.param;
  return std::to_string(nj) + "x" + std::to_string(nk) + (walls_j ? "_walls_j" : "") +
         (walls_k ? "_walls_k" : "");
}

INSTANTIATE_TEST_SUITE_P(Shapes, PlaneTransformsOf,
                         ::testing::Values(Shape{1, 1, false, false}, Shape{1, 16, false, true},
                                           Shape{2, 1, true, false}, Shape{3, 2, false, false},
                                           Shape{4, 5, true, true}, Shape{7, 6, false, true},
                                           Shape{16, 16, false, false}, Shape{17, 22, true, false},
                                           Shape{33, 15, false, true}, Shape{13, 36, true, true},
                                           Shape{20, 64, false, false}, Shape{32, 4, false, true},
                                           Shape{64, 8, true, false}, Shape{96, 3, true, true},
                                           Shape{10, 12, true, false}),
                         name_of);

}  // namespace
}  // namespace bankfull::poisson
