#include "bankfull/workloads/npb/ft/ft.hpp"
#include "bankfull/workloads/npb/ft/slabs.hpp"
#include "tests/alone.hpp"
#include "tests/mpi_main.hpp"
#include "tests/workloads/npb/verification.hpp"

namespace bankfull::npb::ft {
namespace {

/// Sides that no test's number of ranks divides.
constexpr FtParameters odd_field{.nx = 16, .ny = 13, .nz = 11, .iterations = 1};

/// A number that encodes a block's position.
double content(std::int64_t block_x, std::int64_t y, std::int64_t z) {
  return static_cast<double>((z * 100 + y) * 100 + block_x);
}

/// Every second number of a block's, so that its other half shows if it moves.
void write(double* at, double value) {
  for (std::int64_t n = 0; n < block; ++n) {
    at[n] = value + (n % 2 == 0 ? 0.0 : 0.5);
  }
}

void expect_block(const double* at, double value) {
  for (std::int64_t n = 0; n < block; ++n) {
    ASSERT_EQ(at[n], value + (n % 2 == 0 ? 0.0 : 0.5));
  }
}

/// body(block, content, own) for all blocks of this rank's planes.
template <class Body>
void for_planes(const Slabs& slabs, const PlanePieces& pieces, const Body& body) {
  for (const PlanePiece& piece : pieces) {
    for (std::int64_t z = 0; z < slabs.planes().size(); ++z) {
      for (std::int64_t y = 0; y < piece.rows.size(); ++y) {
        for (std::int64_t x = 0; x < slabs.ft().nx / lanes; ++x) {
          body(piece.at(x, z) + y * pieces.row(),
               content(x, piece.rows.begin + y, slabs.planes().begin + z));
        }
      }
    }
  }
}

template <class Body>
void for_slab(const Slabs& slabs, const Slab& slab, const Body& body) {
  for (std::int64_t z = 0; z < slabs.ft().nz; ++z) {
    for (std::int64_t y = 0; y < slabs.rows().size(); ++y) {
      for (std::int64_t x = 0; x < slabs.ft().nx / lanes; ++x) {
        body(slab.at(x, y, z), content(x, slabs.rows().begin + y, z));
      }
    }
  }
}

TEST(FtSlabs, ExchangeRowsForPlanesBothWays) {
  const Communicator& ranks = test_ranks();
  const Team team(2);
  const Slabs slabs(odd_field, ranks.rank(), ranks.size());
  const Slab slab(slabs, team);
  const ForeignRows foreign(slabs, team);
  const PlanePieces pieces(slabs, slab, foreign);
  const auto forward = ranks.prepare(messages_of(slabs, foreign), messages_of(slabs, slab));
  const auto back = ranks.prepare(messages_of(slabs, slab), messages_of(slabs, foreign));

  for_planes(slabs, pieces, write);
  forward->start();
  forward->finish();
  for_slab(slabs, slab, expect_block);

  for_planes(slabs, pieces, [](double* at, double value) { write(at, -value); });
  for_slab(slabs, slab, write);
  back->start();
  back->finish();
  for_planes(slabs, pieces, expect_block);
}

/// Transforms do not depend on the number of ranks, and terms are added in the order of planes.
TEST(FtOnRanks, HasTheBitsOfOneRank) {
  for (const Class size : {Class::s, Class::w}) {
    const int threads = test_ranks().size() <= 2 ? 2 : 1;
    const auto one = make_cpu({.size = size}, alone());
    const auto all = make_cpu({.size = size, .threads = threads}, test_ranks());
    expect_verified(*one);
    expect_verified(*all);
    EXPECT_EQ(all->checks().front().value, one->checks().front().value);
  }
}

TEST(FtOnRanks, RefusesRanksWithoutPlanes) {
  // 128 rows, 32 planes
  EXPECT_EQ(refusal_of_ranks({.size = Class::w}, 32), "");
  EXPECT_NE(refusal_of_ranks({.size = Class::w}, 33).find("32 planes"), std::string::npos);
}

TEST(FtMemory, FallsWithTheRanks) {
  for (const Class size : {Class::b, Class::d}) {
    const auto one = static_cast<double>(cpu_memory_bytes(size, 1, 1));
    const auto eight = static_cast<double>(cpu_memory_bytes(size, 1, 8));
    // Two fields on one rank, and what others sent on eight.
    EXPECT_LT(eight, 1.1 * 1.5 * one / 8.0);
    EXPECT_GT(eight, one / 8.0);
  }
}

}  // namespace
}  // namespace bankfull::npb::ft
