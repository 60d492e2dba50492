#include "bankfull/numerics/poisson/direct/cpu/plane_transforms.hpp"

#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/field/for_cells.hpp"
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

/// As many planes of one shape as are transformed at once, and one more, with memory to work in.
template <class Real>
class Planes {
 public:
  explicit Planes(const Shape& shape)
      : nj_(std::get<0>(shape)),
        nk_(std::get<1>(shape)),
        folded_j_(std::get<2>(shape) ? nj_ : 0),
        folded_k_(std::get<3>(shape) ? nk_ : 0),
        layout_({1, nj_, nk_}, sizeof(Real)),
        transforms_(axis_of(nj_, std::get<2>(shape)), axis_of(nk_, std::get<3>(shape)), layout_),
        ni_(transforms_.planes_at_once() + 1),
        planes_(zeros(ni_ * layout_.size)),
        work_(zeros(PlaneTransforms<Real>::work_reals(nj_, nk_))) {
    for_cells(box_of({ni_, nj_, nk_}), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      values_.push_back(static_cast<Real>(random_symmetric(3, values_.size())));
      cell(i, j, k) = values_.back();
    });
  }

  void forward() {
    transforms_.rows_forward(planes_.data(), ni_, planes_.data(), work_.data());
    transforms_.columns_forward(planes_.data(), ni_, planes_.data(), work_.data());
  }
  /// Plane 0 alone, some rows after the others, past the caches.
  void forward_of_first_by_rows() {
    Buffer<Real> rows = zeros(layout_.plane_pitch);
    std::copy_n(planes_.data(), layout_.plane_pitch, rows.data());
    std::fill_n(planes_.data(), layout_.plane_pitch, Real{-1});
    for (std::int64_t row = 0; row < nj_; row += transforms_.rows_at_once()) {
      const RowRequests<Real> requests({rows.data(), nullptr, rows.data()}, layout_.row_pitch,
                                       nj_ - row, nk_);
      transforms_.some_rows_forward(row, rows.data(), rows.data(), work_.data(), requests);
    }
    transforms_.stream_columns_forward(rows.data(), planes_.data(), work_.data());
    stream_store_fence();
  }
  void forward_of_first() {
    transforms_.rows_forward(planes_.data(), 1, planes_.data(), work_.data());
    transforms_.columns_forward(planes_.data(), 1, planes_.data(), work_.data());
  }
  void back() {
    transforms_.columns_back(planes_.data(), ni_, planes_.data(), work_.data());
    transforms_.rows_back(planes_.data(), ni_, planes_.data(), work_.data());
  }

  [[nodiscard]] Real& cell(std::int64_t i, std::int64_t j, std::int64_t k) {
    return planes_.data()[i * layout_.plane_pitch + j * layout_.row_pitch + k];
  }
  [[nodiscard]] double value(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<double>(values_[static_cast<std::size_t>((i * nj_ + j) * nk_ + k)]);
  }
  [[nodiscard]] std::complex<double> element(std::int64_t i, std::int64_t j, std::int64_t k) {
    return {static_cast<double>(cell(i, j, 2 * k)), static_cast<double>(cell(i, j, 2 * k + 1))};
  }
  [[nodiscard]] bool is_clear_behind_rows() {
    for (std::int64_t row = 0; row < ni_ * nj_; ++row) {
      Real* const first = &cell(row / nj_, row % nj_, 0);
      if (std::any_of(first + 2 * half_spectrum(nk_), first + layout_.row_pitch,
                      [](Real x) { return x != Real{0}; })) {
        return false;
      }
    }
    return true;
  }

  /// Of the folded values of plane i, by the definition.
  [[nodiscard]] std::complex<double> transformed(std::int64_t i, std::int64_t at_j,
                                                 std::int64_t at_k) const {
    std::complex<double> sum = 0.0;
    for (std::int64_t j = 0; j < nj_; ++j) {
      for (std::int64_t k = 0; k < nk_; ++k) {
        const double turns = turns_of(at_j * slot_of(j, folded_j_), nj_) +
                             turns_of(at_k * slot_of(k, folded_k_), nk_);
        sum += value(i, j, k) * std::polar(1.0, -2.0 * std::numbers::pi * turns);
      }
    }
    return sum;
  }

  [[nodiscard]] std::int64_t ni() const { return ni_; }
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
  std::int64_t ni_;
  Buffer<Real> planes_;
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
    const Extents elements{planes.ni(), planes.nj(), half_spectrum(planes.nk())};
    for_cells(box_of(elements), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      ASSERT_LT(std::abs(planes.element(i, j, k) - planes.transformed(i, j, k)), bound)
          << "i " << i << " j " << j << " k " << k;
    });
    EXPECT_TRUE(planes.is_clear_behind_rows());
  }

  template <class Real>
  void expect_back(double rounding) {
    Planes<Real> planes(GetParam());
    planes.forward();
    planes.back();
    const auto length = static_cast<double>(planes.nj() * planes.nk());
    const Extents cells{planes.ni(), planes.nj(), planes.nk()};
    for_cells(box_of(cells), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      ASSERT_NEAR(static_cast<double>(planes.cell(i, j, k)) / length, planes.value(i, j, k),
                  rounding)
          << "i " << i << " j " << j << " k " << k;
    });
  }

  template <class Real>
  void expect_by_rows() {
    Planes<Real> planes(GetParam());
    Planes<Real> by_rows(GetParam());
    planes.forward_of_first();
    by_rows.forward_of_first_by_rows();
    for_cells(box_of({1, planes.nj(), 2 * half_spectrum(planes.nk())}),
              [&](std::int64_t i, std::int64_t j, std::int64_t k) {
                ASSERT_EQ(by_rows.cell(i, j, k), planes.cell(i, j, k)) << "j " << j << " k " << k;
              });
    EXPECT_TRUE(by_rows.is_clear_behind_rows());
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

TEST_P(PlaneTransformsOf, SomeRowsAtATimeAreThoseOfThePlane) {
  expect_by_rows<double>();
  expect_by_rows<float>();
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
                                           Shape{10, 12, true, false}, Shape{3, 40, true, false},
                                           // whose first step reads tiles of rows
                                           Shape{18, 32, false, false}, Shape{5, 256, false, false},
                                           Shape{33, 128, true, false},
                                           // whose planes have room between them
                                           Shape{1, 510, false, true}, Shape{2, 254, true, true}),
                         name_of);

}  // namespace
}  // namespace bankfull::poisson
