#include "bankfull/core/base/error.hpp"
#include "tests/core/comm/list_exchange.hpp"
#include "tests/mpi_main.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace bankfull {
namespace {

template <class T>
std::unique_ptr<ListExchange<T>> exchange_of(const std::vector<ListNeighbour>& neighbours,
                                             int threads) {
  return make_list_exchange<T>(ListSetup{.ranks = test_ranks(), .neighbours = neighbours},
                               Team(threads));
}

template <class T>
void check_case(const ListCase& c, int threads) {
  const ListPart part(c, test_ranks());
  const auto exchange = exchange_of<T>(part.neighbours(), threads);
  EXPECT_EQ(exchange->sent_bytes(), part.sent() * static_cast<std::int64_t>(sizeof(T)));
  for (int round = 0; round < 4; ++round) {
    auto vector = part.filled<T>(round);  // another one each time
    exchange->start(vector.data());
    exchange->finish();
    expect_same(vector, part.exchanged<T>(round));
  }
}

TEST(ListExchange, BringsWhatIsListedAndNothingElse) {
  for (const ListCase& c : list_cases()) {
    SCOPED_TRACE(c.seed);
    check_case<float>(c, 1);
    check_case<double>(c, 2);
  }
}

TEST(ListExchange, BringsWhatIsListedAmongManyRandomLists) {
  for (unsigned seed = 100; seed < 130; ++seed) {
    SCOPED_TRACE(seed);
    check_case<double>(
        {.seed = seed, .own = 20, .max_sent = 6, .linked = 0.5, .symmetric = seed % 2 == 0}, 1);
  }
}

TEST(ListExchange, NobodyNeedsNeighbours) {
  const auto exchange = exchange_of<double>({}, 1);
  exchange->start(nullptr);
  exchange->finish();
  EXPECT_EQ(exchange->transport(), Transport::local);
  EXPECT_EQ(exchange->sent_bytes(), 0);
  EXPECT_FALSE(exchange->recordable());
}

TEST(ListExchange, RanksWithoutNeighboursTakePart) {
  const Communicator& ranks = test_ranks();
  if (ranks.size() < 3) {
    GTEST_SKIP() << "needs three ranks";
  }
  // Only the first two exchange, and in one direction only.
  std::vector<ListNeighbour> neighbours;
  if (ranks.rank() == 0) {
    neighbours.push_back({.rank = 1, .sent = {2, 0}});
  } else if (ranks.rank() == 1) {
    neighbours.push_back({.rank = 0, .received_begin = 3, .received = 2});
  }
  const auto exchange = exchange_of<float>(neighbours, 1);
  EXPECT_EQ(exchange->transport(), Transport::mpi);
  std::vector<float> vector{5.0F, 6.0F, 7.0F, 0.0F, 0.0F};
  exchange->start(vector.data());
  exchange->finish();
  const bool receives = ranks.rank() == 1;
  EXPECT_EQ(vector[3], receives ? 7.0F : 0.0F);
  EXPECT_EQ(vector[4], receives ? 5.0F : 0.0F);
}

TEST(ListExchange, WhoExchangesNothingIsNoNeighbour) {
  const Communicator& ranks = test_ranks();
  if (ranks.size() < 2) {
    GTEST_SKIP() << "needs two ranks";
  }
  // Rank 0 names a neighbour that does not name it.
  std::vector<ListNeighbour> neighbours;
  if (ranks.rank() == 0) {
    neighbours.push_back({.rank = 1});
  }
  const auto nothing = exchange_of<double>(neighbours, 1);
  EXPECT_EQ(nothing->transport(), Transport::local);
  check_case<double>({.seed = 9, .own = 8, .max_sent = 4, .symmetric = true}, 1);
}

TEST(ListExchange, TwoOfThemMayBeOnTheirWay) {
  const ListCase one{.seed = 20, .own = 50, .max_sent = 30, .symmetric = true};
  const ListCase other{.seed = 21, .own = 70, .max_sent = 40};
  const ListPart first_part(one, test_ranks());
  const ListPart second_part(other, test_ranks());
  const auto first = exchange_of<float>(first_part.neighbours(), 1);
  const auto second = exchange_of<double>(second_part.neighbours(), 1);
  auto first_vector = first_part.filled<float>(0);
  auto second_vector = second_part.filled<double>(1);
  first->start(first_vector.data());
  second->start(second_vector.data());
  second->finish();
  first->finish();
  expect_same(first_vector, first_part.exchanged<float>(0));
  expect_same(second_vector, second_part.exchanged<double>(1));
}

TEST(ListExchange, ManyInARowKeepOrder) {
  // Each exchange sends what the previous one received: a value travels around the ring.
  const Communicator& ranks = test_ranks();
  constexpr std::size_t count = 3;
  const auto exchange = exchange_of<double>(ring_neighbours(ranks, count), 1);
  std::vector<double> vector(2 * count, static_cast<double>(ranks.rank()));
  const int rounds = 50 * ranks.size() + 1;
  for (int n = 0; n < rounds; ++n) {
    exchange->exchange(vector.data());
    std::copy_n(vector.data() + count, count, vector.data());
  }
  const auto from = static_cast<double>((ranks.rank() + ranks.size() - 1) % ranks.size());
  EXPECT_EQ(vector, std::vector<double>(2 * count, from));
}

TEST(ListExchange, RefusesTransportsBetweenGpus) {
  EXPECT_THROW(make_list_exchange<float>(
                   ListSetup{.ranks = test_ranks(), .neighbours = {}, .transport = Transport::nccl},
                   Team(1)),
               UsageError);
}

}  // namespace
}  // namespace bankfull
