#include "bankfull/workloads/probe/link.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/probe/run.hpp"

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>

namespace bankfull::probe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Problem links_from(std::int64_t from, std::int64_t to, bool quick = false) {
  Problem problem;
  problem.part = Part::link;
  problem.quick = quick;
  problem.working_set_from = from;
  problem.working_set_to = to;
  return problem;
}

/// The message of the UsageError that `action` throws.
std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no complaint";
}

/// A timer whose exchanges do what a test says.
class FakeTimer final : public LinkTimer {
 public:
  using Change = std::function<void(std::vector<float>&)>;
  explicit FakeTimer(Change change) : change_(std::move(change)) {}

  [[nodiscard]] int exchanges_per_batch() const override { return 1; }
  double seconds(int /*batches*/) override { return 1.0; }
  std::vector<float> exchanged(const std::vector<float>& cells) override {
    std::vector<float> values = cells;
    change_(values);
    return values;
  }

 private:
  Change change_;
};

TEST(LinkPatterns, ArePairsWithTheFirstRankAndTheRing) {
  const auto of_three = link_patterns(3);
  ASSERT_EQ(of_three.size(), 3U);
  EXPECT_EQ(to_string(of_three[0]), "pair 0-1");
  EXPECT_EQ(to_string(of_three[1]), "pair 0-2");
  EXPECT_EQ(to_string(of_three[2]), "ring");
  EXPECT_THAT(of_three[1].ranks, ElementsAre(0, 2));
  EXPECT_THAT(of_three[2].ranks, ElementsAre(0, 1, 2));
  EXPECT_TRUE(of_three[1].includes(2));
  EXPECT_FALSE(of_three[1].includes(1));
}

TEST(LinkPatterns, OfManyRanksAreFew) {
  const auto patterns = link_patterns(100);
  ASSERT_EQ(patterns.size(), 9U);
  EXPECT_EQ(to_string(patterns[7]), "pair 0-8");
  EXPECT_EQ(patterns.back().ranks.size(), 100U);
}

TEST(FaceSizes, ArePowersOfFourAndTheEnds) {
  EXPECT_THAT(face_sizes(links_from(8, 1024)), ElementsAre(8, 16, 64, 256, 1024));
  EXPECT_THAT(face_sizes(links_from(64, 100)), ElementsAre(64, 100));
  EXPECT_THAT(face_sizes(links_from(4, 4)), ElementsAre(4));
  EXPECT_THAT(face_sizes(links_from(8, 4 * mib, true)),
              ElementsAre(8, 16, 256, 4 * kib, 64 * kib, mib, 4 * mib));
}

TEST(FaceSizes, OfTheDefaultsHoldTheNamedOne) {
  for (const bool quick : {false, true}) {
    const Problem problem = complete(links_from(0, 0, quick));
    const auto sizes = face_sizes(problem);
    EXPECT_EQ(sizes.front(), 8);
    EXPECT_EQ(sizes.back(), (quick ? 4 : 64) * mib);
    EXPECT_THAT(sizes, testing::Contains(64 * kib));
  }
}

TEST(LinkProblem, ComplainsAboutNonsense) {
  EXPECT_THAT(complaint([] { validate(links_from(10, 64)); }), HasSubstr("10 bytes"));
  EXPECT_THAT(complaint([] { validate(links_from(64, 16)); }), HasSubstr("is empty"));
  EXPECT_THAT(complaint([] { validate(links_from(8, 8 * kib * mib)); }), HasSubstr("8 GiB"));
  EXPECT_THAT(complaint([] {
                Problem problem;
                problem.transport = Transport::nccl;
                validate(problem);
              }),
              HasSubstr("--transport"));
}

TEST(LinkProblem, NeedsRanksAndTheOtherPartsNeedOne) {
  const auto alone = make_self_communicator();
  EXPECT_EQ(complaint([&] { require_rank_count(Part::link, *alone); }),
            "probe link runs between ranks; start it with mpirun -n 2");
  EXPECT_EQ(complaint([&] { require_rank_count(Part::all, *alone); }), "no complaint");
}

TEST(LinkProblem, TransportsBetweenGpusAreNotOfTheCpu) {
  const auto alone = make_self_communicator();
  Problem problem = complete(links_from(8, 64));
  for (const Transport transport : {Transport::peer, Transport::nccl, Transport::mpi_device}) {
    problem.transport = transport;
    EXPECT_THAT(complaint([&] { require_links(problem, *alone); }),
                HasSubstr("--transport " + to_string(transport)));
  }
}

// A rank that is alone in its ring is its own neighbour.
TEST(WrongCells, AreNoneAfterAnExchange) {
  const auto alone = make_self_communicator();
  for (const std::int64_t bytes : {4, 8, 4 * 1237}) {
    const LinkSetup setup{.ranks = *alone, .ring = true, .face_bytes = bytes};
    const auto timer = make_link_timer(setup, Device::cpu(), 1);
    EXPECT_EQ(wrong_cells(*timer, setup), 0) << bytes;
    EXPECT_GT(timer->seconds(3), 0.0);
  }
}

TEST(WrongCells, AreNoticed) {
  const auto alone = make_self_communicator();
  const LinkSetup setup{.ranks = *alone, .ring = true, .face_bytes = 400};
  FakeTimer idle([](std::vector<float>&) {});
  EXPECT_EQ(wrong_cells(idle, setup), 200);

  const Layout layout = LinkGrid(setup).layout;
  const auto copy = [&](std::vector<float>& cells, std::int64_t from, std::int64_t to) {
    const auto first = cells.begin() + layout.origin();
    std::copy_n(first + layout.offset(from, 0, 0), 100, first + layout.offset(to, 0, 0));
  };
  FakeTimer swapped([&](std::vector<float>& cells) {
    copy(cells, 0, -1);
    copy(cells, 1, 2);
  });
  EXPECT_EQ(wrong_cells(swapped, setup), 200);
  FakeTimer untidy([&](std::vector<float>& cells) {
    copy(cells, 1, -1);
    copy(cells, 0, 2);
    cells.front() = 0.0F;
  });
  EXPECT_EQ(wrong_cells(untidy, setup), 1);
}

}  // namespace
}  // namespace bankfull::probe
