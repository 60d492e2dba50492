#include "bankfull/core/base/error.hpp"
#include "tests/core/comm/halo_exchange.hpp"
#include "tests/mpi_main.hpp"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace bankfull {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

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

/// What making an exchange on this rank says.
std::string refusal_of(const Decomposition& decomposition, const Layout& layout, int width = 1) {
  try {
    make_halo_exchange<float>(HaloSetup{.ranks = test_ranks(),
                                        .decomposition = decomposition,
                                        .layout = layout,
                                        .shape = {.width = width}},
                              Team(1));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(HaloExchange, RefusesADecompositionForOtherRanksOnAllRanks) {
  const int ranks = test_ranks().size();
  const Layout layout({8, 8, 8}, 1, sizeof(float));
  for (const int others : {ranks - 1, ranks + 1}) {
    if (others >= 1) {
      const Decomposition decomposition({8 * others, 8, 8}, {others, 1, 1}, {true, true, true});
      EXPECT_THAT(refusal_of(decomposition, layout),
                  AllOf(HasSubstr("a decomposition into " + std::to_string(others) + "x1x1 ranks"),
                        HasSubstr("a communicator of size " + std::to_string(ranks)),
                        HasSubstr("; cut the cells for as many ranks as there are")));
    }
  }
}

TEST(HaloExchange, RefusesALayoutWithTooFewGhostsOnAllRanks) {
  const int ranks = test_ranks().size();
  const Decomposition decomposition({8 * ranks, 8, 8}, {ranks, 1, 1}, {true, false, false});
  const Extents block = decomposition.block(test_ranks().rank()).extents();
  EXPECT_EQ(
      refusal_of(decomposition, Layout(block, 0, sizeof(float))),
      "a layout with ghosts of width 0 has no room for a halo of width 1; give it at least 1");
  EXPECT_EQ(
      refusal_of(decomposition, Layout(block, 1, sizeof(float)), 2),
      "a layout with ghosts of width 1 has no room for a halo of width 2; give it at least 2");
  EXPECT_EQ(refusal_of(decomposition, Layout(block, 2, sizeof(float)), 2), "no error");
}

TEST(HaloExchange, OneLayoutThatIsNotThatOfItsBlockIsRefusedOnAllRanks) {
  const int ranks = test_ranks().size();
  const Decomposition decomposition({8 * ranks, 8, 8}, {ranks, 1, 1}, {true, false, false});
  const bool is_last = test_ranks().rank() == ranks - 1;
  const Layout layout(is_last ? Extents{8, 8, 9} : Extents{8, 8, 8}, 1, sizeof(float));
  EXPECT_THAT(refusal_of(decomposition, layout),
              AllOf(HasSubstr("a layout of 8x8x9 cells is not that of the rank's block, which has "
                              "8x8x8"),
                    HasSubstr("; make it from decomposition.block")));
}

TEST(HaloExchange, ExchangesThatDifferAreRefusedOnAllRanks) {
  const int ranks = test_ranks().size();
  if (ranks == 1) {
    GTEST_SKIP() << "there is nobody to differ from";
  }
  const Decomposition decomposition({8 * ranks, 8, 8}, {ranks, 1, 1}, {true, false, false});
  const Layout layout({8, 8, 8}, 2, sizeof(float));
  const bool is_last = test_ranks().rank() == ranks - 1;
  EXPECT_THAT(refusal_of(decomposition, layout, is_last ? 2 : 1), HasSubstr("that differ"));
  const Decomposition closed({8 * ranks, 8, 8}, {ranks, 1, 1});
  EXPECT_THAT(refusal_of(is_last ? closed : decomposition, layout), HasSubstr("that differ"));
}

TEST(HaloExchange, OneTransportBetweenGpusIsRefusedOnAllRanks) {
  const Decomposition decomposition({64, 8, 8}, {test_ranks().size(), 1, 1});
  const Layout layout(decomposition.block(test_ranks().rank()).extents(), 1, sizeof(float));
  const bool is_last = test_ranks().rank() == test_ranks().size() - 1;
  EXPECT_THROW(make_halo_exchange<float>(
                   HaloSetup{.ranks = test_ranks(),
                             .decomposition = decomposition,
                             .layout = layout,
                             .transport = is_last ? Transport::nccl : Transport::automatic},
                   Team(1)),
               UsageError);
}

TEST(HaloExchange, RefusesAWindowSmallerThanTheBlock) {
  const int ranks = test_ranks().size();
  const Decomposition decomposition({8 * ranks, 8, 8}, {ranks, 1, 1}, {true, false, false});
  const auto make = [&](const Extents& window) {
    const Layout layout(window, 0, sizeof(float));
    return make_halo_exchange<float>(HaloSetup{.ranks = test_ranks(),
                                               .decomposition = decomposition,
                                               .layout = layout,
                                               .in_window = true},
                                     Team(1));
  };
  EXPECT_THROW(make({10, 8, 7}), UsageError);
  EXPECT_EQ(make({10, 8, 8})->sent_bytes(), ranks == 1 ? 0 : 2 * 64 * 4);
}

TEST(HaloExchange, RefusesNoFieldsNoWidthAndAnotherNumberOfFields) {
  const int ranks = test_ranks().size();
  const Decomposition decomposition({8 * ranks, 8, 8}, {ranks, 1, 1}, {true, false, false});
  const Layout layout({8, 8, 8}, 1, sizeof(float));
  EXPECT_THAT(refusal_of(decomposition, layout, 0), HasSubstr("a halo of width 0 has no cells"));
  const auto make = [&](int fields) {
    return make_halo_exchange<float>(HaloSetup{.ranks = test_ranks(),
                                               .decomposition = decomposition,
                                               .layout = layout,
                                               .fields = fields},
                                     Team(1));
  };
  EXPECT_THROW(make(0), UsageError);
  std::vector<float> values(static_cast<std::size_t>(layout.size()));
  const std::array<float*, 2> two{values.data() + layout.origin(), values.data() + layout.origin()};
  EXPECT_THROW(make(1)->start(two), UsageError);
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
