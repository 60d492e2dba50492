#include "bankfull/numerics/poisson/direct.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/memory/memory.hpp"
#include "bankfull/numerics/poisson/direct/cpu/divergence_rows.hpp"
#include "bankfull/numerics/poisson/direct/sizes.hpp"
#include "tests/numerics/poisson/direct_cases.hpp"
#include "tests/numerics/poisson/random_velocity.hpp"
#include "tests/refusal_text.hpp"
#include "tests/sleeping_member.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull::poisson {
namespace {

template <class Real>
void expect_solution(const Domain& domain) {
  const Values f = rounded_to<Real>(random_right_side(domain, 5));
  expect_solved<Real>(domain, solved_on_cpu<Real>(domain, f, 2), f);
}

class DirectCpuOn : public testing::TestWithParam<NamedDomain> {};

INSTANTIATE_TEST_SUITE_P(AllKinds, DirectCpuOn, testing::ValuesIn(direct_cases()), domain_name);

TEST_P(DirectCpuOn, SolvesToRounding) {
  const Domain& domain = GetParam().domain;
  ASSERT_EQ(direct_unavailable(Device::cpu(), domain), "");
  expect_solution<double>(domain);
  expect_solution<float>(domain);
}

template <class Real>
class DirectCpu : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(DirectCpu, Reals);

TYPED_TEST(DirectCpu, TakesTheMeanAway) {
  expect_mean_taken_away<TypeParam>(
      all_boundaries({9, 6, 10}),
      [](const Domain& domain, const Values& f) { return solved_on_cpu<TypeParam>(domain, f, 1); });
}

TYPED_TEST(DirectCpu, GivesTheSameBitsForAnyTeamAndEveryTime) {
  const Extents thin{37, 1, 60};  // several planes are transformed together
  const Extents few_rows{21, 3, 60};
  for (const Extents& cells : {Extents{13, 10, 150}, thin, few_rows}) {
    for (const NamedDomain& each : all_boundaries(cells)) {
      SCOPED_TRACE(each.name);
      const Values f = random_right_side(each.domain, 2);
      const Values once = solved_on_cpu<TypeParam>(each.domain, f, 1);
      EXPECT_EQ(solved_on_cpu<TypeParam>(each.domain, f, 2, 2), once);
      EXPECT_EQ(solved_on_cpu<TypeParam>(each.domain, f, 3), once);
    }
  }
}

TYPED_TEST(DirectCpu, AMemberThatSleepsChangesNoBit) {
  constexpr int threads = 3;
  for (const NamedDomain& each : all_boundaries({28, 96, 96})) {
    SCOPED_TRACE(each.name);
    const Values f = random_right_side(each.domain, 2);
    const Values once = solved_on_cpu<TypeParam>(each.domain, f, 1);
    for (int member = 0; member < threads; ++member) {
      const SleepingMember sleeper(threads, member);
      EXPECT_EQ(solved_on_cpu<TypeParam>(each.domain, f, threads), once);
    }
  }
}

/// Cores for which large domains go past the caches, whatever this machine has.
constexpr std::int64_t large_second_level = std::int64_t{2} << 20;

template <class Real>
void expect_divergence_taken(const Domain& domain) {
  const RandomVelocity<Real> velocity(domain);
  const Values expected = solved_on_cpu<Real>(domain, velocity.divergence());
  for (const int threads : {1, 3}) {
    const auto solver = make_cpu_direct<Real>(domain, threads, large_second_level);
    ASSERT_TRUE(solver->takes_divergence());
    solver->take_divergence(velocity.view(velocity.values().data()));
    solver->solve();
    EXPECT_EQ(take(domain, solver->solution()), expected);
  }
}

TEST_P(DirectCpuOn, TakesTheDivergenceOfAVelocity) {
  expect_divergence_taken<double>(GetParam().domain);
  expect_divergence_taken<float>(GetParam().domain);
}

TYPED_TEST(DirectCpu, TakesTheDivergenceOfLongRows) {
  for (const NamedDomain& each : all_boundaries({3, 5, 41})) {
    SCOPED_TRACE(each.name);
    expect_divergence_taken<TypeParam>(each.domain);
  }
}

TYPED_TEST(DirectCpu, TakesTheDivergencePastTheCaches) {
  constexpr auto wide = static_cast<std::int64_t>(8 / sizeof(TypeParam));
  const std::vector<NamedDomain> domains = all_boundaries({71, 100, 301 * wide});
  for (const std::size_t n : {0U, 3U, 5U, 6U}) {
    const NamedDomain& each = domains[n];
    SCOPED_TRACE(each.name);
    ASSERT_TRUE(goes_past_caches(each.domain, sizeof(TypeParam), large_second_level));
    expect_divergence_taken<TypeParam>(each.domain);
  }
}

TYPED_TEST(DirectCpu, TakesTheDivergencePastTheCachesInRowsOfAPowerOfTwo) {
  constexpr auto wide = static_cast<std::int64_t>(8 / sizeof(TypeParam));
  for (const NamedDomain& each : all_boundaries({70, 65, 512 * wide})) {
    SCOPED_TRACE(each.name);
    ASSERT_TRUE(goes_past_caches(each.domain, sizeof(TypeParam), large_second_level));
    expect_divergence_taken<TypeParam>(each.domain);
  }
}

/// The places of a field's row that are asked for: those of lines from its beginning on.
template <class Real>
std::vector<const Real*> lines_of_row(const Real* row, std::int64_t cells) {
  constexpr auto line = static_cast<std::int64_t>(cache_line_bytes / sizeof(Real));
  std::vector<const Real*> lines;
  for (std::int64_t k = 0; k < cells; k += line) {
    lines.push_back(row + k);
  }
  return lines;
}

TYPED_TEST(DirectCpu, AsksForTheRowsThatItFormsNext) {
  constexpr std::int64_t at_once = 16;
  const Extents n{3, 40, 21};
  const Domain domain = all_boundaries(n)[7].domain;
  const DivergenceRows<TypeParam> divergence(domain);
  const RandomVelocity<TypeParam> velocity(domain);
  const FaceVelocity<TypeParam> view = velocity.view(velocity.values().data());
  for (std::int64_t i = 0; i < n.ni; ++i) {
    for (std::int64_t end = at_once; end < n.nj + at_once; end += at_once) {
      // After the last rows of a plane come the first of the next.
      const bool in_plane = end < n.nj;
      const std::int64_t next_i = in_plane ? i : i + 1;
      const std::int64_t first = in_plane ? end : 0;
      std::vector<const TypeParam*> expected;
      for (std::int64_t j = first; next_i < n.ni && j < std::min(first + at_once, n.nj); ++j) {
        const std::int64_t row = next_i * view.plane_pitch + j * view.row_pitch;
        for (const TypeParam* const field :
             {view.along_i + view.plane_pitch, view.along_j, view.along_k}) {
          if (field != view.along_i + view.plane_pitch || next_i + 1 < n.ni) {
            const auto lines = lines_of_row(field + row, n.nk);
            expected.insert(expected.end(), lines.begin(), lines.end());
          }
        }
      }
      RowRequests<TypeParam> requests =
          divergence.requests_from(view, i, std::min(end, n.nj), at_once);
      std::vector<const TypeParam*> asked;
      while (!requests.are_done()) {
        requests.next([&](const TypeParam* line) { asked.push_back(line); });
      }
      EXPECT_THAT(asked, testing::UnorderedElementsAreArray(expected)) << i << ", " << end;
    }
  }
}

TYPED_TEST(DirectCpu, TakesADivergenceForOneSolve) {
  const Domain domain = all_boundaries({5, 6, 7})[2].domain;
  const Values f = random_right_side(domain, 3);
  const auto solver = make_cpu_direct<TypeParam>(domain, 2);
  const RandomVelocity<TypeParam> velocity(domain);
  solver->take_divergence(velocity.view(velocity.values().data()));
  solver->solve();
  put(domain, f, solver->right_side());
  solver->solve();
  EXPECT_EQ(take(domain, solver->solution()), solved_on_cpu<TypeParam>(domain, f));
}

TYPED_TEST(DirectCpu, AllocatesWhatItSays) {
  for (const Extents& cells : {Extents{20, 30, 50}, Extents{60, 64, 1200}}) {
    const Domain domain = all_boundaries(cells)[3].domain;
    const MemoryWatch memory(MemorySpace::host);
    const auto solver = make_cpu_direct<TypeParam>(domain, 2);
    EXPECT_EQ(memory.max_bytes(), direct_bytes(domain, sizeof(TypeParam), false, 2));
  }
}

TEST(Direct, LargeTransformedDomainsGoPastCaches) {
  const auto goes = [](const Domain& domain, std::size_t element_bytes) {
    return goes_past_caches(domain, element_bytes, large_second_level);
  };
  const Axis walls = uniform_axis(128, false);
  const Axis round = uniform_axis(128, true);
  EXPECT_TRUE(goes({walls, round, round}, sizeof(double)));
  EXPECT_TRUE(goes({stretched_axis(256, false, 1.1), round, walls}, sizeof(float)));
  EXPECT_FALSE(goes({walls, round, round}, sizeof(float)));
  EXPECT_FALSE(goes({uniform_axis(8, false), round, round}, sizeof(double)));
  EXPECT_FALSE(goes({walls, stretched_axis(128, false, 1.1), round}, sizeof(double)));
  // Planes that a second-level cache does not hold.
  const Axis long_axis = uniform_axis(1024, true);
  EXPECT_FALSE(goes({uniform_axis(8, false), long_axis, long_axis}, sizeof(double)));
  const Axis rows_of_half_a_block = uniform_axis(8, true);
  EXPECT_FALSE(goes({uniform_axis(2048, false), rows_of_half_a_block, round}, 8));
  EXPECT_FALSE(goes_past_caches({walls, round, round}, sizeof(double), large_second_level / 2));
  EXPECT_FALSE(goes_past_caches({walls, round, round}, sizeof(double), 0));
}

TEST(Direct, RefusesDomainsWithoutCells) {
  for (const RefusedDomain& each : refused_domains()) {
    EXPECT_EQ(refusal_text([&] { make_cpu_direct<double>(each.domain, 1); }), each.refusal);
  }
}

/// In builds with assertions and without them.
TEST(Direct, WithoutEigenASecondStretchedAxisIsRefused) {
  const Axis uniform = uniform_axis(4, true);
  const Axis stretched = stretched_axis(4, true, 1.2);
  for (const Domain& domain :
       {Domain{stretched, stretched, uniform}, {stretched, uniform, stretched}}) {
    const std::string refusal = refusal_text([&] { make_cpu_direct<double>(domain, 1); });
    if (build::eigen) {
      EXPECT_EQ(refusal, "");
    } else {
      EXPECT_THAT(refusal, testing::StartsWith("no direct solver of a domain stretched along j or "
                                               "k: two axes must be uniform"));
      EXPECT_THAT(refusal, testing::EndsWith("; stretch axis i alone, or use multigrid"));
    }
  }
}

TEST(Direct, SaysWhatItServes) {
  const Axis uniform = uniform_axis(4, true);
  const Axis stretched = stretched_axis(4, true, 1.2);
  EXPECT_EQ(direct_unavailable(Device::cpu(), {stretched, uniform, uniform}), "");
  for (const Domain& domain :
       {Domain{uniform, stretched, uniform}, {uniform, uniform, stretched}}) {
    const std::string on_cpu = direct_unavailable(Device::cpu(), domain);
    EXPECT_EQ(on_cpu.empty(), build::eigen) << on_cpu;
    if (!build::eigen) {
      EXPECT_EQ(direct_unavailable(Device::cuda(0), domain), on_cpu);
    }
  }
}

}  // namespace
}  // namespace bankfull::poisson
