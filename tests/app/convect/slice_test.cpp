#include "bankfull/app/convect/slice.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bankfull::convect {
namespace {

using convection::FlowState;
using convection::Grid;
using convection::KeptFlow;
using convection::PointFunction;
using convection::Problem;

Problem box(std::array<std::int64_t, 3> cells) {
  Problem problem;
  problem.axes = {{{.upper = 3.0, .cells = cells[0], .periodic = true},
                   {.upper = 1.0, .cells = cells[1]},
                   {.upper = 2.0, .cells = cells[2]}}};
  problem.scalars.resize(1);
  return problem;
}

/// Fields that are functions of the place.
FlowState state_of(const Grid& grid, const std::array<PointFunction, 3>& velocity,
                   const PointFunction& scalar) {
  const Extents n = grid.extents();
  FlowState state;
  for (int field = 0; field < 4; ++field) {
    const PointFunction& function =
        field < 3 ? velocity[static_cast<std::size_t>(grid.physical(field))] : scalar;
    std::vector<double>& values = state.fields.emplace_back();
    for (std::int64_t cell = 0; cell < n.count(); ++cell) {
      const auto place = grid.place(field, cell / (n.nj * n.nk), cell / n.nk % n.nj, cell % n.nk);
      values.push_back(function(place[0], place[1], place[2]));
    }
  }
  return state;
}

double zero(double /*x*/, double /*y*/, double /*z*/) { return 0.0; }

/// The share of the colour map that a pixel shows.
double share_of(const Picture& picture, std::uint32_t column, std::uint32_t row) {
  const Colour colour = picture.pixels[row * picture.width + column];
  int nearest = 0;
  for (int n = 0; n < 256; ++n) {
    nearest = colour_at(ColourMap::inferno, n / 255.0) == colour ? n : nearest;
  }
  return nearest / 255.0;
}

SlicePicture drawn_slice(const SliceRequest& slice, const Problem& problem, const Grid& grid,
                         const KeptFlow& flow,
                         const convection::KnownRange& beforehand = {.range = no_range}) {
  return draw_slice(slice, slice_plane(slice, problem, grid, flow), grid, beforehand);
}

TEST(Slices, HaveTheirValuesAtTheCentresOfCells) {
  Problem problem;
  problem.axes = {{{.upper = 3.0, .cells = 3, .periodic = true},
                   {.upper = 2.0, .cells = 2},
                   {.upper = 1.0, .cells = 2}}};
  problem.scalars.resize(1);
  const Grid grid(problem.axes);
  const FlowState state =
      state_of(grid, {zero, zero, [](double, double, double z) { return z; }},
               [](double x, double y, double z) { return x + 10.0 * y + 100.0 * z; });
  const KeptFlow flow(state, grid);
  const SlicePlane across_y =
      slice_plane({.field = "temperature", .normal = 1, .position = 1.25}, problem, grid, flow);
  EXPECT_EQ(across_y.right.name, "x");
  EXPECT_EQ(across_y.up.name, "z");
  EXPECT_THAT(across_y.right.centres, testing::ElementsAre(0.5, 1.5, 2.5));
  EXPECT_THAT(across_y.up.centres, testing::ElementsAre(0.25, 0.75));
  EXPECT_THAT(across_y.values, testing::ElementsAre(38.0, 39.0, 40.0, 88.0, 89.0, 90.0));
  const SlicePlane across_x =
      slice_plane({.field = "w", .normal = 0, .position = 1.5}, problem, grid, flow);
  EXPECT_EQ(across_x.right.name, "y");
  EXPECT_THAT(across_x.values, testing::ElementsAre(0.25, 0.25, 0.25, 0.25));
}

TEST(Slice, IsToScaleWithZUpwards) {
  const Problem problem = box({12, 5, 8});
  const Grid grid(problem.axes);
  const FlowState state =
      state_of(grid, {zero, zero, zero}, [](double, double, double z) { return z; });
  const SliceRequest slice{.field = "temperature",
                           .normal = 1,
                           .position = 0.5,
                           .range = ColourRange::given,
                           .given = {0.0, 2.0}};
  const SlicePicture drawn = drawn_slice(slice, problem, grid, KeptFlow(state, grid));
  EXPECT_EQ(drawn.picture.width, 960U);
  EXPECT_EQ(drawn.picture.height, 640U);
  for (const std::uint32_t row : {100U, 320U, 500U}) {
    const double z = 2.0 * (640.0 - row - 0.5) / 640.0;
    EXPECT_NEAR(share_of(drawn.picture, 17, row), z / 2.0, 0.01);
  }
}

TEST(Slice, InterpolatesAcrossThePlaneAndInIt) {
  const Problem problem = box({12, 4, 8});
  const Grid grid(problem.axes);
  const FlowState state =
      state_of(grid, {zero, zero, zero}, [](double, double y, double z) { return y + z; });
  for (const double y : {0.3, 0.5, 0.7}) {
    const SliceRequest slice{.field = "temperature",
                             .normal = 1,
                             .position = y,
                             .range = ColourRange::given,
                             .given = {0.0, 3.0}};
    const SlicePicture drawn = drawn_slice(slice, problem, grid, KeptFlow(state, grid));
    EXPECT_NEAR(share_of(drawn.picture, 5, 319), (y + 1.0) / 3.0, 0.01);
  }
}

TEST(Slice, WrapsWherePeriodic) {
  const Problem problem = box({12, 4, 8});
  const Grid grid(problem.axes);
  const auto wave = [](double x, double, double) {
    return std::cos(2.0 * 3.14159265358979 * x / 3.0);
  };
  const FlowState state = state_of(grid, {zero, zero, zero}, wave);
  const SlicePicture drawn = drawn_slice({.field = "temperature", .normal = 1, .position = 0.5},
                                         problem, grid, KeptFlow(state, grid));
  // The wave's crest lies on the seam, between two cells that are alike.
  EXPECT_EQ(drawn.picture.pixels.front(), drawn.picture.pixels[959]);
  EXPECT_NEAR(share_of(drawn.picture, 0, 10), 1.0, 0.01);
  EXPECT_NEAR(drawn.most, std::cos(3.14159265358979 / 12.0), 1e-12);
}

TEST(Slice, ShowsVelocityAtTheCentres) {
  const Problem problem = box({12, 4, 8});
  const Grid grid(problem.axes);
  // Linear, and zero on both walls where it must be: the last face has no value of its own.
  const FlowState state = state_of(grid,
                                   {[](double, double, double z) { return 3.0 * z; }, zero,
                                    [](double, double, double z) { return z * (2.0 - z); }},
                                   zero);
  const SlicePicture along_x = drawn_slice({.field = "u", .normal = 1, .position = 0.5}, problem,
                                           grid, KeptFlow(state, grid));
  EXPECT_NEAR(along_x.least, 3.0 * 0.125, 1e-12);
  EXPECT_NEAR(along_x.most, 3.0 * 1.875, 1e-12);
  const SlicePicture upwards = drawn_slice({.field = "w", .normal = 0, .position = 1.0}, problem,
                                           grid, KeptFlow(state, grid));
  EXPECT_NEAR(upwards.least, 0.5 * 0.25 * 1.75, 1e-12);
  const SlicePicture speed = drawn_slice({.field = "speed", .normal = 2, .position = 1.0}, problem,
                                         grid, KeptFlow(state, grid));
  EXPECT_NEAR(speed.most, std::hypot(3.0, 0.5 * (1.0 + 0.75 * 1.25)), 0.05);
}

TEST(Slice, OfOneValueHasOneColour) {
  const Problem problem = box({4, 1, 3});
  const Grid grid(problem.axes);
  const FlowState state = state_of(grid, {zero, zero, zero}, zero);
  const SlicePicture drawn = drawn_slice({.field = "temperature", .normal = 1, .position = 0.5},
                                         problem, grid, KeptFlow(state, grid));
  EXPECT_EQ(drawn.least, drawn.most);
  for (const Colour& pixel : drawn.picture.pixels) {
    ASSERT_EQ(pixel, drawn.picture.pixels.front());
  }
}

/// A plane on which the scalar is from 0.2 to 0.6, and u from -2 to 4.
class ColoursOfASlice : public testing::Test {
 protected:
  ColoursOfASlice() {
    problem_.axes = {{{.upper = 3.0, .cells = 3, .periodic = true},
                      {.cells = 1, .periodic = true},
                      {.upper = 2.0, .cells = 2}}};
    problem_.scalars.resize(1);
    state_ = state_of(Grid(problem_.axes),
                      {[](double x, double, double) { return x < 1.5 ? 4.0 : -8.0; }, zero, zero},
                      [](double, double, double z) { return z < 1.0 ? 0.2 : 0.6; });
  }

  [[nodiscard]] convection::ScalarRange drawn(const SliceRequest& slice,
                                              const convection::KnownRange& beforehand) const {
    const Grid grid(problem_.axes);
    const SlicePicture picture =
        drawn_slice(slice, problem_, grid, KeptFlow(state_, grid), beforehand);
    return {picture.least, picture.most};
  }

  [[nodiscard]] convection::ScalarRange drawn_of_run(const std::string& field,
                                                     const convection::KnownRange& known,
                                                     const convection::ScalarRange& so_far) const {
    const SliceRequest slice{.field = field, .position = 0.5};
    return drawn(slice, range_beforehand(slice, problem_, {known}, so_far));
  }

  Problem problem_;
  FlowState state_;
};

void expect_range(const convection::ScalarRange& found, double least, double most) {
  EXPECT_EQ(found.least, least);
  EXPECT_EQ(found.most, most);
}

TEST_F(ColoursOfASlice, StandForWhatIsKnownOfTheWholeRun) {
  expect_range(drawn_of_run("temperature", {{0.0, 1.0}, true}, no_range), 0.0, 1.0);
  expect_range(drawn_of_run("temperature", {{0.3, 0.5}, true}, {-7.0, 7.0}), 0.3, 0.5);
}

TEST_F(ColoursOfASlice, StandForAllPicturesSoFarWhereNothingHolds) {
  expect_range(drawn_of_run("temperature", {{0.3, 1.0}, false}, no_range), 0.2, 1.0);
  expect_range(drawn_of_run("temperature", {{0.3, 0.5}, false}, {-7.0, 0.1}), -7.0, 0.6);
  expect_range(drawn_of_run("u", {{0.0, 1.0}, true}, no_range), -2.0, 4.0);
  expect_range(drawn_of_run("u", {{0.0, 1.0}, true}, {-1.0, 5.0}), -2.0, 5.0);
  expect_range(drawn_of_run("speed", {{0.0, 1.0}, true}, no_range), 0.0, 4.0);
}

TEST_F(ColoursOfASlice, StandForEachPictureWhereThatIsAskedFor) {
  const SliceRequest slice{.field = "temperature", .position = 0.5, .range = ColourRange::picture};
  expect_range(drawn(slice, {{-3.0, 3.0}, true}), 0.2, 0.6);
}

}  // namespace
}  // namespace bankfull::convect
