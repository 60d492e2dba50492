#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"
#include "tests/mpi_main.hpp"
#include "tests/numerics/poisson/domains.hpp"
#include "tests/refusal_text.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace bankfull::poisson {
namespace {

/// All that shares a domain among the ranks of this test: none where some would have no cell, or
/// lines would be cut.
std::vector<RankGrid> grids_of(const Domain& domain) {
  const Extents n = domain.extents();
  const int size = test_ranks().size();
  std::vector<RankGrid> grids;
  for (int i = 1; i <= size; ++i) {
    const RankGrid grid{i, size / i, 1};
    const int uncut = uncut_axis(domain);
    const bool cuts_lines = (uncut == 0 && grid.i > 1) || (uncut == 1 && grid.j > 1);
    if (grid.count() == size && grid.i <= n.ni && grid.j <= n.nj && !cuts_lines) {
      grids.push_back(grid);
    }
  }
  return grids;
}

template <class Real>
void put_block(const Domain& domain, const Box& block, const Values& values,
               const CellSlots<Real>& slots) {
  for_cells(domain, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t place) {
    if (i >= block.i0 && i < block.i1 && j >= block.j0 && j < block.j1) {
      slots(i - block.i0, j - block.j0, k) = static_cast<Real>(values[place]);
    }
  });
}

/// Cells of the block, and those before it that a projection reads, whose bits are not one rank's.
template <class Real>
std::int64_t different(const Domain& domain, const Sharing& sharing, const Values& expected,
                       const CellSlots<Real>& slots) {
  const Extents n = domain.extents();
  const Decomposition cut = cut_of(domain, sharing.grid);
  const Box block = cut.block(sharing.rank());
  const bool before_i = block.i0 > 0 || cut.periodic().i;
  const bool before_j = block.j0 > 0 || cut.periodic().j;
  std::int64_t count = 0;
  for (std::int64_t i = block.i0 - (before_i ? 1 : 0); i < block.i1; ++i) {
    for (std::int64_t j = block.j0 - (before_j ? 1 : 0); j < block.j1; ++j) {
      for (std::int64_t k = 0; k < n.nk; ++k) {
        const std::int64_t place = ((i + n.ni) % n.ni * n.nj + (j + n.nj) % n.nj) * n.nk + k;
        const auto found = static_cast<double>(slots(i - block.i0, j - block.j0, k));
        count += found == expected[static_cast<std::size_t>(place)] ? 0 : 1;
      }
    }
  }
  return count;
}

template <class Real>
void expect_bits_of_one_rank(const Domain& domain, const RankGrid& grid, std::int64_t min_cells,
                             int threads) {
  const Sharing sharing{&test_ranks(), grid, min_cells};
  const Box block = cut_of(domain, grid).block(sharing.rank());
  const Stopping stopping{.tolerance = sizeof(Real) == 8 ? 1e-9 : 1e-4, .max_cycles = 12};
  const auto shared = make_cpu_multigrid<Real>(domain, stopping, threads, sharing);
  const auto alone = make_cpu_multigrid<Real>(domain, stopping, 1);
  // From nothing, from a solution, and from one that somebody has changed.
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Values f = random_values(domain, seed);
    for (double& value : f) {
      value = 1.0 / static_cast<double>(seed) * value + 0.3;
    }
    put(domain, f, alone->right_side());
    put_block(domain, block, f, shared->right_side());
    if (seed == 3) {
      Values start = take(domain, alone->solution());
      for (double& value : start) {
        value *= 0.5;
      }
      put(domain, start, alone->solution());
      put_block(domain, block, start, shared->solution());
    }
    alone->solve();
    shared->solve();
    EXPECT_EQ(different(domain, sharing, take(domain, alone->solution()), shared->solution()), 0);
    EXPECT_EQ(shared->outcome().cycles, alone->outcome().cycles);
    EXPECT_EQ(shared->outcome().residual, alone->outcome().residual);
    EXPECT_EQ(shared->outcome().converged, alone->outcome().converged);
  }
}

class MultigridOnRanks : public testing::TestWithParam<NamedDomain> {};

std::vector<NamedDomain> domains() {
  std::vector<NamedDomain> result;
  const auto add = [&](const std::vector<NamedDomain>& more) {
    result.insert(result.end(), more.begin(), more.end());
  };
  add(uniform_shapes());
  add(stretched_shapes());
  add(all_boundaries({33, 40, 6}));
  add(all_boundaries({48, 12, 5}));
  add(all_boundaries({14, 64, 3}));
  add(gathered_domains(LinesAlong::i_or_j));
  result.push_back(
      {"points_on_stretched",
       {stretched_axis(40, false, 1.02), stretched_axis(60, false, 1.012), uniform_axis(7, true)}});
  result.push_back({"flat_cells_shared",
                    {uniform_axis(40, false, 0.2), uniform_axis(48, true), uniform_axis(6, true)}});
  result.push_back({"long_cells_shared",
                    {uniform_axis(64, true), uniform_axis(36, false, 5.0), uniform_axis(6, true)}});
  result.push_back(
      {"many_levels", {uniform_axis(256, true), uniform_axis(130, false), uniform_axis(2, true)}});
  return result;
}

INSTANTIATE_TEST_SUITE_P(AllKinds, MultigridOnRanks, testing::ValuesIn(domains()), domain_name);

TEST_P(MultigridOnRanks, HasTheBitsOfOneRank) {
  const Domain& domain = GetParam().domain;
  for (const RankGrid& grid : grids_of(domain)) {
    SCOPED_TRACE(to_string(grid));
    expect_bits_of_one_rank<double>(domain, grid, 0, 1);
    expect_bits_of_one_rank<float>(domain, grid, 0, 2);
  }
}

TEST(MultigridOnRanks, AllRanksRefuseAGridThatItCannotServe) {
  const int size = test_ranks().size();
  const Axis cells = uniform_axis(16, true);
  const auto refusal = [&](const Domain& domain, const RankGrid& grid) {
    return refusal_text(
        [&] { make_cpu_multigrid<double>(domain, {}, 1, {.ranks = &test_ranks(), .grid = grid}); });
  };
  EXPECT_EQ(refusal({cells, cells, cells}, {size + 1, 1, 1}),
            "a grid of " + std::to_string(size + 1) +
                "x1x1 ranks cannot be that of a communicator of size " + std::to_string(size) +
                "; cut the domain for as many ranks as there are");
  if (size > 1) {
    const std::string ranks = std::to_string(size);
    EXPECT_EQ(refusal({cells, cells, cells}, {1, 1, size}),
              "multigrid does not cut a domain along k, as 1x1x" + ranks +
                  " ranks would; cut it along i and j");
    EXPECT_EQ(refusal({gathered_axis(16, false, 3.0), cells, cells}, {size, 1, 1}),
              ranks +
                  "x1x1 ranks cut the lines that multigrid relaxes along i; do not cut this "
                  "axis");
  }
}

/// Wherever gathering begins.
TEST(MultigridOnRanks, GathersEarlierOrLater) {
  const Domain domain{uniform_axis(48, false), uniform_axis(64, true), uniform_axis(16, true)};
  for (const RankGrid& grid : grids_of(domain)) {
    for (const std::int64_t min_cells : {100, 1000, 4096, 1 << 20}) {
      SCOPED_TRACE(to_string(grid) + " from " + std::to_string(min_cells));
      expect_bits_of_one_rank<double>(domain, grid, min_cells, 1);
    }
  }
}

}  // namespace
}  // namespace bankfull::poisson
