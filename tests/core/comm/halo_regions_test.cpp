#include "bankfull/core/comm/halo_regions.hpp"

#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

using Reach = HaloShape::Reach;

template <class Visit>
void visit_cells(const Box& box, const Visit& visit) {
  for (std::int64_t i = box.i0; i < box.i1; ++i) {
    for (std::int64_t j = box.j0; j < box.j1; ++j) {
      for (std::int64_t k = box.k0; k < box.k1; ++k) {
        visit(i, j, k);
      }
    }
  }
}

constexpr std::int64_t unfilled = -1;

/// The cells of one rank with their ghosts, holding the number that the whole grid gives a cell.
class NumberedBlock {
 public:
  NumberedBlock(const Decomposition& decomposition, int rank, std::int64_t width)
      : whole_(decomposition.cells()),
        block_(decomposition.block(rank)),
        box_(grown(box_of(block_.extents()), width)),
        numbers_(static_cast<std::size_t>(box_.extents().count()), unfilled) {
    visit_cells(box_of(block_.extents()), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      at(i, j, k) = number_of(i, j, k);
    });
  }

  std::int64_t& at(std::int64_t i, std::int64_t j, std::int64_t k) {
    const Extents n = box_.extents();
    return numbers_.at(
        static_cast<std::size_t>(((i - box_.i0) * n.nj + (j - box_.j0)) * n.nk + (k - box_.k0)));
  }

  [[nodiscard]] const Box& with_ghosts() const { return box_; }
  [[nodiscard]] Extents extents() const { return block_.extents(); }

  /// The number of the cell there, around the end of the whole grid if need be.
  [[nodiscard]] std::int64_t number_of(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const auto wrapped = [](std::int64_t at, std::int64_t n) { return (at % n + n) % n; };
    return (wrapped(block_.i0 + i, whole_.ni) * whole_.nj + wrapped(block_.j0 + j, whole_.nj)) *
               whole_.nk +
           wrapped(block_.k0 + k, whole_.nk);
  }

 private:
  Extents whole_;
  Box block_;
  Box box_;
  std::vector<std::int64_t> numbers_;
};

int side(std::int64_t at, std::int64_t n) { return at < 0 ? -1 : (at >= n ? 1 : 0); }

using Mail = std::vector<std::int64_t>;

Mail packed(NumberedBlock& block, const HaloMessage& message) {
  Mail mail;
  for (const HaloRegion& region : message.sent) {
    visit_cells(region.interior, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      mail.push_back(block.at(i, j, k));
    });
  }
  return mail;
}

void unpack(NumberedBlock& block, const HaloMessage& message, const Mail& mail) {
  std::size_t next = 0;
  for (const HaloRegion& region : message.received) {
    visit_cells(region.ghosts, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      block.at(i, j, k) = mail.at(next++);
    });
  }
  EXPECT_EQ(next, mail.size());
}

const HaloMessage* message_to(const std::vector<HaloMessage>& messages, int rank) {
  const auto found = std::find_if(messages.begin(), messages.end(),
                                  [&](const HaloMessage& m) { return m.rank == rank; });
  return found == messages.end() ? nullptr : &*found;
}

void expect_right_ghosts(NumberedBlock& block, const Decomposition& decomposition, int rank,
                         const HaloShape& shape) {
  const Extents n = block.extents();
  visit_cells(block.with_ghosts(), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const Offset offset{side(i, n.ni), side(j, n.nj), side(k, n.nk)};
    const bool filled = offset.axes() <= static_cast<int>(shape.reach) &&
                        decomposition.neighbour(rank, offset).has_value();
    ASSERT_EQ(block.at(i, j, k), filled ? block.number_of(i, j, k) : unfilled)
        << "rank " << rank << " of " << to_string(decomposition.grid()) << " at " << i << " " << j
        << " " << k;
  });
}

/// All ranks exchange with each other, each message from its sender's list to its receiver's.
void expect_right_exchange(const Decomposition& decomposition, const HaloShape& shape) {
  std::vector<NumberedBlock> blocks;
  std::vector<std::vector<HaloMessage>> messages;
  for (int rank = 0; rank < decomposition.ranks(); ++rank) {
    blocks.emplace_back(decomposition, rank, shape.width);
    messages.push_back(halo_messages(decomposition, rank, shape));
  }
  std::int64_t busiest = 0;
  int max_messages = 0;
  for (int rank = 0; rank < decomposition.ranks(); ++rank) {
    const auto me = static_cast<std::size_t>(rank);
    std::int64_t sent = 0;
    int sent_messages = 0;
    for (const HaloMessage& received : messages[me]) {
      const auto other = static_cast<std::size_t>(received.rank);
      const HaloMessage* theirs = message_to(messages[other], rank);
      ASSERT_NE(theirs, nullptr);
      EXPECT_EQ(theirs->cells(), received.cells());
      unpack(blocks[me], received, packed(blocks[other], *theirs));
      sent += received.rank == rank ? 0 : received.cells();
      sent_messages += received.rank == rank ? 0 : 1;
    }
    busiest = std::max(busiest, sent);
    max_messages = std::max(max_messages, sent_messages);
    expect_right_ghosts(blocks[me], decomposition, rank, shape);
  }
  EXPECT_EQ(busiest_halo_cells(decomposition, shape), busiest);
  EXPECT_EQ(busiest_halo_messages(decomposition, shape), max_messages);
}

class ExchangeOf : public ::testing::TestWithParam<HaloShape> {};

TEST_P(ExchangeOf, FillsEveryGhostWithItsCell) {
  const HaloShape shape = GetParam();
  const std::vector<Periodicity> wraps{
      {}, {true, false, false}, {false, true, true}, {true, true, true}};
  for (const Extents& cells :
       {Extents{7, 5, 9}, Extents{8, 8, 8}, Extents{2, 11, 3}, Extents{16, 2, 4}}) {
    for (const Periodicity& periodic : wraps) {
      const DecompositionRules rules{.periodic = periodic, .halo_width = shape.width};
      for (int ranks = 1; ranks <= 8; ++ranks) {
        for (const RankGrid& grid : allowed_grids(cells, ranks, rules)) {
          expect_right_exchange(Decomposition(cells, grid, periodic), shape);
        }
      }
    }
  }
}

TEST_P(ExchangeOf, FillsEveryGhostAmongManyRanks) {
  for (const bool wraps : {false, true}) {
    const Periodicity periodic{wraps, wraps, wraps};
    expect_right_exchange(Decomposition({10, 7, 14}, {4, 3, 5}, periodic), GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ExchangeOf,
                         ::testing::Values(HaloShape{1, Reach::faces}, HaloShape{1, Reach::edges},
                                           HaloShape{1, Reach::corners}, HaloShape{2, Reach::faces},
                                           HaloShape{2, Reach::edges},
                                           HaloShape{2, Reach::corners}));

TEST(HaloMessages, ComeInTheOrderOfRanksAndOffsets) {
  const Decomposition decomposition({6, 6, 6}, {2, 1, 1}, {true, true, false});
  const auto messages = halo_messages(decomposition, 1, {1, Reach::edges});
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].rank, 0);
  EXPECT_EQ(messages[1].rank, 1);
  // Towards rank 0 along i both ways, alone and with a step along j.
  ASSERT_EQ(messages[0].sent.size(), 6U);
  for (std::size_t n = 0; n < messages[0].sent.size(); ++n) {
    EXPECT_EQ(messages[0].sent[n].offset, messages[0].received[n].offset.reversed());
  }
  EXPECT_EQ(messages[0].sent.front().offset, (Offset{-1, -1, 0}));
  EXPECT_EQ(messages[0].sent.front().interior, (Box{0, 1, 0, 1, 0, 6}));
  EXPECT_EQ(messages[0].sent.front().ghosts, (Box{-1, 0, -1, 0, 0, 6}));
}

TEST(HaloMessages, LeaveOutWhatIsNotWanted) {
  const Decomposition decomposition({6, 6, 6}, {2, 2, 1});
  const auto along_i = [](const Offset& offset) { return offset.dj == 0; };
  const auto messages = halo_messages(decomposition, 0, {1, Reach::edges}, along_i);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].rank, 2);
  EXPECT_EQ(messages[0].cells(), 3 * 6);
}

TEST(HaloMessages, OneRankAloneHasNone) {
  const Decomposition decomposition({6, 6, 1}, {1, 1, 1});
  EXPECT_TRUE(halo_messages(decomposition, 0, {2, Reach::corners}).empty());
  EXPECT_EQ(busiest_halo_cells(decomposition, {2, Reach::corners}), 0);
}

TEST(HaloMessages, RefuseBlocksThinnerThanTheHalo) {
  const auto refused = [](const Decomposition& decomposition) {
    EXPECT_THROW(static_cast<void>(halo_messages(decomposition, 0, {2, Reach::faces})), UsageError);
    EXPECT_THROW(static_cast<void>(busiest_halo_cells(decomposition, {2, Reach::faces})),
                 UsageError);
  };
  // The first rank has two cells; all ranks must agree that the second has too few.
  refused(Decomposition({3, 8, 8}, {2, 1, 1}));
  refused(Decomposition({8, 8, 1}, {1, 1, 1}, {false, false, true}));
}

}  // namespace
}  // namespace bankfull
