#include "bankfull/workloads/npb/mg/passes.hpp"
#include "tests/workloads/npb/mg_shapes.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <ostream>
#include <random>
#include <string>
#include <vector>

// MG's stencils in strips against the same row by row.
namespace bankfull::npb::mg {
namespace {

constexpr Weights smoother{-0.375, 0.03125, -0.015625, 0.0};

/// Random planes, each with rows from -1 to one beyond the last, without ghosts of columns.
class Planes3 {
 public:
  Planes3(std::int64_t rows, std::int64_t columns, std::mt19937& random)
      : rows_(rows), columns_(columns), values_(3 * (rows + 2) * columns) {
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    std::generate_n(values_.data(), size(), [&] { return number(random); });
  }

  [[nodiscard]] PlaneRows<double> plane(std::int64_t i3) const {
    return {values_.data(), (i3 * (rows_ + 2) + 1) * columns_, columns_};
  }

  [[nodiscard]] std::vector<double> all() const {
    return {values_.data(), values_.data() + size()};
  }

 private:
  [[nodiscard]] std::int64_t size() const { return 3 * (rows_ + 2) * columns_; }

  std::int64_t rows_;
  std::int64_t columns_;
  LineAligned<double> values_;
};

struct PlaneShape {
  std::int64_t rows;
  std::int64_t columns;

  friend std::ostream& operator<<(std::ostream& out, const PlaneShape& shape) {
    return out << shape.rows << 'x' << shape.columns;
  }
};

class MgStrips : public testing::TestWithParam<PlaneShape> {
 protected:
  /// What all planes of results hold after `form` in the middle one.
  template <class Form>
  std::vector<double> results_of(const Form& form) {
    std::mt19937 random(1);
    const auto [rows, columns] = GetParam();
    const Planes3 field(rows, columns, random);
    const Planes3 added(rows, columns, random);
    const Planes3 result(rows, columns, random);
    form(StencilPlane<double>{.below = field.plane(0),
                              .centre = field.plane(1),
                              .above = field.plane(2),
                              .added = added.plane(1),
                              .result = result.plane(1),
                              .rows = {0, rows}},
         LinesAhead<double>(added.plane(2), {-1, rows + 1}, columns));
    stream_store_fence();
    return result.all();
  }

  template <class Stencil>
  void expect_bits_of_rows(const Stencil& stencil) {
    const std::int64_t n = GetParam().columns;
    Workspace work({1, max_block_rows, n});
    using Plane = StencilPlane<double>;
    using Ahead = LinesAhead<double>;
    const auto rows = results_of([&](const Plane& plane, const Ahead&) {
      march_rows(stencil, plane, {{n, 0}, {n, 0}}, Results::stored, work);
    });
    EXPECT_EQ(rows, results_of([&](const Plane& plane, const Ahead& ahead) {
                march_strips<Results::stored>(stencil, plane, n, work.edges(), ahead);
              }));
    EXPECT_EQ(rows, results_of([&](const Plane& plane, const Ahead&) {
                march_strips<Results::streamed>(stencil, plane, n, work.edges());
              }));
  }
};

TEST_P(MgStrips, OfTheResidualHaveTheBitsOfRows) {
  expect_bits_of_rows(Residual(operator_weights));
}

TEST_P(MgStrips, OfTheSmootherHaveTheBitsOfRows) { expect_bits_of_rows(Smoothed(smoother)); }

INSTANTIATE_TEST_SUITE_P(Shapes, MgStrips,
                         testing::Values(PlaneShape{1, 32}, PlaneShape{2, 32}, PlaneShape{5, 64},
                                         PlaneShape{3, 96}, PlaneShape{7, 160},
                                         PlaneShape{max_stencil_rows, 32}, PlaneShape{4, 512}),
                         testing::PrintToStringParamName());

/// Grids with random values. Where columns are cut they have ghosts, filled as if the rank were
/// its own neighbour, and go row by row.
class Level {
 public:
  Level(const Extents& n, bool cut) : n_(n), cuts_{1, 1, cut ? 2 : 1} {}

  [[nodiscard]] Grid random(const Extents& n, unsigned seed) const {
    Grid grid(n, cuts_, Team(1));
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (std::int64_t i3 = 0; i3 < n.ni; ++i3) {
      for (std::int64_t i2 = 0; i2 < n.nj; ++i2) {
        double* const row = grid.row(i3, i2);
        std::generate_n(row, n.nk, [&] { return number(random); });
        if (cuts_.k > 1) {
          std::copy_n(row + n.nk - Grid::ghosts, Grid::ghosts, row - Grid::ghosts);
          std::copy_n(row, Grid::ghosts, row + n.nk);
        }
      }
    }
    return grid;
  }

  /// Of a pass up and the next one down.
  [[nodiscard]] std::vector<double> results(bool has_u) const {
    const Operators operators{operator_weights, smoother};
    const Extents halves{n_.ni / 2, n_.nj / 2, n_.nk / 2};
    const Grid coarse = random(halves, 1);
    const Grid u = random(n_, 2);
    const Grid v = random(n_, 3);
    const Grid next = random(n_, 4);
    const Grid residual = random(halves, 5);
    std::vector<double> squares(static_cast<std::size_t>(n_.ni * n_.nj));
    Workspace work(n_);
    UpwardPass<double>(operators, coarse, has_u ? &u : nullptr, v, next, work).run();
    DownwardPass<double>(operators, &u, v, residual, squares.data(), work).run();
    for (const Grid* grid : {&next, &residual}) {
      for (std::int64_t i3 = 0; i3 < grid->planes(); ++i3) {
        for (std::int64_t i2 = 0; i2 < grid->rows(); ++i2) {
          const double* const row = grid->row(i3, i2);
          squares.insert(squares.end(), row, row + grid->columns());
        }
      }
    }
    return squares;
  }

 private:
  Extents n_;
  RankGrid cuts_;
};

class MgPasses : public testing::TestWithParam<Extents> {};

TEST_P(MgPasses, HaveTheSameBitsWhereColumnsAreCut) {
  for (const bool has_u : {true, false}) {
    EXPECT_EQ(Level(GetParam(), false).results(has_u), Level(GetParam(), true).results(has_u));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, MgPasses,
                         testing::Values(Extents{4, 4, 32}, Extents{16, 4, 64}, Extents{4, 64, 32},
                                         Extents{8, 32, 16}, Extents{4, 8, 256}),
                         shape_name);

}  // namespace
}  // namespace bankfull::npb::mg
