#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/convection/cuda/ghosts.cuh"
#include "bankfull/workloads/convection/cuda/tally.cuh"
#include "bankfull/workloads/convection/drive.hpp"
#include "tests/workloads/convection/cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

template <class T>
Buffer<T> on_gpu(const CudaExecutor& gpu, const std::vector<T>& values) {
  Buffer<T> buffer = gpu.make<T>(static_cast<std::int64_t>(values.size()));
  gpu.from_host(values, buffer.data());
  return buffer;
}

/// What the functions of tally.hpp find cell after cell, in fp64, beside what a GPU finds, of a
/// flow of random numbers with ghosts as its walls have them.
template <class Real>
class TalliedFlow {
 public:
  explicit TalliedFlow(const Problem& problem)
      : plan_(problem, CeilingRule::none),
        stream_(Device::cuda(0)),
        gpu_(stream_),
        cells_(plan_.grid().extents()),
        count_(plan_.fields()),
        fields_(Layout(cells_, 1, sizeof(Real)), count_, stream_.device()),
        sources_(fields_.layout(), count_, stream_.device()),
        rules_(on_gpu(gpu_, plan_.ghosts())) {
    describe();
    std::vector<Real> values(fields_.size());
    for (std::size_t n = 0; n < values.size(); ++n) {
      values[n] = static_cast<Real>(random_symmetric(1, n));
    }
    set(values);
    for (std::size_t n = 0; n < values.size(); ++n) {
      source_values_.push_back(static_cast<Real>(random_symmetric(2, n)));
    }
    gpu_.from_host(source_values_, sources_.data());
    for (int field = 0; field < max_fields; ++field) {
      factors_.of[field] = 1.0 + 0.1 * field;
    }
  }

  /// With velocities on walls at rest, and ghosts.
  void set(std::vector<Real> values) {
    const FlowStrides& strides = flow_.strides;
    for_cells(box_of(cells_), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const std::int64_t index[3] = {i, j, k};
      for (const int axis : storage_axes) {
        if (flow_.walls.at_end(axis, 0) && index[axis] == 0) {
          values[static_cast<std::size_t>(place(i, j, k) + axis * strides.field)] = Real(0);
        }
      }
    });
    gpu_.from_host(values, fields_.data());
    queue_ghosts(stream_, flow_, centres_, rules_.data(), count_, fields_[0].origin);
    values = gpu_.to_host(fields_.data(), static_cast<std::int64_t>(fields_.size()));
    values_ = {values.begin(), values.end()};
  }

  void set_value(int field, double value) {
    std::vector<Real> values(values_.begin(), values_.end());
    const Extents middle{cells_.ni / 2, cells_.nj / 2, cells_.nk / 2};
    values[static_cast<std::size_t>(place(middle.ni, middle.nj, middle.nk) +
                                    field * flow_.strides.field)] = static_cast<Real>(value);
    set(values);
  }

  [[nodiscard]] FlowTallies found(bool with_sources, int blocks) const {
    const SourcesOnGpu<Real> sources{
        with_sources ? sources_.data() + fields_.layout().origin() : nullptr, factors_};
    TalliesOnGpu<Real> tallies(plan_, gpu_, blocks);
    const Real* const fields = fields_.data() + fields_.layout().origin();
    const FlowTallies once = tallies.of(stream_, flow_, fields, sources);
    const FlowTallies again = tallies.of(stream_, flow_, fields, sources);
    EXPECT_TRUE(have_same_bits(once.flow, again.flow));
    for (std::size_t s = 0; s < once.scalars.size(); ++s) {
      EXPECT_TRUE(have_same_bits(once.scalars[s], again.scalars[s]));
    }
    return once;
  }

  [[nodiscard]] FlowTallies expected(bool with_sources) const {
    std::array<std::vector<AxisMetric<double>>, 3> metrics;
    for (const int axis : storage_axes) {
      metrics[static_cast<std::size_t>(axis)] = metrics_of<double>(plan_.grid().axis(axis));
    }
    FlowTallies all{empty_tally<FlowTally>(), {}};
    all.scalars.resize(static_cast<std::size_t>(count_ - 3), empty_tally<ScalarTally>());
    for_cells(box_of(cells_), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const std::int64_t index[3] = {i, j, k};
      const std::int64_t cells[3] = {cells_.ni, cells_.nj, cells_.nk};
      const auto at = [](const auto& line, std::int64_t n) {
        return line[static_cast<std::size_t>(n)];
      };
      const PointStencil<double> stencil{
          .here = values_.data() + place(i, j, k),
          .strides = flow_.strides,
          .axis = {at(metrics[0], i), at(metrics[1], j), at(metrics[2], k)}};
      const CellOnWalls walls = flow_.walls.around(index, cells);
      WallSides sides;
      double part = 1.0 / plan_.grid().volume();
      for (const int axis : storage_axes) {
        sides.lower[axis] = walls.lower[axis];
        sides.upper[axis] = walls.upper[axis];
        sides.length[axis] = plan_.grid().axis(axis).length();
        part *= plan_.grid().axis(axis).width(index[axis]);
      }
      const CellForcing<Real> forcing{
          plan_.problem().viscosity,
          with_sources ? source_values_.data() + place(i, j, k) : nullptr, factors_.of};
      count(stencil, forcing, part, sides, all.flow);
      for (std::size_t s = 0; s < all.scalars.size(); ++s) {
        const int scalar = static_cast<int>(s);
        count(stencil, scalar, plan_.problem().scalars[s].diffusivity,
              forcing.of(stencil, 3 + scalar), part, sides, all.scalars[s]);
      }
    });
    return all;
  }

 private:
  void describe() {
    const Grid& grid = plan_.grid();
    for (const int axis : storage_axes) {
      const auto n = static_cast<std::size_t>(axis);
      metrics_[n] = on_gpu(gpu_, metrics_of<Real>(grid.axis(axis)));
      lines_[n] = on_gpu(gpu_, grid.axis(axis).centres);
      centres_.along[axis] = lines_[n].data();
    }
    const bool uniform = grid.axis(1).cells.uniform() && grid.axis(2).cells.uniform();
    flow_ = {
        .strides = {fields_.stride(), fields_.layout().plane_pitch(), fields_.layout().row_pitch()},
        .cells = {static_cast<int>(cells_.ni), static_cast<int>(cells_.nj),
                  static_cast<int>(cells_.nk)},
        .planes = metrics_[0].data(),
        .rows = metrics_[1].data(),
        .columns = metrics_[2].data(),
        .row = metrics_of<Real>(grid.axis(1)).front(),
        .column = metrics_of<Real>(grid.axis(2)).front(),
        .widths = uniform ? InPlane::uniform : InPlane::stretched,
        .walls = wall_faces_of(grid)};
  }

  [[nodiscard]] std::int64_t place(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return fields_.layout().origin() + fields_.layout().offset(i, j, k);
  }

  template <class AnyTally>
  static bool have_same_bits(const AnyTally& one, const AnyTally& other) {
    return std::memcmp(one.sums, other.sums, sizeof one.sums) == 0 &&
           std::memcmp(one.max, other.max, sizeof one.max) == 0;
  }

  Plan plan_;
  Stream stream_;
  CudaExecutor gpu_;
  Extents cells_;
  int count_;
  FieldSet<Real> fields_;
  FieldSet<Real> sources_;
  std::vector<double> values_;
  std::vector<Real> source_values_;
  SourceFactors factors_{};
  Buffer<Continuations> rules_;
  std::array<Buffer<AxisMetric<Real>>, 3> metrics_;
  std::array<Buffer<double>, 3> lines_;
  CentreLines centres_;
  FlowOnGpu<Real> flow_{};
};

/// Metrics and some rates are in the flow's precision.
template <class Real>
constexpr double rounding = sizeof(Real) == 8 ? 1e-12 : 1e-6;

template <class AnyTally>
void expect_same(const AnyTally& found, const AnyTally& expected, double tolerance) {
  const auto expect_near = [&](double value, double other, const char* what, std::size_t n) {
    EXPECT_NEAR(value, other, tolerance * std::max(1.0, std::abs(other))) << what << ' ' << n;
  };
  for (std::size_t n = 0; n < std::size(expected.sums); ++n) {
    expect_near(found.sums[n], expected.sums[n], "sum", n);
  }
  for (std::size_t n = 0; n < std::size(expected.max); ++n) {
    expect_near(found.max[n], expected.max[n], "largest", n);
  }
}

/// Sums of few numbers by a few blocks, which have several tiles each, and by many.
template <class Real>
void expect_tallies_of_cells(const Problem& problem) {
  const TalliedFlow<Real> flow(problem);
  for (const bool with_sources : {false, true}) {
    const FlowTallies expected = flow.expected(with_sources);
    for (const int blocks : {1, 7, 400}) {
      SCOPED_TRACE(std::to_string(blocks) + (with_sources ? " blocks, sources" : " blocks"));
      const FlowTallies found = flow.found(with_sources, blocks);
      expect_same(found.flow, expected.flow, rounding<Real>);
      ASSERT_EQ(found.scalars.size(), expected.scalars.size());
      for (std::size_t s = 0; s < expected.scalars.size(); ++s) {
        SCOPED_TRACE("scalar " + std::to_string(s));
        expect_same(found.scalars[s], expected.scalars[s], rounding<Real>);
      }
    }
  }
}

Problem tallied_problem(std::array<std::int64_t, 3> cells, std::array<FlowEnds, 3> ends,
                        std::size_t scalars, double stretching) {
  Problem problem = busy_problem(cells, ends, scalars, 1);
  problem.time_step.fixed = 1e-7;
  for (AxisCells& axis : problem.axes) {
    axis.stretching = axis.periodic ? 0.0 : stretching;
  }
  return problem;
}

class TallyOnGpu : public testing::TestWithParam<Case> {};

TEST_P(TallyOnGpu, IsThatOfItsCells) {
  expect_tallies_of_cells<double>(GetParam().problem);
  expect_tallies_of_cells<float>(GetParam().problem);
}

/// All combinations of ends, which begin and end tiles in all places. Seven shapes, three numbers
/// of scalars and stretching of two in five: no pattern repeats along with the walls.
std::vector<Case> tallied_cases() {
  const std::vector<std::array<std::int64_t, 3>> shapes{
      {35, 18, 11}, {2, 9, 70}, {7, 16, 8}, {18, 2, 33}, {70, 3, 5}, {5, 40, 64}, {9, 1, 40}};
  std::vector<Case> all;
  for (std::size_t n = 0; n < 64; ++n) {
    const std::array<FlowEnds, 3> ends{all_flow_ends[n / 16], all_flow_ends[n / 4 % 4],
                                       all_flow_ends[n % 4]};
    const bool stretched = n % 5 < 2;
    Problem problem =
        tallied_problem(shapes[n % shapes.size()], ends, n % 3, stretched ? 0.7 : 0.0);
    const std::string name = name_of(ends[0]) + name_of(ends[1]) + name_of(ends[2]) +
                             (stretched ? "Stretched" : "") + std::to_string(n);
    all.push_back({name, problem, n});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Cases, TallyOnGpu, testing::ValuesIn(tallied_cases()), case_name);

template <class Real>
void expect_nan_to_win() {
  constexpr std::array ends{FlowEnds::no_slip, FlowEnds::periodic, FlowEnds::no_slip};
  for (int field = 0; field < 5; ++field) {
    SCOPED_TRACE("field " + std::to_string(field));
    TalliedFlow<Real> flow(tallied_problem({20, 9, 40}, ends, 2, 0.0));
    flow.set_value(field, std::nan(""));
    const FlowTallies found = flow.found(false, 20);
    EXPECT_EQ(std::isnan(found.flow.sums[0]), field < 3);
    EXPECT_EQ(std::isnan(found.flow.max[0]), field < 3);
    EXPECT_EQ(std::isnan(found.flow.max[1]), field < 3);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(std::isnan(found.flow.max[2 + axis]), field == axis);
    }
    for (int s = 0; s < 2; ++s) {
      const ScalarTally& scalar = found.scalars[static_cast<std::size_t>(s)];
      EXPECT_EQ(std::isnan(scalar.sums[0]), field == 3 + s);
      EXPECT_EQ(std::isnan(scalar.max[0]), field == 3 + s);
      EXPECT_EQ(std::isnan(scalar.max[1]), field == 3 + s);
    }
  }
}

TEST(TallyOnGpuOfABrokenFlow, HasNaNAsTheLargest) {
  expect_nan_to_win<double>();
  expect_nan_to_win<float>();
}

}  // namespace
}  // namespace bankfull::convection
