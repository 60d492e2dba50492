#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/comm/thread_placement.hpp"
#include "tests/mpi_main.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace bankfull {
namespace {

/// Terms of very different sizes, so that the order of adding shows in the bits.
double term(int rank) { return std::sin(rank + 1.0) * std::pow(10.0, 3 * (rank % 5)); }

/// A number that identifies rank, round and position.
int content(int rank, int round, int place) { return rank * 1'000'000 + round * 1'000 + place; }

/// In place: the buffers of an exchange must stay where they are.
void fill(std::vector<int>& values, int rank, int round) {
  for (std::size_t n = 0; n < values.size(); ++n) {
    values[n] = content(rank, round, static_cast<int>(n));
  }
}

std::vector<int> contents(int rank, int round, std::size_t count) {
  std::vector<int> values(count);
  fill(values, rank, round);
  return values;
}

Message message(int rank, std::vector<int>& values) {
  return {rank, values.data(), values.size() * sizeof(int)};
}

int next_of(const Communicator& ranks) { return (ranks.rank() + 1) % ranks.size(); }
int previous_of(const Communicator& ranks) {
  return (ranks.rank() + ranks.size() - 1) % ranks.size();
}

template <class Error>
std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing of this kind was thrown";
}

TEST(MpiCommunicator, OneNodeHoldsAllRanks) {
  const Communicator& ranks = test_ranks();
  EXPECT_TRUE(ranks.on_one_node());
  EXPECT_EQ(ranks.local_rank(), ranks.rank());
  EXPECT_EQ(ranks.node(), 0);
  const RankSurvey survey = survey_ranks(ranks);
  EXPECT_EQ(survey.ranks, ranks.size());
  EXPECT_EQ(survey.nodes, 1);
  EXPECT_EQ(survey.ranks_per_node, ranks.size());
  EXPECT_GE(survey.default_threads, 1);
  EXPECT_FALSE(survey.mpi_library.empty());
}

TEST(MpiThreadPlacement, RanksThatShareProcessorsDivideTheCores) {
  const Communicator& ranks = test_ranks();
  const auto nothing = [](const char*) { return std::optional<std::string>(); };
  const ThreadPlacement place = place_threads(ranks, {.threads = 1}, SystemFiles(), nothing);
  const auto all = ranks.all_gather(place.numbers());
  const int cores = core_count(in_order_of_caches(SystemFiles(), process_processors()));
  if (ranks.size() > cores) {
    EXPECT_EQ(place.unbound_because, "the node has more ranks than cores");
    EXPECT_EQ(place.numbers(), process_processors());
    return;
  }
  std::vector<int> together;
  for (const auto& numbers : all) {
    EXPECT_FALSE(numbers.empty());
    together.insert(together.end(), numbers.begin(), numbers.end());
  }
  EXPECT_THAT(together, testing::UnorderedElementsAreArray(process_processors()));
}

TEST(MpiCommunicator, SumHasTheBitsOfTheSerialSum) {
  const Communicator& ranks = test_ranks();
  double serial = term(0);
  for (int rank = 1; rank < ranks.size(); ++rank) {
    serial += term(rank);
  }
  const double sum = ranks.sum(term(ranks.rank()));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(sum), std::bit_cast<std::uint64_t>(serial));
}

TEST(MpiCommunicator, Reductions) {
  const Communicator& ranks = test_ranks();
  const std::int64_t size = ranks.size();
  const std::int64_t rank = ranks.rank();
  EXPECT_EQ(ranks.sum(rank), size * (size - 1) / 2);
  EXPECT_EQ(ranks.max(-rank), 0);
  EXPECT_EQ(ranks.max(0.5 * static_cast<double>(rank)), 0.5 * static_cast<double>(size - 1));
  EXPECT_EQ(ranks.min(-rank), 1 - size);
  EXPECT_TRUE(ranks.all(true));
  EXPECT_EQ(ranks.all(rank > 0), false);
}

TEST(MpiCommunicator, MaxKeepsTheNanOfAnyRank) {
  const Communicator& ranks = test_ranks();
  for (int wrong = 0; wrong < ranks.size(); ++wrong) {
    const double mine = ranks.rank() == wrong ? std::nan("") : static_cast<double>(ranks.rank());
    EXPECT_TRUE(std::isnan(ranks.max(mine))) << "NaN on rank " << wrong;
  }
}

TEST(MpiCommunicator, GathersListsOfDifferentSizes) {
  const Communicator& ranks = test_ranks();
  // Every third is empty.
  const auto length = [](int rank) { return static_cast<std::size_t>(5 * (rank % 3)); };
  const auto lists = ranks.all_gather(contents(ranks.rank(), 0, length(ranks.rank())));
  ASSERT_EQ(lists.size(), static_cast<std::size_t>(ranks.size()));
  for (int rank = 0; rank < ranks.size(); ++rank) {
    EXPECT_EQ(lists[static_cast<std::size_t>(rank)], contents(rank, 0, length(rank)));
  }
  EXPECT_THAT(ranks.all_gather(std::vector<int>{}), testing::Each(testing::IsEmpty()));
}

TEST(MpiCommunicator, BlocksOfAllGoToAll) {
  const Communicator& ranks = test_ranks();
  // Different sizes in both directions, some of them empty.
  const auto length = [](int from, int to) {
    return static_cast<std::size_t>((from + 2 * to) % 4 * 100);
  };
  for (int round = 0; round < 2; ++round) {
    std::vector<int> sent;
    std::vector<int> expected;
    std::vector<std::size_t> sent_bytes;
    std::vector<std::size_t> received_bytes;
    for (int other = 0; other < ranks.size(); ++other) {
      // A block identifies its sender and, within its round, its receiver.
      const auto out = contents(ranks.rank(), 10 * other + round, length(ranks.rank(), other));
      const auto in = contents(other, 10 * ranks.rank() + round, length(other, ranks.rank()));
      sent.insert(sent.end(), out.begin(), out.end());
      expected.insert(expected.end(), in.begin(), in.end());
      sent_bytes.push_back(out.size() * sizeof(int));
      received_bytes.push_back(in.size() * sizeof(int));
    }
    std::vector<int> received(expected.size());
    ranks.all_to_all(sent.data(), sent_bytes, received.data(), received_bytes);
    EXPECT_EQ(received, expected);
  }
}

TEST(MpiCommunicator, APreparedExchangeWithAllIsDoneAgainAndAgain) {
  const Communicator& ranks = test_ranks();
  const auto size = static_cast<std::size_t>(ranks.size());
  std::vector<std::vector<int>> sent(size, std::vector<int>(100));
  std::vector<std::vector<int>> received = sent;
  std::vector<Message> sends;
  std::vector<Message> receives;
  for (std::size_t other = 0; other < size; ++other) {
    sends.push_back(message(static_cast<int>(other), sent[other]));
    receives.push_back(message(static_cast<int>(other), received[other]));
  }
  const auto exchange = ranks.prepare_all_to_all(sends, receives);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t other = 0; other < size; ++other) {
      fill(sent[other], ranks.rank(), 10 * static_cast<int>(other) + round);
    }
    exchange->exchange();
    for (std::size_t other = 0; other < size; ++other) {
      EXPECT_EQ(received[other], contents(static_cast<int>(other), 10 * ranks.rank() + round, 100));
    }
  }
}

TEST(MpiCommunicator, Broadcasts) {
  const Communicator& ranks = test_ranks();
  for (int root = 0; root < ranks.size(); ++root) {
    std::vector<int> values = contents(ranks.rank(), 0, 1000);
    ranks.broadcast(values.data(), values.size() * sizeof(int), root);
    EXPECT_EQ(values, contents(root, 0, 1000));
  }
}

TEST(MpiCommunicator, Barriers) {
  test_ranks().barrier();
  test_ranks().patient_barrier();
}

TEST(MpiCommunicator, PersistentRingExchange) {
  const Communicator& ranks = test_ranks();
  // Short messages are sent eagerly, long ones after a handshake.
  for (const std::size_t count : {std::size_t{1}, std::size_t{100'000}}) {
    std::vector<int> outgoing(count);
    std::vector<int> incoming(count);
    std::vector<Message> sends;
    std::vector<Message> receives;
    if (ranks.size() > 1) {
      sends.push_back(message(next_of(ranks), outgoing));
      receives.push_back(message(previous_of(ranks), incoming));
    }
    const auto exchange = ranks.prepare(sends, receives);
    for (int round = 0; round < 50; ++round) {
      fill(outgoing, ranks.rank(), round);
      exchange->start();
      exchange->finish();
      if (ranks.size() > 1) {
        ASSERT_EQ(incoming, contents(previous_of(ranks), round, count));
      }
    }
  }
}

TEST(MpiCommunicator, MessagesToRanksThatThereAreNotAreRefused) {
  const Communicator& ranks = test_ranks();
  int value = 0;
  for (const int other : {-1, ranks.rank(), ranks.size()}) {
    const Message message{.rank = other, .data = &value, .bytes = sizeof(value)};
    EXPECT_THROW(ranks.prepare({&message, 1}, {}), UsageError) << other;
    EXPECT_THROW(ranks.prepare({}, {&message, 1}), UsageError) << other;
  }
}

TEST(MpiCommunicator, ExchangesBetweenTheSameRanksDoNotMix) {
  const Communicator& ranks = test_ranks();
  if (ranks.size() == 1) {
    GTEST_SKIP() << "needs two ranks";
  }
  // Rank 0 shares one exchange more with its successor than any other pair has.
  std::vector<int> extra(1);
  if (ranks.rank() <= 1) {
    const std::vector<Message> both{message(1 - ranks.rank(), extra)};
    const auto unused = ranks.rank() == 0 ? ranks.prepare(both, {}) : ranks.prepare({}, both);
  }
  std::vector<int> out_a(300);
  std::vector<int> out_b(300);
  std::vector<int> in_a(300);
  std::vector<int> in_b(300);
  const int next = next_of(ranks);
  const int previous = previous_of(ranks);
  const std::vector<Message> sends_a{message(next, out_a)};
  const std::vector<Message> sends_b{message(next, out_b)};
  const std::vector<Message> receives_a{message(previous, in_a)};
  const std::vector<Message> receives_b{message(previous, in_b)};
  const auto a = ranks.prepare(sends_a, receives_a);
  const auto b = ranks.prepare(sends_b, receives_b);
  for (int round = 0; round < 20; ++round) {
    fill(out_a, ranks.rank(), round);
    fill(out_b, ranks.rank(), 500 + round);
    // In another order on every other rank.
    const bool a_first = ranks.rank() % 2 == 0;
    (a_first ? a : b)->start();
    (a_first ? b : a)->start();
    b->finish();
    a->finish();
    ASSERT_EQ(in_a, contents(previous, round, 300));
    ASSERT_EQ(in_b, contents(previous, 500 + round, 300));
  }
}

TEST(MpiCommunicator, FirstRanks) {
  const Communicator& ranks = test_ranks();
  for (int count = 1; count <= ranks.size(); ++count) {
    const auto some = ranks.first(count);
    ASSERT_EQ(some != nullptr, ranks.rank() < count);
    if (some) {
      EXPECT_EQ(some->size(), count);
      EXPECT_EQ(some->rank(), ranks.rank());
      EXPECT_EQ(some->sum(std::int64_t{1}), count);
    }
  }
}

TEST(MpiCommunicator, SplitsByColour) {
  const Communicator& ranks = test_ranks();
  // Colours 0 and 1 alternately; the last rank takes no part.
  const bool aside = ranks.rank() == ranks.size() - 1;
  const auto part = ranks.split(aside ? -1 : ranks.rank() % 2);
  ASSERT_EQ(part == nullptr, aside);
  if (part) {
    EXPECT_EQ(part->rank(), ranks.rank() / 2);
    const auto members = part->all_gather(ranks.rank());
    for (std::size_t n = 0; n < members.size(); ++n) {
      EXPECT_EQ(members[n], ranks.rank() % 2 + 2 * static_cast<int>(n));
    }
  }
}

TEST(MpiCommunicator, AgreePassesWhereNobodyFails) {
  int calls = 0;
  test_ranks().agree([&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(MpiCommunicator, AllThrowWhatOneThrew) {
  const Communicator& ranks = test_ranks();
  const int culprit = ranks.size() - 1;
  const std::string named = ranks.size() == 1 ? "" : "rank " + std::to_string(culprit) + ": ";
  const auto only_culprit = [&](const auto& fail) {
    return [&ranks, culprit, fail] {
      if (ranks.rank() == culprit) {
        fail();
      }
    };
  };
  EXPECT_EQ(message_of<UsageError>([&] {
              ranks.agree(only_culprit([] { throw UsageError("too large", "use less"); }));
            }),
            named + "too large; use less");
  EXPECT_EQ(message_of<RuntimeFailure>(
                [&] { ranks.agree(only_culprit([] { throw RuntimeFailure("broken"); })); }),
            named + "broken");
  EXPECT_EQ(message_of<RuntimeFailure>(
                [&] { ranks.agree(only_culprit([] { throw std::bad_alloc(); })); }),
            named + "out of memory");
}

TEST(MpiCommunicator, AgreeNamesTheLowestRankThatFailed) {
  const Communicator& ranks = test_ranks();
  EXPECT_EQ(
      message_of<RuntimeFailure>([&] { ranks.agree([] { throw RuntimeFailure("all alike"); }); }),
      "all alike");
  const auto own = [&] { throw RuntimeFailure("I am " + std::to_string(ranks.rank())); };
  EXPECT_EQ(message_of<RuntimeFailure>([&] { ranks.agree(own); }),
            ranks.size() == 1 ? "I am 0" : "rank 0: I am 0");
}

TEST(MpiCommunicator, OnRootRunsOnceAndAllThrow) {
  const Communicator& ranks = test_ranks();
  std::int64_t calls = 0;
  ranks.on_root([&] { ++calls; });
  EXPECT_EQ(ranks.sum(calls), 1);
  EXPECT_EQ(message_of<UsageError>([&] { ranks.on_root([] { throw UsageError("no file"); }); }),
            "no file");
}

TEST(MpiCommunicator, SharersUseTheSameThings) {
  const Communicator& ranks = test_ranks();
  const Sharers everybody = sharers_on_node(ranks, {7});
  EXPECT_EQ(everybody.place, ranks.rank());
  EXPECT_EQ(everybody.count, ranks.size());
  const Sharers nobody = sharers_on_node(ranks, {static_cast<std::uint64_t>(ranks.rank())});
  EXPECT_EQ(nobody.place, 0);
  EXPECT_EQ(nobody.count, 1);
}

}  // namespace
}  // namespace bankfull
