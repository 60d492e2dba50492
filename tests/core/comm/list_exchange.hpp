#pragma once

#include "bankfull/core/comm/list_exchange.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace bankfull {

/// Random lists between ranks that are checked element by element.
struct ListCase {
  unsigned seed = 0;
  int own = 0;          ///< elements of each rank
  int max_sent = 0;     ///< to one other rank
  double linked = 1.0;  ///< share of pairs that exchange anything
  bool symmetric =
      false;  ///< as many elements in both directions; else one direction may have none
};

inline std::vector<ListCase> list_cases() {
  return {
      {.seed = 1, .own = 40, .max_sent = 7, .linked = 0.6, .symmetric = true},
      {.seed = 2, .own = 300, .max_sent = 3000, .linked = 0.8, .symmetric = false},
      {.seed = 3, .own = 5000, .max_sent = 1100, .linked = 1.0, .symmetric = false},
      {.seed = 4, .own = 90000, .max_sent = 80000, .linked = 1.0, .symmetric = true},
      {.seed = 5, .own = 1, .max_sent = 1, .linked = 0.4, .symmetric = false},
      {.seed = 6, .own = 10, .max_sent = 5, .linked = 0.0, .symmetric = true},
  };
}

/// The same on all ranks, and not the same for (a, b) and (b, a).
inline std::mt19937 random_of(const ListCase& c, int a, int b) {
  std::seed_seq seeds{c.seed, static_cast<unsigned>(a), static_cast<unsigned>(b)};
  return std::mt19937(seeds);
}

inline int drawn(std::mt19937& random, int least, int most) {
  return std::uniform_int_distribution<int>(least, most)(random);
}

/// Elements of rank `from` that go to rank `to`: in no order, and some of them twice.
inline std::vector<std::int32_t> list_between(const ListCase& c, int from, int to) {
  std::mt19937 of_pair = random_of(c, std::min(from, to), std::max(from, to));
  const bool linked = std::uniform_real_distribution<double>(0.0, 1.0)(of_pair) < c.linked;
  if (from == to || !linked) {
    return {};
  }
  std::mt19937 of_way = random_of(c, from + 1000, to);
  const int count = c.symmetric ? drawn(of_pair, 1, c.max_sent) : drawn(of_way, 0, c.max_sent);
  std::vector<std::int32_t> list(static_cast<std::size_t>(count));
  for (std::int32_t& element : list) {
    element = drawn(of_way, 0, c.own - 1);
  }
  return list;
}

/// What an element holds in a round; every value is exact in fp32.
inline double element_value(int rank, int round, std::int64_t element) {
  return static_cast<double>(rank * 1'000'000 + round * 100'000) + static_cast<double>(element);
}

/// What no element holds: those of others, before an exchange.
inline constexpr double not_received = -1.0;

/// A rank's part of a case: own elements, then those of others, with one between them that must not
/// be touched.
class ListPart {
 public:
  ListPart(const ListCase& c, const Communicator& ranks) : case_(c), rank_(ranks.rank()) {
    size_ = c.own;
    for (int other = ranks.size() - 1; other >= 0; --other) {
      ListNeighbour neighbour;
      neighbour.rank = other;
      neighbour.sent = list_between(c, rank_, other);
      neighbour.received = static_cast<std::int64_t>(list_between(c, other, rank_).size());
      neighbour.received_begin = size_ + 1;
      if (!neighbour.sent.empty() || neighbour.received > 0) {
        size_ = neighbour.received_begin + neighbour.received;
        neighbours_.push_back(std::move(neighbour));
      }
    }
    ++size_;
  }

  [[nodiscard]] const std::vector<ListNeighbour>& neighbours() const { return neighbours_; }

  [[nodiscard]] std::int64_t sent() const {
    std::size_t elements = 0;
    for (const ListNeighbour& neighbour : neighbours_) {
      elements += neighbour.sent.size();
    }
    return static_cast<std::int64_t>(elements);
  }

  /// The vector before the exchange of a round.
  template <class T>
  [[nodiscard]] std::vector<T> filled(int round) const {
    std::vector<T> vector(static_cast<std::size_t>(size_), static_cast<T>(not_received));
    for (std::int64_t n = 0; n < case_.own; ++n) {
      vector[static_cast<std::size_t>(n)] = static_cast<T>(element_value(rank_, round, n));
    }
    return vector;
  }

  /// The vector after it.
  template <class T>
  [[nodiscard]] std::vector<T> exchanged(int round) const {
    std::vector<T> vector = filled<T>(round);
    for (const ListNeighbour& neighbour : neighbours_) {
      auto to = static_cast<std::size_t>(neighbour.received_begin);
      for (const std::int32_t element : list_between(case_, neighbour.rank, rank_)) {
        vector[to++] = static_cast<T>(element_value(neighbour.rank, round, element));
      }
    }
    return vector;
  }

 private:
  ListCase case_;
  int rank_;
  std::int64_t size_ = 0;
  std::vector<ListNeighbour> neighbours_;
};

template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  int wrong = 0;
  for (std::size_t n = 0; n < got.size(); ++n) {
    wrong += got[n] == expected[n] ? 0 : 1;
    if (got[n] != expected[n] && wrong <= 3) {
      ADD_FAILURE() << "element " << n << " holds " << got[n] << " instead of " << expected[n];
    }
  }
  EXPECT_EQ(wrong, 0);
}

/// Each rank sends its elements [0, count) to the next, which keeps them at [count, 2 count).
inline std::vector<ListNeighbour> ring_neighbours(const Communicator& ranks, std::size_t count) {
  if (ranks.size() == 1) {
    return {};
  }
  std::vector<std::int32_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  const auto received = static_cast<std::int64_t>(count);
  const int next = (ranks.rank() + 1) % ranks.size();
  const int previous = (ranks.rank() + ranks.size() - 1) % ranks.size();
  if (next == previous) {
    return {{.rank = next, .sent = all, .received_begin = received, .received = received}};
  }
  return {{.rank = next, .sent = all},
          {.rank = previous, .received_begin = received, .received = received}};
}

}  // namespace bankfull
