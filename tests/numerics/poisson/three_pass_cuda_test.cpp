#include "bankfull/build_config.hpp"
#include "bankfull/core/comm/device_copy.hpp"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/core/memory/memory.hpp"
#include "bankfull/numerics/poisson/direct/cuda/three_pass/solver.hpp"
#include "bankfull/numerics/poisson/direct/three_pass/sizes.hpp"
#include "tests/numerics/poisson/direct_cases.hpp"
#include "tests/numerics/poisson/host_copy.hpp"
#include "tests/numerics/poisson/random_velocity.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

namespace bankfull::poisson {
namespace {

/// Of length 1, 0.8 and 1.3: the modes of both axes differ.
NamedDomain served(const std::string& name, const Extents& n, double stretching) {
  return {name,
          {gathered_axis(n.ni, false, stretching),
           uniform_axis(n.nj, true, 0.8 / static_cast<double>(n.nj)),
           uniform_axis(n.nk, true, 1.3 / static_cast<double>(n.nk))}};
}

/// Every length of rows with 12 and with 16 of them in a block, every number of rows, and every
/// number of parts, full and not, with clusters of two, four, six and eight blocks.
std::vector<NamedDomain> served_domains() {
  return {
      served("smallest", {32, 64, 64}, 0.0),
      served("few_rows", {33, 64, 256}, 1.0),
      served("four_full_blocks", {64, 64, 64}, 2.0),
      served("six_blocks_of_one_part", {65, 128, 64}, 1.0),
      served("six_full_blocks_of_one_part", {96, 128, 128}, 0.0),
      served("eight_blocks_of_few_columns", {70, 64, 64}, 0.0),
      served("short_rows", {36, 512, 64}, 2.0),
      served("half_a_part", {64, 64, 128}, 0.0),
      served("odd_planes", {33, 256, 256}, 2.0),
      served("one_part", {128, 128, 64}, 1.0),
      served("long_rows", {32, 128, 512}, 0.0),
      served("many_rows", {34, 512, 128}, 3.0),
      served("six_blocks", {130, 64, 64}, 3.0),
      served("six_full_blocks", {192, 64, 64}, 0.0),
      served("two_parts", {193, 64, 64}, 0.0),
      served("two_full_parts", {256, 64, 64}, 1.0),
      served("three_parts", {300, 64, 64}, 2.0),
      served("three_full_parts", {384, 64, 64}, 0.0),
      served("four_parts", {401, 64, 64}, 4.0),
      served("four_full_parts", {512, 64, 64}, 0.0),
      served("largest_planes", {32, 512, 512}, 1.0),
      served("smallest_threes", {32, 96, 96}, 1.0),
      served("threes_short_and_long", {40, 96, 384}, 2.0),
      served("threes_long_and_short", {40, 384, 96}, 0.0),
      served("threes", {48, 192, 192}, 3.0),
      served("threes_in_six_blocks", {131, 96, 96}, 1.0),
      served("long_threes", {33, 384, 384}, 1.0),
      served("threes_with_few_rows", {34, 64, 384}, 0.0),
      served("threes_with_rows", {48, 128, 192}, 0.0),
      served("threes_with_more_rows", {33, 256, 96}, 1.0),
      served("threes_with_many_rows", {33, 512, 96}, 0.0),
      served("threes_of_short_rows", {193, 192, 64}, 2.0),
      served("threes_of_rows", {40, 192, 128}, 0.0),
      served("threes_of_longer_rows", {40, 96, 256}, 1.0),
      served("threes_of_long_rows", {33, 192, 512}, 0.0),
      served("many_threes_of_short_rows", {32, 384, 64}, 0.0),
  };
}

std::vector<NamedDomain> small_ones() {
  return {served("smallest", {40, 64, 64}, 1.0), served("odd_planes", {130, 128, 128}, 2.0),
          served("threes", {40, 96, 192}, 1.0)};
}

/// With a mean, which goes.
template <class Real>
Values right_side_with_mean(const Domain& domain, std::uint64_t seed) {
  Values f = random_values(domain, seed);
  for (double& value : f) {
    value += 0.5;
  }
  return rounded_to<Real>(f);
}

template <class Real>
class ThreePassCuda : public testing::Test {
 protected:
  void SetUp() override {
    // Where this is so the solver must be there, or convection is back on cuFFT without a word.
    if (std::stod(survey_gpus().gpus.at(0).compute_capability) < 9.0) {
      GTEST_SKIP() << "this GPU has no clusters of blocks";
    }
    ASSERT_NE(make_three_pass_direct<Real>(small_ones().front().domain, stream_), nullptr);
  }

  [[nodiscard]] std::unique_ptr<Solver<Real>> solver_of(const Domain& domain) const {
    auto solver = make_three_pass_direct<Real>(domain, stream_);
    EXPECT_NE(solver, nullptr);
    return solver;
  }

  [[nodiscard]] Values solved(Solver<Real>& solver, const Domain& domain, const Values& f) const {
    HostCopy<Real> copy(domain, solver.right_side());
    copy.upload(f, stream_);
    solver.solve();
    return copy.download(stream_);
  }

  void expect_solves(Solver<Real>& solver, const Domain& domain, std::uint64_t seed) const {
    Values f = right_side_with_mean<Real>(domain, seed);
    const Values p = solved(solver, domain, f);
    remove_mean(domain, &f);
    expect_solved<Real>(domain, p, f, Products::stretched, 0.0, with_powers_of_roots(domain));
  }

  Stream stream_{Device::cuda(0)};
};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(ThreePassCuda, Reals);

TYPED_TEST(ThreePassCuda, IsTheDirectSolver) {
  const Domain domain = small_ones().front().domain;
  const auto solver = make_cuda_direct<TypeParam>(domain, this->stream_);
  EXPECT_EQ(solver->traffic().bytes(), three_pass_traffic(domain, sizeof(TypeParam)).bytes());
  EXPECT_EQ(solver->right_side().row_pitch, domain.extents().nk);
}

TYPED_TEST(ThreePassCuda, SolvesToRounding) {
  for (const NamedDomain& each : served_domains()) {
    SCOPED_TRACE(each.name);
    const auto solver = this->solver_of(each.domain);
    this->expect_solves(*solver, each.domain, 1);
  }
}

TYPED_TEST(ThreePassCuda, SolvesToRoundingTwice) {
  for (const NamedDomain& each : small_ones()) {
    SCOPED_TRACE(each.name);
    const auto solver = this->solver_of(each.domain);
    this->expect_solves(*solver, each.domain, 1);
    this->expect_solves(*solver, each.domain, 2);
  }
}

/// Of waves along j and k, and a cosine along i.
Values smooth_values(const Domain& domain) {
  const Extents n = domain.extents();
  Values p(static_cast<std::size_t>(n.count()));
  std::vector<double> centres;
  double begin = 0.0;
  for (const double width : domain.i.widths) {
    centres.push_back(begin + 0.5 * width);
    begin += width;
  }
  for_cells(domain, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t place) {
    const double x = std::numbers::pi * centres[static_cast<std::size_t>(i)];
    const double y = 2.0 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(n.nj);
    const double z = 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n.nk);
    p[place] = std::cos(2.0 * x) * std::cos(5.0 * y + 0.3) * std::cos(3.0 * z + 0.1) + std::sin(z) +
               0.5 * std::cos(x) + std::sin(y + 2.0 * z) + 0.1 * std::cos(17.0 * y);
  });
  remove_mean(domain, &p);
  return p;
}

TYPED_TEST(ThreePassCuda, FindsASmoothSolution) {
  for (const NamedDomain& each : small_ones()) {
    SCOPED_TRACE(each.name);
    const auto solver = this->solver_of(each.domain);
    const Values p = smooth_values(each.domain);
    const Values found = this->solved(*solver, each.domain, laplacian(each.domain, p));
    // The right side's rounding is that of p times the largest coefficient.
    const double bound = std::is_same_v<TypeParam, double> ? 1e-11 : 1e-3;
    EXPECT_LT(largest_difference(found, p), bound * largest(p));
  }
}

TYPED_TEST(ThreePassCuda, AgreesWithTheCpu) {
  for (const NamedDomain& each : small_ones()) {
    SCOPED_TRACE(each.name);
    const auto solver = this->solver_of(each.domain);
    const Values f = right_side_with_mean<TypeParam>(each.domain, 5);
    const Values p = solved_on_cpu<TypeParam>(each.domain, f);
    const double bound = std::is_same_v<TypeParam, double> ? 1e-12 : 5e-5;
    EXPECT_LT(largest_difference(this->solved(*solver, each.domain, f), p), bound * largest(p));
  }
}

TYPED_TEST(ThreePassCuda, GivesTheSameBitsAgainAndInAGraph) {
  for (const NamedDomain& each : small_ones()) {
    SCOPED_TRACE(each.name);
    const Values f = random_right_side(each.domain, 2);
    const auto solver = this->solver_of(each.domain);
    const Values once = this->solved(*solver, each.domain, f);
    const Graph graph(this->stream_, [&] { solver->solve(); });
    HostCopy<TypeParam> copy(each.domain, solver->right_side());
    for (int time = 0; time < 2; ++time) {
      copy.upload(f, this->stream_);
      graph.launch(this->stream_);
      EXPECT_EQ(copy.download(this->stream_), once);
    }
  }
}

TYPED_TEST(ThreePassCuda, TakesTheDivergenceOfAVelocity) {
  for (const NamedDomain& each : served_domains()) {
    SCOPED_TRACE(each.name);
    const auto solver = this->solver_of(each.domain);
    const RandomVelocity<TypeParam> velocity(each.domain);
    const Values expected = this->solved(*solver, each.domain, velocity.divergence());
    const auto on_gpu = device_copy(velocity.values(), this->stream_);
    ASSERT_TRUE(solver->takes_divergence());
    solver->take_divergence(velocity.view(on_gpu.data()));
    solver->solve();
    HostCopy<TypeParam> copy(each.domain, solver->solution());
    EXPECT_EQ(copy.download(this->stream_), expected);
  }
}

TYPED_TEST(ThreePassCuda, TakesADivergenceForOneSolve) {
  const Domain domain = small_ones().front().domain;
  const auto solver = this->solver_of(domain);
  const Values f = random_right_side(domain, 3);
  const Values expected = this->solved(*solver, domain, f);
  const RandomVelocity<TypeParam> velocity(domain);
  const auto on_gpu = device_copy(velocity.values(), this->stream_);
  solver->take_divergence(velocity.view(on_gpu.data()));
  solver->solve();
  EXPECT_EQ(this->solved(*solver, domain, f), expected);
}

TYPED_TEST(ThreePassCuda, AllocatesWhatItSays) {
  for (const NamedDomain& each : served_domains()) {
    SCOPED_TRACE(each.name);
    const MemoryWatch memory(MemorySpace::device);
    const auto solver = this->solver_of(each.domain);
    const std::int64_t said = three_pass_bytes(each.domain, sizeof(TypeParam));
    EXPECT_LE(memory.max_bytes(), said);
    EXPECT_GE(static_cast<double>(memory.max_bytes()), 0.99 * static_cast<double>(said));
    EXPECT_LE(said, direct_bytes(each.domain, sizeof(TypeParam), true));
  }
}

TYPED_TEST(ThreePassCuda, LeavesOtherDomainsToOthers) {
  const Domain domain{uniform_axis(64, true), uniform_axis(128, true), uniform_axis(128, true)};
  EXPECT_EQ(make_three_pass_direct<TypeParam>(domain, this->stream_), nullptr);
}

}  // namespace
}  // namespace bankfull::poisson
