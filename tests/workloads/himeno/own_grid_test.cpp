#include "tests/workloads/himeno/own_grid.hpp"

#include "bankfull/core/exec/for_each.hpp"
#include "bankfull/workloads/himeno/block_reference.hpp"
#include "bankfull/workloads/himeno/fields.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <tuple>

namespace bankfull::himeno {
namespace {

constexpr InitialState random_state{.kind = InitialState::Kind::random, .seed = 2010};

class ReferenceBlock : public ::testing::TestWithParam<std::tuple<Box, int>> {};

/// The serial schedule on the whole grid, here.
std::vector<double> part_of_whole(Precision precision, const GridSize& grid, const Box& block,
                                  int iterations) {
  Problem problem;
  problem.grid = grid;
  problem.precision = precision;
  const auto solver = make_solver(make_plan(problem, alone()), alone());
  solver->load(random_state);
  solver->iterate(Schedule::reference, iterations);
  return solver->pressure_in(block);
}

TEST_P(ReferenceBlock, HasTheBitsOfASweepOverTheWholeGrid) {
  const auto& [block, iterations] = GetParam();
  const GridSize grid{13, 17, 29};
  for (const Precision precision : {Precision::fp64, Precision::fp32}) {
    EXPECT_EQ(reference_block(precision, grid, random_state, block, iterations),
              part_of_whole(precision, grid, block, iterations));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Blocks, ReferenceBlock,
    ::testing::Combine(::testing::Values(Box{0, 11, 0, 15, 0, 27}, Box{0, 1, 0, 15, 0, 27},
                                         Box{0, 11, 14, 15, 0, 27}, Box{0, 11, 0, 15, 13, 14},
                                         Box{5, 6, 7, 8, 13, 14}, Box{10, 11, 14, 15, 26, 27}),
                       ::testing::Values(1, 2, 3, 9)));

class SampledBlocks : public ::testing::TestWithParam<Extents> {};

TEST_P(SampledBlocks, LieWithinAndDoNotOverlapUnlessPlanesCross) {
  const Extents n = GetParam();
  const std::vector<Box> blocks = sampled_blocks(n);
  ASSERT_FALSE(blocks.empty());
  EXPECT_LE(blocks.size(), 1024U);
  std::int64_t points = 0;
  for (const Box& b : blocks) {
    EXPECT_FALSE(b.empty());
    EXPECT_TRUE(b.i0 >= 0 && b.j0 >= 0 && b.k0 >= 0 && b.i1 <= n.ni && b.j1 <= n.nj &&
                b.k1 <= n.nk);
    points += b.extents().count();
  }
  if (n.count() <= 1'000'000) {
    EXPECT_EQ(points, n.count());
  }
}

TEST_P(SampledBlocks, HaveAllEightCorners) {
  const Extents n = GetParam();
  const std::vector<Box> blocks = sampled_blocks(n);
  for (const std::int64_t i : {std::int64_t{0}, n.ni - 1}) {
    for (const std::int64_t j : {std::int64_t{0}, n.nj - 1}) {
      for (const std::int64_t k : {std::int64_t{0}, n.nk - 1}) {
        EXPECT_TRUE(std::any_of(blocks.begin(), blocks.end(), [&](const Box& b) {
          return b.i0 <= i && i < b.i1 && b.j0 <= j && j < b.j1 && b.k0 <= k && k < b.k1;
        }));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SampledBlocks,
                         ::testing::Values(Extents{1, 1, 1}, Extents{7, 33, 129},
                                           Extents{95, 129, 201}, Extents{510, 510, 1022},
                                           Extents{1, 2, 9'000'000}));

/// Where a schedule might go wrong: the last points of its tiles along one axis, in which it reads
/// coefficient b1 of the next point.
struct Seam {
  const char* axis;
  Extents tile;  ///< 0: no seam
};

/// Serial sweeps with one index wrong.
class WrongAtSeam final : public Solver {
 public:
  WrongAtSeam(const GridSize& grid, const Seam& seam)
      : Solver(alone()), seam_(seam), fields_(whole_domain(grid), Device::cpu()) {}

  void prepare(Schedule /*schedule*/, std::int64_t /*iterations*/, Halos /*halos*/) override {}
  [[nodiscard]] Work work(Schedule /*schedule*/, std::int64_t /*iterations*/) const override {
    return {};
  }
  [[nodiscard]] ScheduleFacts facts(Schedule /*schedule*/) override { return {}; }
  [[nodiscard]] std::vector<double> pressure() const override { return {}; }
  [[nodiscard]] std::vector<double> pressure_in(const Box& part) const override {
    std::vector<float> packed(static_cast<std::size_t>(part.extents().count()));
    for_each(Team(1), part, copy_pressures(fields_, part, packed.data()));
    return {packed.begin(), packed.end()};
  }
  [[nodiscard]] const Domain& domain() const override { return fields_.domain(); }

 private:
  void fill(const InitialState& state) override {
    for_each(Team(1), fields_.whole(), initialise(fields_, state));
  }
  double sweep(Schedule /*schedule*/, std::int64_t iterations, Halos /*halos*/) override {
    for (std::int64_t n = 0; n < iterations; ++n) {
      for_each(Team(1), fields_.interior(),
               [this](std::int64_t i, std::int64_t j, std::int64_t k) { update(i, j, k); });
      fields_.advance();
    }
    return 0.0;
  }
  void update(std::int64_t i, std::int64_t j, std::int64_t k) {
    const Layout& layout = fields_.layout();
    const auto last = [](std::int64_t n, std::int64_t tile) {
      return tile > 0 && n % tile == tile - 1;
    };
    const bool wrong = last(i, seam_.tile.ni) || last(j, seam_.tile.nj) || last(k, seam_.tile.nk);
    const auto q = [&](Coefficient field) {
      return fields_.coefficient(field)(i, j, wrong && field == b1 ? k + 1 : k);
    };
    const PressuresAt<float> p{&fields_.pressure()(i, j, k), layout.plane_pitch(),
                               layout.row_pitch()};
    fields_.next()(i, j, k) = relaxed(p(0, 0, 0), residual(q, p), static_cast<float>(omega));
  }

  Seam seam_;
  Fields<float> fields_;
};

class WrongIndex : public ::testing::TestWithParam<Seam> {};

TEST_P(WrongIndex, OnALargeOddGridIsSeen) {
  Problem problem;
  problem.grid = large_odd_grid;
  problem.threads = 2;
  const Seam& seam = GetParam();
  WrongAtSeam solver(problem.grid, seam);
  const Check check = check_own_grid(solver, problem, Schedule::tuned, alone());
  EXPECT_EQ(check.passed(), seam.tile == Extents{}) << check.value << ", " << check.source;
}

// Tiles as schedules have them, none of whose seams is a plane that is compared.
INSTANTIATE_TEST_SUITE_P(Seams, WrongIndex,
                         ::testing::Values(Seam{"none", {0, 0, 0}}, Seam{"i", {64, 0, 0}},
                                           Seam{"j", {0, 18, 0}}, Seam{"k", {0, 0, 128}}),
                         [](const auto& seam) { return std::string(seam.param.axis); });

class Perturbed : public ::testing::TestWithParam<PerturbedCase> {};

TEST_P(Perturbed, OperatorIsFound) {
  expect_perturbation_found(GetParam(), {21, 33, 71}, Device::cpu());
}

INSTANTIATE_TEST_SUITE_P(Schedules, Perturbed,
                         ::testing::ValuesIn(perturbed_cases(all_schedules())));

}  // namespace
}  // namespace bankfull::himeno
