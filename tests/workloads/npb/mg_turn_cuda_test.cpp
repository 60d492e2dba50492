#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/mg/cuda/turn.hpp"
#include "bankfull/workloads/npb/mg/passes.hpp"
#include "tests/alone.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace bankfull::npb::mg {
namespace {

/// The points of a periodic grid on the CPU, densely, i1 contiguous.
template <class Body>
void for_points(const Grid& grid, const Body& body) {
  std::size_t n = 0;
  for (std::int64_t i3 = 0; i3 < grid.planes(); ++i3) {
    for (std::int64_t i2 = 0; i2 < grid.rows(); ++i2) {
      for (std::int64_t i1 = 0; i1 < grid.columns(); ++i1) {
        body(grid.row(i3, i2)[i1], n++);
      }
    }
  }
}

Grid cube(std::int64_t side) { return {{side, side, side}, {}, Team(1)}; }

/// With values that have no pattern.
Grid random_cube(std::int64_t side, std::uint64_t state) {
  Grid grid = cube(side);
  for_points(grid, [&](double& value, std::size_t /*n*/) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<double>(state >> 11U) * 0x1p-53 - 0.5;
  });
  return grid;
}

std::size_t count_of(std::int64_t side) { return static_cast<std::size_t>(side * side * side); }

Buffer<double> on_gpu(const std::vector<double>& values, const Stream& stream) {
  Buffer<double> there(MemorySpace::device, values.size());
  copy_bytes(there.data(), values.data(), there.bytes(), stream);
  stream.synchronize();
  return there;
}

Buffer<double> on_gpu(const Grid& grid, const Stream& stream) {
  std::vector<double> values(count_of(grid.planes()));
  for_points(grid, [&](double value, std::size_t n) { values[n] = value; });
  return on_gpu(values, stream);
}

/// Filled with what no pass writes.
Buffer<double> blank_on_gpu(std::int64_t side, const Stream& stream) {
  return on_gpu(std::vector<double>(count_of(side), std::numeric_limits<double>::quiet_NaN()),
                stream);
}

/// The largest deviation of values on the GPU; NaN where one of them is.
double deviation(const Buffer<double>& there, const Grid& expected, const Stream& stream) {
  std::vector<double> values(there.size());
  copy_bytes(values.data(), there.data(), there.bytes(), stream);
  stream.synchronize();
  double largest = 0.0;
  for_points(expected, [&](double value, std::size_t n) {
    const double here = std::abs(values[n] - value);
    largest = std::isnan(largest) || here <= largest ? largest : here;
  });
  return largest;
}

struct Turned {
  int side;
  int plane_pairs;  ///< of a slab; 0: as planned
};

class MgTurn : public testing::TestWithParam<Turned> {};

TEST_P(MgTurn, IsTheWayUpAndTheNextWayDown) {
  const Device gpu = Device::cuda(0);
  if (!cuda::has_turn(gpu)) {
    GTEST_SKIP() << "too little shared memory";
  }
  const Stream stream(gpu);
  const int side = GetParam().side;
  const Grid u = random_cube(side, 1);
  const Grid v = random_cube(side, 2);
  const Grid coarse = random_cube(side / 2, 3);
  const Grid next = cube(side);
  const Grid residual = cube(side / 2);
  const Operators operators{operator_weights, smoother_weights(Class::c)};
  Workspace work({side, side, side});
  UpwardPass<double>(operators, coarse, &u, v, next, work).run();
  DownwardPass<double>(operators, &next, v, residual, nullptr, work).run();

  const Buffer<double> next_on_gpu = blank_on_gpu(side, stream);
  const Buffer<double> residual_on_gpu = blank_on_gpu(side / 2, stream);
  const Buffer<double> coarse_on_gpu = on_gpu(coarse, stream);
  const Buffer<double> u_on_gpu = on_gpu(u, stream);
  const Buffer<double> v_on_gpu = on_gpu(v, stream);
  const cuda::GridPair<cuda::Cube> grids{{side}, {side / 2}};
  cuda::prepare_turn();
  cuda::queue_turn(stream,
                   {.grids = grids,
                    .smoother = operators.smoother,
                    .coarse = coarse_on_gpu.data(),
                    .u = u_on_gpu.data(),
                    .v = v_on_gpu.data(),
                    .next = next_on_gpu.data(),
                    .residual = residual_on_gpu.data(),
                    .plane_pairs = GetParam().plane_pairs > 0 ? GetParam().plane_pairs
                                                              : cuda::plan_turn(grids.fine, gpu)});
  constexpr double rounding = 1e-14;  // values are of order 1
  EXPECT_LE(deviation(next_on_gpu, next, stream), rounding);
  EXPECT_LE(deviation(residual_on_gpu, residual, stream), rounding);
}

// Regions that wrap around more than once; slabs of one pair, of several, with a shorter last one.
INSTANTIATE_TEST_SUITE_P(Sides, MgTurn,
                         testing::Values(Turned{16, 0}, Turned{32, 1}, Turned{32, 16},
                                         Turned{64, 5}, Turned{128, 0}),
                         [](const testing::TestParamInfo<Turned>& turned) {
                           return std::to_string(turned.param.side) + "_in_slabs_of_" +
                                  std::to_string(turned.param.plane_pairs);
                         });

class MgTurns : public testing::TestWithParam<Class> {};

// Whole runs end with the same bits, whichever way they turn: in small classes too, where two
// passes are faster.
TEST_P(MgTurns, KeepTheBitsOfTwoPasses) {
  Problem problem;
  problem.size = GetParam();
  problem.device = Device::cuda(0);
  if (!cuda::has_turn(problem.device)) {
    GTEST_SKIP() << "too little shared memory";
  }
  const auto norm_of = [&](Turn turn) {
    const auto benchmark = make_cuda(problem, alone(), turn);
    benchmark->rewind();
    benchmark->run();
    return benchmark->checks().front().value;
  };
  EXPECT_EQ(norm_of(Turn::one_pass), norm_of(Turn::two_passes));
}

INSTANTIATE_TEST_SUITE_P(Classes, MgTurns,
                         testing::Values(Class::s, Class::w, Class::a, Class::b, Class::c),
                         [](const testing::TestParamInfo<Class>& size) {
                           return to_string(size.param);
                         });

}  // namespace
}  // namespace bankfull::npb::mg
