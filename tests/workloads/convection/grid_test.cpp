#include "bankfull/workloads/convection/grid.hpp"

#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/convection/boundary.hpp"
#include "tests/workloads/convection/cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull::convection {
namespace {

std::array<AxisCells, 3> box(std::array<std::int64_t, 3> cells) {
  std::array<AxisCells, 3> axes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    axes[axis] = {.lower = 0.0, .upper = 1.0 + static_cast<double>(axis), .cells = cells[axis]};
  }
  return axes;
}

TEST(Grid, PlanesAlongZUnlessAnotherAxisIsStretched) {
  EXPECT_EQ(Grid(box({8, 8, 8})).physical(0), 2);
  for (const int stretched : {0, 1, 2}) {
    std::array<AxisCells, 3> axes = box({8, 8, 8});
    axes[static_cast<std::size_t>(stretched)].stretching = 1.0;
    EXPECT_EQ(Grid(axes).physical(0), stretched);
  }
  EXPECT_EQ(Grid(box({8, 8, 1})).physical(0), 1) << "one plane cannot be shared";
}

TEST(Grid, LongestOfTheOtherAxesIsContiguous) {
  EXPECT_EQ(Grid(box({8, 9, 5})).physical(2), 1);
  EXPECT_EQ(Grid(box({9, 8, 5})).physical(2), 0);
  for (const auto& shape : shapes()) {
    const Grid grid(box(shape));
    EXPECT_GE(grid.extents().nk, grid.extents().nj);
    EXPECT_EQ(grid.extents().count(), shape[0] * shape[1] * shape[2]);
    for (const int axis : storage_axes) {
      EXPECT_EQ(grid.storage(grid.physical(axis)), axis);
    }
  }
}

TEST(Grid, HandednessIsTheSignOfTheOrder) {
  for (const auto& shape : shapes()) {
    const Grid grid(box(shape));
    const std::array<int, 3> p{grid.physical(0), grid.physical(1), grid.physical(2)};
    const int sign = (p[1] - p[0]) * (p[2] - p[0]) * (p[2] - p[1]) > 0 ? 1 : -1;
    EXPECT_EQ(grid.handedness(), sign);
  }
}

TEST(Grid, PlanesAlongTheAxisThatIsStretchedTheMost) {
  std::array<AxisCells, 3> axes = box({8, 8, 8});
  axes[0].stretching = 1.5;
  axes[1].stretching = 2.0;
  axes[2].stretching = 1.0;
  EXPECT_EQ(Grid(axes).physical(0), 1);
  // Four cells are alike but for the outer ones: by widths, not by the number that bends them.
  axes[1].cells = 4;
  axes[1].stretching = 1.6;
  EXPECT_EQ(Grid(axes).physical(0), 0);
}

/// Boxes of other lengths and places are not told apart by rounding.
TEST(Grid, PlanesAlongTheLongerOfAxesThatAreStretchedAlike) {
  for (const double lower : {0.0, 0.1, -0.7}) {
    std::array<AxisCells, 3> axes = box({24, 24, 1});
    axes[0].lower = lower;
    axes[0].stretching = axes[1].stretching = 1.5;
    EXPECT_EQ(Grid(axes).physical(0), 1);
    axes[0].cells = 25;
    EXPECT_EQ(Grid(axes).physical(0), 0);
  }
}

TEST(Grid, StretchesEveryAxisAsItIsTold) {
  std::array<AxisCells, 3> axes = box({7, 9, 8});
  for (AxisCells& axis : axes) {
    axis.stretching = 1.0 + 0.1 * static_cast<double>(axis.cells);
  }
  const Grid grid(axes);
  double volume = 0.0;
  const Extents n = grid.extents();
  for (const int axis : storage_axes) {
    const std::vector<double> faces = axes[static_cast<std::size_t>(grid.physical(axis))].faces();
    EXPECT_EQ(grid.axis(axis).faces, faces);
    for (std::int64_t cell = 0; cell < grid.axis(axis).count(); ++cell) {
      const auto at = static_cast<std::size_t>(cell);
      EXPECT_EQ(grid.axis(axis).width(cell), faces[at + 1] - faces[at]);
    }
  }
  for_cells(box_of(n), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    volume += grid.axis(0).width(i) * grid.axis(1).width(j) * grid.axis(2).width(k);
  });
  EXPECT_NEAR(volume, grid.volume(), 1e-14 * grid.volume());
}

TEST(Grid, PlacesVelocityOnFacesAndScalarsAtCentres) {
  const Grid grid(box({4, 5, 10}));  // lengths 1, 2, 3
  const auto at = [&](int field, std::array<std::int64_t, 3> xyz) {
    std::array<std::int64_t, 3> index{};
    for (const int axis : storage_axes) {
      index[static_cast<std::size_t>(axis)] = xyz[static_cast<std::size_t>(grid.physical(axis))];
    }
    return grid.place(field, index[0], index[1], index[2]);
  };
  const Vector centre = at(3, {1, 2, 9});
  EXPECT_DOUBLE_EQ(centre[0], 0.375);
  EXPECT_DOUBLE_EQ(centre[1], 1.0);
  EXPECT_DOUBLE_EQ(centre[2], 2.85);
  const Vector face = at(grid.storage(2), {1, 2, 9});
  EXPECT_DOUBLE_EQ(face[0], 0.375);
  EXPECT_DOUBLE_EQ(face[2], 2.7);
}

TEST(AxisCells, StretchedFacesAreSymmetricDenseAtTheEndsAndMonotonic) {
  const AxisCells axis{.lower = -1.0, .upper = 3.0, .cells = 9, .stretching = 1.8};
  const std::vector<double> faces = axis.faces();
  ASSERT_EQ(faces.size(), 10u);
  EXPECT_EQ(faces.front(), -1.0);
  EXPECT_EQ(faces.back(), 3.0);
  for (std::size_t n = 0; n + 1 < faces.size(); ++n) {
    EXPECT_LT(faces[n], faces[n + 1]);
    EXPECT_NEAR(faces[n] + faces[9 - n], 2.0, 1e-14);
  }
  EXPECT_LT(2.0 * (faces[1] - faces[0]), faces[5] - faces[4]);
  const double s = 2.0 * 3.0 / 9.0 - 1.0;
  EXPECT_NEAR(faces[3], 1.0 + 2.0 * std::tanh(1.8 * s) / std::tanh(1.8), 1e-14);
}

TEST(GridAxis, CentresBeyondTheEndsAreImages) {
  std::array<AxisCells, 3> axes = box({4, 4, 6});
  axes[2].stretching = 1.3;
  const Grid grid(axes);
  const GridAxis& axis = grid.axis(0);
  EXPECT_NEAR(0.5 * (axis.centre(-1) + axis.centre(0)), axis.faces.front(), 1e-14);
  EXPECT_NEAR(0.5 * (axis.centre(6) + axis.centre(5)), axis.faces.back(), 1e-14);
}

/// A field's values by index, ghosts by the rule.
class Continued {
 public:
  Continued(const Problem& problem, std::size_t field)
      : grid_(problem.axes), rules_(continuations_of(problem, grid_)[field]) {
    const Extents n = grid_.extents();
    cells_[0] = n.ni;
    cells_[1] = n.nj;
    cells_[2] = n.nk;
    for (std::int64_t element = 0; element < n.count(); ++element) {
      values_.push_back(0.1 * static_cast<double>((element * 37) % 101));
    }
  }

  [[nodiscard]] const Grid& grid() const { return grid_; }
  [[nodiscard]] double operator()(const std::int64_t (&index)[3]) const {
    const CentreLines centres{grid_.axis(0).centres.data(), grid_.axis(1).centres.data(),
                              grid_.axis(2).centres.data()};
    const auto inner = [this](std::int64_t i, std::int64_t j, std::int64_t k) {
      return values_[static_cast<std::size_t>((i * cells_[1] + j) * cells_[2] + k)];
    };
    return continued(rules_, centres, cells_, index, inner);
  }

  /// Beyond the lower or upper end of a physical axis, and the value beside it.
  [[nodiscard]] std::array<double, 2> across(std::size_t physical, bool upper) const {
    const auto axis = static_cast<std::size_t>(grid_.storage(static_cast<int>(physical)));
    std::int64_t index[3] = {1, 1, 1};
    index[axis] = upper ? cells_[axis] : -1;
    const double ghost = (*this)(index);
    index[axis] += upper ? -1 : 1;
    return {ghost, (*this)(index)};
  }

 private:
  Grid grid_;
  Continuations rules_;
  std::int64_t cells_[3] = {};
  std::vector<double> values_;
};

Problem walled_problem() {
  return busy_problem({4, 5, 6}, {FlowEnds::no_slip, FlowEnds::no_slip, FlowEnds::no_slip}, 1, 0);
}

TEST(Continuation, MeetsWhatAWallOfAScalarSays) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const bool upper : {false, true}) {
      Problem problem = walled_problem();
      Scalar& scalar = problem.scalars.front();
      WallScalar& wall = scalar.walls[axis][upper ? 1 : 0];

      wall = WallScalar::fixed(0.5);
      auto [ghost, inner] = Continued(problem, 3).across(axis, upper);
      EXPECT_NEAR(0.5 * (ghost + inner), 0.5, 1e-14);

      wall = WallScalar::insulating();
      std::array<double, 2> pair = Continued(problem, 3).across(axis, upper);
      EXPECT_EQ(pair[0], pair[1]);

      wall = WallScalar::heated(0.07);
      pair = Continued(problem, 3).across(axis, upper);
      const double width = box_length[axis] / static_cast<double>(problem.axes[axis].cells);
      EXPECT_NEAR(scalar.diffusivity * (pair[0] - pair[1]) / width, 0.07, 1e-14);

      wall = WallScalar::fixed(-0.2, {0.3, -0.4, 0.6});
      const Continued field(problem, 3);
      pair = field.across(axis, upper);
      Vector place = field.grid().place(3, 1, 1, 1);
      place[axis] = box_lower[axis] + (upper ? box_length[axis] : 0.0);
      EXPECT_NEAR(0.5 * (pair[0] + pair[1]),
                  -0.2 + 0.3 * place[0] - 0.4 * place[1] + 0.6 * place[2], 1e-14);

      wall = WallScalar::mixed(0.3, 0.9);
      pair = Continued(problem, 3).across(axis, upper);
      EXPECT_NEAR(scalar.diffusivity * (pair[0] - pair[1]) / width,
                  0.3 * (0.9 - 0.5 * (pair[0] + pair[1])), 1e-14);
    }
  }
}

TEST(Continuation, MeetsWhatAWallOfTheFlowSays) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Problem problem = walled_problem();
    set_flow_ends(problem, axis, FlowEnds::mixed_moving);
    const Grid grid(problem.axes);
    for (std::size_t component = 0; component < 3; ++component) {
      const Continued field(problem,
                            static_cast<std::size_t>(grid.storage(static_cast<int>(component))));
      const std::array<double, 2> moving = field.across(axis, true);
      const std::array<double, 2> slipping = field.across(axis, false);
      if (component == axis) {
        EXPECT_EQ(moving[0], 0.0) << "the face on the upper wall";
        continue;
      }
      EXPECT_EQ(slipping[0], slipping[1]);
      const WallMotion& wall = problem.walls[axis][1];
      const double width = box_length[axis] / static_cast<double>(problem.axes[axis].cells);
      const double outward = (moving[0] - moving[1]) / width;
      EXPECT_NEAR(0.5 * (moving[0] + moving[1]) + wall.slip_length * outward,
                  wall.velocity[component], 1e-14);
    }
  }
}

TEST(Continuation, WrapsAroundPeriodicEnds) {
  const Problem problem =
      busy_problem({4, 5, 6}, {FlowEnds::periodic, FlowEnds::periodic, FlowEnds::periodic}, 1, 0);
  for (std::size_t number = 0; number < 4; ++number) {
    const Continued field(problem, number);
    const Extents n = field.grid().extents();
    EXPECT_EQ(field({-1, 2, 1}), field({n.ni - 1, 2, 1}));
    EXPECT_EQ(field({1, n.nj, 1}), field({1, 0, 1}));
    EXPECT_EQ(field({-1, n.nj, -1}), field({n.ni - 1, 0, n.nk - 1}));
  }
}

TEST(WallFaces, HoldTheVelocityThroughThem) {
  Problem problem = walled_problem();
  problem.axes[0].periodic = true;
  const Grid grid(problem.axes);
  const WallFaces faces = wall_faces_of(grid);
  for (const int axis : storage_axes) {
    EXPECT_EQ(faces.walled[axis], grid.physical(axis) != 0);
  }
  EXPECT_EQ(faces.holds<0>(0), faces.walled[0]);
  EXPECT_FALSE(faces.holds<0>(1));
}

}  // namespace
}  // namespace bankfull::convection
