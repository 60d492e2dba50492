#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/mg/cuda/turn.cuh"
#include "bankfull/workloads/npb/mg/cuda/whole_grids.cuh"

#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace bankfull::npb::mg::cuda {
namespace {

/// A grid on the GPU with values that have no pattern.
Buffer<double> random_cube(int side, std::uint64_t seed, const Stream& stream) {
  Buffer<double> cube = cube_of(side);
  std::vector<double> values(cube.size());
  std::uint64_t state = seed;
  for (double& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<double>(state >> 11U) * 0x1p-53 - 0.5;
  }
  copy_bytes(cube.data(), values.data(), cube.bytes(), stream);
  stream.synchronize();
  return cube;
}

/// Filled with what no pass writes.
Buffer<double> blank_cube(int side, const Stream& stream) {
  Buffer<double> cube = cube_of(side);
  const std::vector<double> values(cube.size(), std::numeric_limits<double>::quiet_NaN());
  copy_bytes(cube.data(), values.data(), cube.bytes(), stream);
  stream.synchronize();
  return cube;
}

std::vector<double> values_of(const Buffer<double>& cube, const Stream& stream) {
  std::vector<double> values(cube.size());
  copy_bytes(values.data(), cube.data(), cube.bytes(), stream);
  stream.synchronize();
  return values;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

struct Turned {
  int side;
  int plane_pairs;  ///< of a slab
};

class MgTurn : public testing::TestWithParam<Turned> {};

// One pass over the turn gives the bits of the way up and of the next way down.
TEST_P(MgTurn, HasTheBitsOfBothPasses) {
  const Device gpu = Device::cuda(0);
  if (!has_turn(gpu)) {
    GTEST_SKIP() << "no copy engine";
  }
  const Stream stream(gpu);
  const int side = GetParam().side;
  const GridPair<Cube> grids{{side}, {side / 2}};
  const Weights smoother = smoother_weights(Class::c);
  const Buffer<double> u = random_cube(side, 1, stream);
  const Buffer<double> v = random_cube(side, 2, stream);
  const Buffer<double> coarse = random_cube(side / 2, 3, stream);
  const Buffer<double> next = blank_cube(side, stream);
  const Buffer<double> residual = blank_cube(side / 2, stream);
  const Buffer<double> next_of_turn = blank_cube(side, stream);
  const Buffer<double> residual_of_turn = blank_cube(side / 2, stream);

  const MarchPlan ascent = plan_march(grids.fine, ascent_limits(gpu));
  const MarchPlan descent = plan_march(grids.fine, descent_limits(gpu));
  prepare_ascent<Cube>(ascent.warps);
  prepare_descent<Cube>(descent.warps);
  prepare_turn();
  queue_ascent<Cube>(stream, ascent,
                     {grids, smoother, coarse.data(), u.data(), v.data(), next.data(), 0});
  queue_descent<Cube>(stream, descent, {grids, next.data(), v.data(), residual.data(), nullptr, 0});
  const MarchPlan plan = GetParam().plane_pairs > 0 ? plan_turn(grids.fine, GetParam().plane_pairs)
                                                    : plan_turn(grids.fine, gpu);
  queue_turn(stream, plan,
             {grids, smoother, coarse.data(), u.data(), v.data(), next_of_turn.data(),
              residual_of_turn.data(), 0});
  EXPECT_TRUE(same_bits(values_of(next_of_turn, stream), values_of(next, stream)));
  EXPECT_TRUE(same_bits(values_of(residual_of_turn, stream), values_of(residual, stream)));
}

// Regions that wrap around more than once; slabs of one pair, of several, with a shorter last one.
INSTANTIATE_TEST_SUITE_P(Sides, MgTurn,
                         testing::Values(Turned{16, 0}, Turned{32, 1}, Turned{32, 16},
                                         Turned{64, 5}, Turned{128, 0}),
                         [](const testing::TestParamInfo<Turned>& turned) {
                           return std::to_string(turned.param.side) + "_in_slabs_of_" +
                                  std::to_string(turned.param.plane_pairs);
                         });

}  // namespace
}  // namespace bankfull::npb::mg::cuda
