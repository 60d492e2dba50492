#include "bankfull/workloads/npb/mg/passes.hpp"
#include "bankfull/workloads/npb/mg/traffic.hpp"
#include "tests/counting.hpp"
#include "tests/workloads/npb/mg_shapes.hpp"

#include <gtest/gtest.h>
#include <string>

namespace bankfull::counting {

/// In packs of as many lanes as those of doubles, so that wide grids go in strips.
using PackedValue = Counted<double, Pack<double>::width>;

// Found by the type of the values.
#pragma omp declare reduction(+ : PackedValue : omp_out += omp_in)

}  // namespace bankfull::counting

// The model of MG's passes against what those of the CPU read, write and compute.
namespace bankfull::npb::mg {
namespace {

using Value = counting::PackedValue;

constexpr Operators operators{operator_weights, {-0.375, 0.03125, -0.015625, 0.0}};

/// A grid and the next coarser one, with passes over them that count. One thread, one block of
/// rows.
class CountedGrids {
 public:
  explicit CountedGrids(const Extents& n)
      : n_(n),
        team_(1),
        work_(n),
        u_(n, {}, team_),
        v_(n, {}, team_),
        next_(n, {}, team_),
        coarse_({n.ni / 2, n.nj / 2, n.nk / 2}, {}, team_) {}

  Traffic downward(Start start) {
    return counting::traffic_of([&] {
      DownwardPass<Value>(operators, start == Start::zero ? nullptr : &u_, v_, coarse_, nullptr,
                          work_)
          .run();
    });
  }

  Traffic upward(Start start) {
    return counting::traffic_of([&] {
      UpwardPass<Value>(operators, coarse_, start == Start::zero ? nullptr : &u_, v_, next_, work_)
          .run();
    });
  }

  Traffic coarsest() {
    return counting::traffic_of([&] { smooth_coarsest(operators.smoother, v_, next_, work_); });
  }

  Traffic residual_norm() {
    return counting::traffic_of([&] {
      work_.residuals.begin_at(0);
      Value sum = 0;
      for (std::int64_t i3 = 0; i3 < n_.ni; ++i3) {
        form_residual_rows(operators.difference, u_, v_, i3, {0, n_.nj}, 0, work_);
        for (std::int64_t i2 = 0; i2 < n_.nj; ++i2) {
          sum += sum_of_squares(work_.residuals.row(i3, i2), n_.nk);
        }
      }
    });
  }

  /// Points of the rows that a pass forms beyond the block, so many before it and behind it.
  [[nodiscard]] double points_beyond(std::int64_t before, std::int64_t behind) const {
    const std::int64_t both = before + behind;
    return static_cast<double>(((n_.ni + both) * (n_.nj + both) - n_.ni * n_.nj) * n_.nk);
  }

  /// What a stencil forms of one result per row and plane or less: in each plane two pairs of rows
  /// before the first, and in strips the parts of a row's first and last pack, which are formed
  /// twice. Of so many planes and rows more than the block has.
  [[nodiscard]] double around_stencil(int flops, std::int64_t beyond) const {
    const std::int64_t twice = go_in_strips<Value>(n_.nk) ? 2 * Pack<Value>::width : 0;
    const std::int64_t planes = n_.ni + beyond;
    return static_cast<double>(RowFlops::pair * 2 * planes * (n_.nk + twice) +
                               (flops - RowFlops::columns_beside) * planes * (n_.nj + beyond) *
                                   twice);
  }
  [[nodiscard]] double around_residual(std::int64_t beyond) const {
    return around_stencil(RowFlops::residual, beyond);
  }
  [[nodiscard]] double around_smoothed() const { return around_stencil(RowFlops::smoothed, 0); }

  [[nodiscard]] std::int64_t points() const { return n_.count(); }

 private:
  Extents n_;
  Team team_;
  WorkspaceOf<Value> work_;
  GridOf<Value> u_;
  GridOf<Value> v_;
  GridOf<Value> next_;
  GridOf<Value> coarse_;
};

class MgTraffic : public testing::TestWithParam<Extents> {};

TEST_P(MgTraffic, DownwardPassIsAsCounted) {
  CountedGrids grids(GetParam());
  // The residual is formed in a plane and a row behind the block too.
  Traffic declared = downward_traffic(grids.points(), Start::u);
  declared.flops += RowFlops::residual * grids.points_beyond(0, 1) + grids.around_residual(1);
  counting::expect_equal(declared, grids.downward(Start::u));
  counting::expect_equal(downward_traffic(grids.points(), Start::zero),
                         grids.downward(Start::zero));
}

TEST_P(MgTraffic, UpwardPassIsAsCounted) {
  CountedGrids grids(GetParam());
  // Around the block the iterate is formed in two planes and rows, the residual in one.
  const double residual = RowFlops::residual * grids.points_beyond(1, 1) + grids.around_residual(2);
  const double smoothed = grids.around_smoothed();
  for (const Start start : {Start::u, Start::zero}) {
    const double iterate =
        RowFlops::interpolated + (start == Start::u ? RowFlops::added_to_interpolated : 0);
    Traffic declared = upward_traffic(grids.points(), start);
    declared.flops += residual + smoothed + iterate * grids.points_beyond(2, 2);
    counting::expect_equal(declared, grids.upward(start));
  }
}

TEST_P(MgTraffic, NormOfTheResidualIsAsCounted) {
  CountedGrids grids(GetParam());
  Traffic declared = residual_norm_traffic(grids.points());
  // The sum of a row begins at 0, and is added to others.
  declared.flops += 2.0 * static_cast<double>(GetParam().ni * GetParam().nj);
  declared.flops += grids.around_residual(0);
  counting::expect_equal(declared, grids.residual_norm());
}

// The turn does what both passes do, and reads neither u nor v again.
TEST_P(MgTraffic, TurnIsBothPassesButForOneReadingOfTheGrids) {
  CountedGrids grids(GetParam());
  const Traffic one = turn_traffic(grids.points());
  const Traffic two =
      upward_traffic(grids.points(), Start::u) + downward_traffic(grids.points(), Start::u);
  EXPECT_EQ(two.bytes_read - one.bytes_read,
            2.0 * sizeof(double) * static_cast<double>(grids.points()));
  EXPECT_EQ(one.bytes_written, two.bytes_written);
  EXPECT_EQ(one.flops, two.flops);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MgTraffic,
                         testing::Values(Extents{8, 8, 8}, Extents{4, 16, 8}, Extents{16, 4, 32},
                                         Extents{4, 4, 4}, Extents{4, 8, 64}),
                         shape_name);

TEST(MgCoarsestTraffic, IsAsCounted) {
  CountedGrids grids({2, 2, 2});
  Traffic declared = coarsest_traffic(grids.points());
  declared.flops += grids.around_smoothed();
  counting::expect_equal(declared, grids.coarsest());
}

}  // namespace
}  // namespace bankfull::npb::mg
