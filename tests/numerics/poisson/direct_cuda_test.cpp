#include "bankfull/build_config.hpp"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/memory/memory.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "tests/numerics/poisson/direct_cases.hpp"
#include "tests/numerics/poisson/host_copy.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull::poisson {
namespace {

template <class Real>
Values solved_on_gpu(const Domain& domain, const Values& f) {
  const Stream stream(Device::cuda(0));
  const auto solver = make_cuda_direct<Real>(domain, stream);
  HostCopy<Real>(domain, solver->right_side()).upload(f, stream);
  solver->solve();
  return HostCopy<Real>(domain, solver->solution()).download(stream);
}

template <class Real>
class DirectCuda : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(direct_unavailable(Device::cuda(0), direct_cases().front().domain), "");
  }
};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(DirectCuda, Reals);

TYPED_TEST(DirectCuda, SolvesToRounding) {
  for (const NamedDomain& each : direct_cases()) {
    SCOPED_TRACE(each.name);
    const Values f = rounded_to<TypeParam>(random_right_side(each.domain, 5));
    expect_solved<TypeParam>(each.domain, solved_on_gpu<TypeParam>(each.domain, f), f);
  }
}

TYPED_TEST(DirectCuda, TakesTheMeanAway) {
  expect_mean_taken_away<TypeParam>(
      all_boundaries({9, 6, 10}),
      [](const Domain& domain, const Values& f) { return solved_on_gpu<TypeParam>(domain, f); });
}

/// Where planes are stretched: every choice of axes and ends; more planes, rows and columns than a
/// tile of the products has.
std::vector<NamedDomain> stretched_planes() {
  std::vector<NamedDomain> result;
  if constexpr (build::eigen) {
    for (const Extents& extents :
         {Extents{5, 7, 6}, Extents{1, 5, 3}, Extents{3, 1, 7}, Extents{4, 6, 1}, Extents{2, 3, 4},
          Extents{9, 65, 80}, Extents{12, 33, 46}, Extents{3, 16, 130}}) {
      const auto more = all_stretchings(extents, extents.nk > 20 ? 1.05 : 1.3);
      result.insert(result.end(), more.begin(), more.end());
    }
    const Axis walls = gathered_axis(48, false, 5.0);
    const Axis periodic = gathered_axis(33, true, 3.0);
    result.push_back({"gathered", {walls, walls, walls}});
    result.push_back({"gathered_less", {walls, periodic, periodic}});
  }
  return result;
}

TYPED_TEST(DirectCuda, SolvesInStretchedPlanes) {
  for (const NamedDomain& each : stretched_planes()) {
    SCOPED_TRACE(each.name);
    ASSERT_EQ(direct_unavailable(Device::cuda(0), each.domain), "");
    const Values f = rounded_to<TypeParam>(random_right_side(each.domain, 5));
    expect_solved<TypeParam>(each.domain, solved_on_gpu<TypeParam>(each.domain, f), f,
                             Products::of_planes);
  }
}

/// Several chunks of planes, and a rest.
TYPED_TEST(DirectCuda, SolvesStretchedPlanesChunkByChunk) {
  if constexpr (build::eigen) {
    const Domain domain{stretched_axis(130, false, 1.01), gathered_axis(520, false, 1.0),
                        gathered_axis(523, false, 1.5)};
    const Values f = rounded_to<TypeParam>(random_right_side(domain, 7));
    expect_solved<TypeParam>(domain, solved_on_gpu<TypeParam>(domain, f), f, Products::of_planes);
  }
}

TYPED_TEST(DirectCuda, GivesTheSameBitsInAGraphOfProducts) {
  for (const NamedDomain& each : stretched_planes()) {
    SCOPED_TRACE(each.name);
    const Values f = random_right_side(each.domain, 2);
    const Values once = solved_on_gpu<TypeParam>(each.domain, f);
    const Stream stream(Device::cuda(0));
    const auto solver = make_cuda_direct<TypeParam>(each.domain, stream);
    solver->solve();
    const Graph graph(stream, [&] { solver->solve(); });
    HostCopy<TypeParam> copy(each.domain, solver->right_side());
    copy.upload(f, stream);
    graph.launch(stream);
    EXPECT_EQ(copy.download(stream), once);
  }
}

TYPED_TEST(DirectCuda, AllocatesNoMoreThanItSaysForProducts) {
  const Stream stream(Device::cuda(0));
  for (const NamedDomain& each : stretched_planes()) {
    SCOPED_TRACE(each.name);
    const MemoryWatch memory(MemorySpace::device);
    const auto solver = make_cuda_direct<TypeParam>(each.domain, stream);
    EXPECT_LE(memory.max_bytes(), direct_bytes(each.domain, sizeof(TypeParam), true));
  }
}

/// Planes of some 30 MB: several chunks of them, and a rest.
TYPED_TEST(DirectCuda, SolvesPlanesChunkByChunk) {
  for (const NamedDomain& each : all_boundaries({8, 2000, 2100})) {
    if (each.name[0] == 'w' && each.name[1] != each.name[2]) {
      SCOPED_TRACE(each.name);
      const Values f = rounded_to<TypeParam>(random_right_side(each.domain, 7));
      expect_solved<TypeParam>(each.domain, solved_on_gpu<TypeParam>(each.domain, f), f);
    }
  }
}

TYPED_TEST(DirectCuda, GivesTheSameBitsAgainAndInAGraph) {
  for (const NamedDomain& each : all_boundaries({20, 16, 24})) {
    SCOPED_TRACE(each.name);
    const Values f = random_right_side(each.domain, 2);
    const Values once = solved_on_gpu<TypeParam>(each.domain, f);
    const Stream stream(Device::cuda(0));
    const auto solver = make_cuda_direct<TypeParam>(each.domain, stream);
    solver->solve();
    const Graph graph(stream, [&] { solver->solve(); });
    HostCopy<TypeParam> copy(each.domain, solver->right_side());
    for (int time = 0; time < 2; ++time) {
      copy.upload(f, stream);
      graph.launch(stream);
      EXPECT_EQ(copy.download(stream), once);
    }
  }
}

TYPED_TEST(DirectCuda, AllocatesNoMoreThanItSays) {
  const Stream stream(Device::cuda(0));
  for (const Extents& extents :
       {Extents{20, 30, 50}, Extents{5, 1, 1}, Extents{64, 64, 32}, Extents{4, 521, 523}}) {
    for (const NamedDomain& each : all_boundaries(extents)) {
      SCOPED_TRACE(each.name);
      const MemoryWatch memory(MemorySpace::device);
      const auto solver = make_cuda_direct<TypeParam>(each.domain, stream);
      EXPECT_LE(memory.max_bytes(), direct_bytes(each.domain, sizeof(TypeParam), true));
      EXPECT_GE(memory.max_bytes(),
                each.domain.extents().count() * static_cast<std::int64_t>(sizeof(TypeParam)));
    }
  }
}

}  // namespace
}  // namespace bankfull::poisson
