#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/pinned_threads.hpp"
#include "bankfull/workloads/probe/core_pairs.hpp"
#include "bankfull/workloads/probe/node_pairs.hpp"
#include "bankfull/workloads/probe/pair_matrix.hpp"
#include "bankfull/workloads/probe/peers.hpp"
#include "bankfull/workloads/probe/plan.hpp"
#include "tests/alone.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <sched.h>
#include <set>
#include <utility>
#include <vector>

namespace bankfull::probe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<int> first_numbers(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(SampleEvenly, KeepsBothEnds) {
  EXPECT_THAT(sample_evenly(first_numbers(9), 3), ElementsAre(0, 4, 8));
  EXPECT_THAT(sample_evenly({3, 5, 9}, 24), ElementsAre(3, 5, 9));
  const std::vector<int> sample = sample_evenly(first_numbers(192), 24);
  ASSERT_EQ(sample.size(), 24U);
  EXPECT_EQ(sample.back(), 191);
  for (std::size_t n = 1; n < sample.size(); ++n) {
    EXPECT_GE(sample[n] - sample[n - 1], 8);
    EXPECT_LE(sample[n] - sample[n - 1], 9);
  }
}

TEST(CorePairs, AreAllPairsOnce) {
  EXPECT_THAT(core_pairs({4, 7, 2}), ElementsAre(CorePair{4, 7}, CorePair{4, 2}, CorePair{7, 2}));
  EXPECT_TRUE(core_pairs({4}).empty());
  EXPECT_EQ(core_pairs(first_numbers(24)).size(), 24U * 23U / 2U);
}

TEST(PeerPairs, AreAllOrderedPairs) {
  std::set<std::pair<int, int>> pairs;
  for (const Route& route : peer_pairs(4)) {
    EXPECT_NE(route.from.index, route.to.index);
    pairs.insert({route.from.index, route.to.index});
  }
  EXPECT_EQ(pairs.size(), 12U);
}

TEST(PeerPatterns, HaveEachRouteOnce) {
  for (const PeerPattern& pattern : peer_patterns(4)) {
    std::set<std::vector<int>> routes;
    for (const auto& [from, to] : pattern.routes) {
      EXPECT_TRUE(from.is_cuda() || to.is_cuda()) << pattern.name;
      routes.insert({from.is_cuda() ? from.index : -1, to.is_cuda() ? to.index : -1});
    }
    EXPECT_EQ(routes.size(), pattern.routes.size()) << pattern.name;
  }
  EXPECT_EQ(peer_patterns(4)[0].routes.size(), 3U);
  EXPECT_EQ(peer_patterns(4)[3].routes.size(), 4U);
}

TEST(Peers, NeedGpus) {
  Problem problem;
  problem.part = Part::peers;
  try {
    make_plan(problem, alone());
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("probe peers runs between GPUs; use --device cuda"));
  }
  problem.part = Part::all;
  EXPECT_FALSE(has_part(problem, Part::peers));
}

TEST(PairMatrix, PublishesRowsAndTheSlowestPair) {
  PairMatrix matrix{.name = "copy",
                    .first_name = "from",
                    .second_name = "to",
                    .bytes = 8.0,
                    .pairs = {{0, 1, {2.0, 4.0, 1.0}}, {0, 2, {4.0}}, {1, 0, {1.0}}}};
  NoProgress progress;
  const RunContext context{.ranks = alone(), .progress = progress};
  RunResult result;
  publish_matrix(matrix, Experiment(Device::cpu(), 1, context), result);
  ASSERT_EQ(result.series.size(), 2U);
  EXPECT_EQ(result.series[0].name, "copy, from 0");
  EXPECT_THAT(result.series[0].points, ElementsAre(std::pair(1.0, 4.0), std::pair(2.0, 2.0)));
  ASSERT_EQ(result.measurements.size(), 1U);
  EXPECT_EQ(result.measurements[0].seconds.median, 4.0);
  EXPECT_EQ(std::get<double>(result.measurements[0].figures[0].value), 2.0);
  EXPECT_EQ(std::get<double>(result.measurements[0].figures[2].value), 8.0);
  matrix.bytes = 0.0;
  EXPECT_EQ(matrix.value({0, 1, {2e-9}}), 2.0) << "ns";
}

TEST(RunPinned, RunsEveryBodyOnItsProcessor) {
  const std::vector<int> processors = processors_of_cores();
  ASSERT_FALSE(processors.empty());
  std::vector<int> seen(processors.size(), -1);
  run_pinned(processors, [&](int n) { seen[static_cast<std::size_t>(n)] = sched_getcpu(); });
  EXPECT_EQ(seen, processors);
}

TEST(RunPinned, PassesExceptionsOnAndRefusesMissingProcessors) {
  const int processor = processors_of_cores().front();
  EXPECT_THROW(run_pinned({processor}, [](int) { throw RuntimeFailure("broken"); }),
               RuntimeFailure);
  bool ran = false;
  EXPECT_THROW(run_pinned({60000}, [&](int) { ran = true; }), RuntimeFailure);
  EXPECT_FALSE(ran);
}

TEST(PingPong, IsAnsweredAndTakesTime) {
  const std::vector<int> cores = processors_of_cores();
  if (cores.size() < 2) {
    GTEST_SKIP() << "this process may use one core only";
  }
  const PingPong times = ping_pong({cores[0], cores[1]}, 3, 300, 0.1);
  EXPECT_TRUE(times.answered);
  ASSERT_EQ(times.seconds.size(), 3U);
  for (const double seconds : times.seconds) {
    EXPECT_GT(seconds, 1e-9);
  }
}

TEST(NodePairs, ReadTheirMemoryRight) {
  const std::vector<NumaNode> nodes = survey_numa_nodes();
  if (nodes.empty()) {
    GTEST_SKIP() << "built without hwloc";
  }
  try {
    const NodeReads reads = read_node(nodes.front(), nodes.front().number, mib + 8, 2);
    EXPECT_EQ(reads.seconds.size(), 2U);
    EXPECT_EQ(reads.wrong_sums, 0);
    EXPECT_THAT(node_latency(nodes.front(), nodes.front().number, mib, 2),
                testing::Each(testing::Gt(0.1e-9)));
  } catch (const RuntimeFailure& failure) {
    GTEST_SKIP() << failure.what();  // containers may forbid to bind memory
  }
}

}  // namespace
}  // namespace bankfull::probe
