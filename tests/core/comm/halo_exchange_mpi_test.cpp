#include "bankfull/core/base/error.hpp"
#include "tests/core/comm/halo_exchange.hpp"
#include "tests/mpi_main.hpp"

#include <gtest/gtest.h>
#include <memory>

namespace bankfull {
namespace {

/// Fields of one rank, exchanged in host memory.
template <class T>
void check_case(const HaloCase& c, const RankGrid& grid, int threads) {
  const Communicator& ranks = test_ranks();
  const Decomposition decomposition(c.cells, grid, c.periodic);
  const Box block = decomposition.block(ranks.rank());
  const Layout layout(block.extents(), c.ghosts, sizeof(T));
  const auto exchange = make_halo_exchange<T>(HaloSetup{.ranks = ranks,
                                                        .decomposition = decomposition,
                                                        .layout = layout,
                                                        .shape = c.shape,
                                                        .fields = c.fields},
                                              Team(threads));
  for (int round = 0; round < 4; ++round) {
    std::vector<std::vector<T>> fields;
    std::vector<T*> origins;
    fields.reserve(static_cast<std::size_t>(c.fields));
    for (int f = 0; f < c.fields; ++f) {
      fields.push_back(filled<T>(c, layout, block, f, round));
      origins.push_back(fields.back().data() + layout.origin());
    }
    exchange->start(origins);
    exchange->finish();
    for (int f = 0; f < c.fields; ++f) {
      expect_exchanged(c, layout, block, f, round, fields[static_cast<std::size_t>(f)]);
    }
  }
}

TEST(HaloExchange, FillsTheGhostsWithinReachAndNoOthers) {
  for (const HaloCase& c : halo_cases()) {
    for (const RankGrid& grid : rank_grids(test_ranks().size(), c)) {
      SCOPED_TRACE(to_string(grid));
      check_case<float>(c, grid, 1);
      check_case<double>(c, grid, 2);
    }
  }
}

TEST(HaloExchange, TwoOfThemMayBeOnTheirWay) {
  const Communicator& ranks = test_ranks();
  const HaloCase c{{24, 8, 8}, {true, false, false}, {1, HaloShape::Reach::faces}, 1, 1};
  const Decomposition decomposition(c.cells, {ranks.size(), 1, 1}, c.periodic);
  const Box block = decomposition.block(ranks.rank());
  const Layout layout(block.extents(), 1, sizeof(float));
  const auto one_side = [&](int side) {
    return make_halo_exchange<float>(
        HaloSetup{.ranks = ranks,
                  .decomposition = decomposition,
                  .layout = layout,
                  .shape = c.shape,
                  .wanted = [side](const Offset& o) { return o.di == side; }},
        Team(1));
  };
  // A neighbour that is left out on one side is served by the other exchange: the sides of a pair
  // differ between odd and even ranks.
  if (ranks.size() % 2 != 0) {
    GTEST_SKIP() << "pairs need an even number of ranks";
  }
  const bool even = ranks.rank() % 2 == 0;
  const auto first = one_side(even ? -1 : +1);
  const auto second = one_side(even ? +1 : -1);
  auto field = filled<float>(c, layout, block, 0, 0);
  float* const origin = field.data() + layout.origin();
  first->start(std::span<float* const>(&origin, 1));
  second->start(std::span<float* const>(&origin, 1));
  second->finish();
  first->finish();
  expect_exchanged(c, layout, block, 0, 0, field);
}

TEST(HaloExchange, RefusesTransportsBetweenGpus) {
  const Decomposition decomposition({64, 8, 8}, {test_ranks().size(), 1, 1});
  const Layout layout(decomposition.block(test_ranks().rank()).extents(), 1, sizeof(float));
  EXPECT_THROW(make_halo_exchange<float>(HaloSetup{.ranks = test_ranks(),
                                                   .decomposition = decomposition,
                                                   .layout = layout,
                                                   .transport = Transport::nccl},
                                         Team(1)),
               UsageError);
}

TEST(HaloExchange, CountsTheBytesThatLeave) {
  const int size = test_ranks().size();
  const Decomposition decomposition({8 * size, 6, 10}, {size, 1, 1}, {true, false, true});
  const Layout layout(decomposition.block(test_ranks().rank()).extents(), 1, sizeof(double));
  const auto exchange = make_halo_exchange<double>(
      HaloSetup{
          .ranks = test_ranks(), .decomposition = decomposition, .layout = layout, .fields = 3},
      Team(1));
  EXPECT_EQ(exchange->sent_bytes(), size == 1 ? 0 : 3 * 2 * 6 * 10 * 8);
  EXPECT_EQ(exchange->transport(), size == 1 ? Transport::local : Transport::mpi);
}

}  // namespace
}  // namespace bankfull
