#include "bankfull/workloads/npb/cg/block_messages.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull::npb::cg {
namespace {

constexpr std::int64_t rows = 210;
constexpr double nothing = -1.0;

const std::vector<int>& numbers_of_ranks() {
  static const std::vector<int> numbers{1, 2, 3, 4, 5, 6, 8, 9, 12, 13};
  return numbers;
}

using Vectors = std::vector<std::vector<double>>;

const ListNeighbour* neighbour_of(const std::vector<ListNeighbour>& neighbours, int rank) {
  for (const ListNeighbour& neighbour : neighbours) {
    if (neighbour.rank == rank) {
      return &neighbour;
    }
  }
  return nullptr;
}

/// Imitates a ListExchange of all ranks.
template <class Plan>
void exchange_all(const std::vector<Plan>& plans, Vectors& vectors) {
  const Vectors before = vectors;
  for (std::size_t to = 0; to < plans.size(); ++to) {
    for (const ListNeighbour& neighbour : plans[to].neighbours) {
      const auto from = static_cast<std::size_t>(neighbour.rank);
      const ListNeighbour* const there = neighbour_of(plans[from].neighbours, static_cast<int>(to));
      ASSERT_NE(there, nullptr);
      ASSERT_EQ(static_cast<std::int64_t>(there->sent.size()), neighbour.received);
      for (std::size_t n = 0; n < there->sent.size(); ++n) {
        vectors[to].at(static_cast<std::size_t>(neighbour.received_begin) + n) =
            before[from].at(static_cast<std::size_t>(there->sent[n]));
      }
    }
  }
}

template <class Plan>
Vectors vectors_of(const std::vector<Plan>& plans) {
  Vectors vectors;
  for (const Plan& plan : plans) {
    vectors.emplace_back(static_cast<std::size_t>(plan.size), nothing);
  }
  return vectors;
}

void expect_gathered(Kept kept, int ranks) {
  std::vector<GatherPlan> plans;
  for (int rank = 0; rank < ranks; ++rank) {
    plans.push_back(plan_gather(rows, kept, rank, ranks));
  }
  Vectors vectors = vectors_of(plans);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const Range piece = piece_of(rows, rank, ranks);
    for (std::int64_t n = 0; n < piece.size(); ++n) {
      const auto value = static_cast<double>(piece.begin + n);
      vectors[r].at(static_cast<std::size_t>(plans[r].piece_begin + n)) = value;
      if (n >= plans[r].own.begin && n < plans[r].own.end) {
        vectors[r].at(static_cast<std::size_t>(plans[r].own_begin + n - plans[r].own.begin)) =
            value;
      }
    }
  }
  exchange_all(plans, vectors);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    EXPECT_EQ(plans[r].piece_begin % 2, 0);
    std::size_t n = 0;
    for (const Range& range : block_of(rows, kept, rank, ranks).inputs()) {
      for (std::int64_t element = range.begin; element < range.end; ++element) {
        EXPECT_EQ(vectors[r].at(n++), static_cast<double>(element));
      }
    }
    EXPECT_LE(static_cast<std::int64_t>(n), plans[r].piece_begin);
  }
}

/// Elements encode the rank and the row of the sum.
double sum_of(int rank, std::int64_t row) { return static_cast<double>(1000 * rank + row); }

void expect_reduced(Kept kept, int ranks) {
  std::vector<ReducePlan> plans;
  for (int rank = 0; rank < ranks; ++rank) {
    plans.push_back(plan_reduce(rows, kept, rank, ranks));
  }
  Vectors vectors = vectors_of(plans);
  std::vector<std::vector<int>> expected(static_cast<std::size_t>(rows));
  for (int rank = 0; rank < ranks; ++rank) {
    std::size_t n = 0;
    for (const Range& range : block_of(rows, kept, rank, ranks).outputs()) {
      for (std::int64_t row = range.begin; row < range.end; ++row) {
        vectors[static_cast<std::size_t>(rank)].at(n++) = sum_of(rank, row);
        expected[static_cast<std::size_t>(row)].push_back(rank);
      }
    }
  }
  exchange_all(plans, vectors);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const Range piece = piece_of(rows, rank, ranks);
    for (std::int64_t row = piece.begin; row < piece.end; ++row) {
      std::vector<double> found;
      for (const Contribution& from : plans[r].contributions) {
        const std::int64_t n = row - piece.begin - from.elements.begin;
        if (n >= 0 && n < from.elements.size()) {
          found.push_back(vectors[r].at(static_cast<std::size_t>(from.begin + n)));
        }
      }
      const std::vector<int>& finders = expected[static_cast<std::size_t>(row)];
      ASSERT_EQ(found.size(), finders.size());
      for (std::size_t n = 0; n < found.size(); ++n) {
        EXPECT_EQ(found[n], sum_of(finders[n], row));
      }
    }
  }
}

TEST(CgMessages, BringEachBlockItsInputs) {
  for (const Kept kept : {Kept::all, Kept::upper}) {
    for (const int ranks : numbers_of_ranks()) {
      SCOPED_TRACE(ranks);
      expect_gathered(kept, ranks);
    }
  }
}

TEST(CgMessages, BringAllSumsToTheOwnersInTheOrderOfRanks) {
  for (const Kept kept : {Kept::all, Kept::upper}) {
    for (const int ranks : numbers_of_ranks()) {
      SCOPED_TRACE(ranks);
      expect_reduced(kept, ranks);
    }
  }
}

TEST(CgMessages, OfSlicesOfRowsNeedNoSums) {
  for (int rank = 0; rank < 3; ++rank) {
    const ReducePlan plan = plan_reduce(rows, Kept::all, rank, 3);
    EXPECT_EQ(plan.contributions.size(), 1U);
    EXPECT_EQ(plan.size, 70);
  }
}

}  // namespace
}  // namespace bankfull::npb::cg
