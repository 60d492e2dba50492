#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/measure/cache.hpp"
#include "bankfull/workloads/probe/plan.hpp"
#include "bankfull/workloads/probe/time_budget.hpp"
#include "tests/alone.hpp"

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bankfull::probe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The message of the UsageError that validating a changed default problem throws.
std::string complaint(const std::function<void(Problem&)>& change) {
  Problem problem;
  change(problem);
  try {
    validate(problem);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(ProbeProblem, DefaultsAreValid) {
  EXPECT_NO_THROW(validate(Problem{}));
  Problem quick;
  quick.quick = true;
  EXPECT_NO_THROW(complete(quick));
  EXPECT_NO_THROW(complete(Problem{}));
}

TEST(ProbeProblem, ComplainsAboutNonsense) {
  EXPECT_THAT(complaint([](Problem& p) { p.threads = 0; }), HasSubstr("0 threads"));
  EXPECT_THAT(complaint([](Problem& p) { p.repeats = -1; }), HasSubstr("-1 repeats"));
  EXPECT_THAT(complaint([](Problem& p) { p.points_per_octave = 1000; }), HasSubstr("1000 points"));
  EXPECT_THAT(complaint([](Problem& p) { p.mix_reads = {13, 17}; }), HasSubstr("17"));
  EXPECT_THAT(complaint([](Problem& p) { p.team_sizes = {0}; }), HasSubstr("team"));
  EXPECT_THAT(complaint([](Problem& p) { p.n_copy = {0}; }), HasSubstr("streams"));
  EXPECT_THAT(complaint([](Problem& p) { p.working_set_from = -5; }), HasSubstr("-5 bytes"));
  EXPECT_THAT(complaint([](Problem& p) { p.working_set_to = 100; }), HasSubstr("too small"));
  EXPECT_THAT(complaint([](Problem& p) { p.working_set_to = std::int64_t{1} << 60; }),
              HasSubstr("makes no sense"));
  EXPECT_THAT(complaint([](Problem& p) {
                p.working_set_from = 4 * mib;
                p.working_set_to = mib;
              }),
              HasSubstr("from 4 MiB to 1 MiB is empty"));
  EXPECT_THAT(complaint([](Problem& p) { p.footprint_to = 100; }),
              HasSubstr("cannot hold a chain"));
  EXPECT_THAT(complaint([](Problem& p) { p.strides = {100}; }),
              HasSubstr("whole number of cache lines"));
  EXPECT_THAT(complaint([](Problem& p) {
                p.strides = {2 * mib};
                p.footprint_to = 4 * mib;
              }),
              HasSubstr("fewer than 4 nodes"));
}

TEST(ProbeProblem, ComplainsAboutOptionsOfTheOtherDevice) {
  EXPECT_THAT(complaint([](Problem& p) { p.grid_blocks = {132}; }), HasSubstr("on GPUs only"));
  EXPECT_THAT(complaint([](Problem& p) { p.transfer_bytes = mib; }), HasSubstr("need a GPU"));
  const auto on_gpu = [](const std::function<void(Problem&)>& change) {
    return complaint([&](Problem& p) {
      p.device = Device::cuda(0);
      change(p);
    });
  };
  EXPECT_EQ(on_gpu([](Problem&) {}), "no complaint");
  EXPECT_THAT(on_gpu([](Problem& p) { p.team_sizes = {2}; }), HasSubstr("no team"));
  EXPECT_THAT(on_gpu([](Problem& p) { p.pages = {HostPages::huge}; }), HasSubstr("pages"));
  EXPECT_THAT(on_gpu([](Problem& p) { p.stores = Stores::streaming; }), HasSubstr("streaming"));
  EXPECT_THAT(on_gpu([](Problem& p) { p.grid_threads = {100}; }), HasSubstr("whole warps"));
  EXPECT_THAT(on_gpu([](Problem& p) { p.strides = {64}; }), HasSubstr("multiple of 128 B"));
}

TEST(ProbeProblem, CompleteFillsEveryBlank) {
  Problem request;
  request.threads = 3;
  const Problem problem = complete(request);
  EXPECT_EQ(problem.working_set_from, 24 * kib);
  EXPECT_GT(problem.working_set_to, problem.working_set_from);
  EXPECT_THAT(problem.team_sizes, ElementsAre(1, 2, 3));
  EXPECT_GT(problem.repeats, 0);
  EXPECT_FALSE(problem.strides.empty());
  EXPECT_FALSE(problem.operations.empty());
  EXPECT_NE(std::find(problem.mix_reads.begin(), problem.mix_reads.end(), 13),
            problem.mix_reads.end());
  EXPECT_GT(work_bytes(problem).device, problem.working_set_to);
  EXPECT_LE(work_bytes(problem).device, problem.memory_limit);
}

TEST(ProbeProblem, CompletingTwiceIsCompletingOnce) {
  for (const bool quick : {false, true}) {
    Problem problem;
    problem.quick = quick;
    problem.memory_limit = std::int64_t{256} << 20;
    const Problem once = complete(problem);
    const Problem twice = complete(once);
    EXPECT_EQ(walks(once).size(), walks(twice).size());
    EXPECT_EQ(patterns(once).size(), patterns(twice).size());
    EXPECT_EQ(once.footprint_to, twice.footprint_to);
  }
}

TEST(ProbeProblem, CompleteKeepsWhatIsGiven) {
  Problem request;
  request.working_set_from = mib;
  request.working_set_to = 2 * mib;
  request.n_copy = {4, 1, 4};
  request.strides = {4096};
  request.pages = {HostPages::small};
  request.footprint_to = mib;
  const Problem problem = complete(request);
  EXPECT_EQ(problem.working_set_from, mib);
  EXPECT_EQ(problem.working_set_to, 2 * mib);
  EXPECT_THAT(problem.n_copy, ElementsAre(1, 4));
  ASSERT_EQ(walks(problem).size(), 1U);
  EXPECT_EQ(name_of(walks(problem)[0], problem.device), "stride 4 KiB, small pages");
}

TEST(ProbeProblem, MemoryLimitIsKept) {
  for (const Part part : {Part::bandwidth, Part::latency, Part::chip, Part::all}) {
    Problem request;
    request.part = part;
    request.memory_limit = 8 * mib;
    EXPECT_LE(work_bytes(make_plan(request, alone()).problem).device, 8 * mib) << to_string(part);
  }
  Problem request;
  request.memory_limit = 8 * mib;
  request.working_set_to = 64 * mib;
  EXPECT_THROW(make_plan(request, alone()), UsageError);
  request.working_set_to = 0;
  request.memory_limit = 1;
  EXPECT_THROW(make_plan(request, alone()), UsageError);
  request.memory_limit = 0;
  request.footprint_to = std::int64_t{1} << 49;
  EXPECT_THROW(make_plan(request, alone()), UsageError);
}

TEST(ProbeProblem, QuickOnesAreSmallWhateverTheCache) {
  Problem request;
  request.quick = true;
  const Problem problem = complete(request);
  const std::int64_t cache = last_cache_bytes(problem.device);
  for (const std::int64_t size : {problem.working_set_to, problem.footprint_to}) {
    EXPECT_LE(size, 1280 * mib);
    EXPECT_GE(size, std::min({4 * cache, 1280 * mib, problem.memory_limit / 4}));
  }
  const TimeBudget bounded = budget_of(problem, {.quick = 2.0, .usual = 20.0});
  EXPECT_TRUE(bounded.allows(1.0));
  EXPECT_FALSE(bounded.share(0.5).allows(1.5));
}

TEST(ProbeProblem, OnlyFullOnesAndThoseOfGpusHaveUnlimitedTime) {
  const PartSeconds seconds{.quick = 2.0, .usual = 20.0};
  Problem problem;
  EXPECT_TRUE(budget_of(problem, seconds).allows(10.0));
  EXPECT_FALSE(budget_of(problem, seconds).allows(21.0));
  problem.full = true;
  EXPECT_TRUE(budget_of(problem, seconds).share(0.5).allows(1e9));
  problem.quick = true;
  EXPECT_THROW(complete(problem), UsageError);
  EXPECT_TRUE(budget_of({.device = Device::cuda(0)}, seconds).allows(1e9));
}

/// Which of so many points are taken, if each takes a second and no time goes by.
std::vector<bool> taken(int points, double seconds) {
  PointsInTime choice(TimeBudget(seconds),
                      std::vector<double>(static_cast<std::size_t>(points), 1.0));
  std::vector<bool> taken;
  for (int n = 0; n < points; ++n) {
    taken.push_back(choice.takes_next(1.0));
  }
  EXPECT_EQ(choice.left_out(), std::ranges::count(taken, false));
  return taken;
}

TEST(PointsInTime, AreAllOfThemIfThereIsTime) {
  EXPECT_EQ(taken(4, 60.0), (std::vector<bool>{true, true, true, true}));
}

TEST(PointsInTime, AreSpreadIfThereIsTimeForHalfOfThem) {
  const std::vector<bool> points = taken(40, 21.0);
  EXPECT_EQ(std::vector<bool>(points.begin(), points.begin() + 6),
            (std::vector<bool>{false, true, false, true, false, true}));
}

TEST(PointsInTime, AreSpreadMoreIfThereIsLess) {
  const std::vector<bool> points = taken(40, 11.0);
  EXPECT_EQ(std::vector<bool>(points.begin(), points.begin() + 4),
            (std::vector<bool>{false, false, false, true}));
}

TEST(PointsInTime, AreTheLastOneInAnyCase) {
  EXPECT_EQ(taken(4, 0.0), (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(taken(1, 0.0), std::vector<bool>{true});
}

TEST(ProbeProblem, EveryWalkHasNodes) {
  for (const bool quick : {false, true}) {
    for (const std::int64_t to : {std::int64_t{256}, 4 * kib, 100 * kib, 100 * mib}) {
      Problem request;
      request.part = Part::latency;
      request.quick = quick;
      request.footprint_to = to;
      const Problem problem = complete(request);
      EXPECT_FALSE(walks(problem).empty());
      for (const Walk& walk : walks(problem)) {
        EXPECT_LE(4 * walk.stride, to);
      }
    }
  }
}

TEST(ProbeProblem, PatternsFollowTheRequest) {
  Problem problem;
  problem.precisions = {Precision::fp32};
  problem.operations = {StreamOperation::read, StreamOperation::mix};
  problem.mix_reads = {2, 13};
  problem.stores = Stores::both;
  const auto all = patterns(problem);
  ASSERT_EQ(all.size(), 5U);  // read; each mix with ordinary and streaming stores
  EXPECT_EQ(to_string(all[0]), "read, fp32");
  EXPECT_EQ(to_string(all[4]), "13 read : 1 write, fp32, streaming stores");
  problem.stores = Stores::streaming;
  EXPECT_EQ(patterns(problem).size(), 3U);
}

TEST(ProbeProblem, NamesParse) {
  EXPECT_EQ(parse_part("latency"), Part::latency);
  EXPECT_EQ(parse_stores("both"), Stores::both);
  EXPECT_EQ(parse_operation("triad"), StreamOperation::triad);
  EXPECT_EQ(parse_pages("huge"), HostPages::huge);
  for (const StreamOperation operation : all_operations()) {
    EXPECT_EQ(parse_operation(to_string(operation)), operation);
  }
  EXPECT_THROW(parse_part("speed"), UsageError);
  EXPECT_THROW(parse_operation(""), UsageError);
  EXPECT_THROW(parse_stores("Both"), UsageError);
  EXPECT_THROW(parse_pages("4K"), UsageError);
}

TEST(LogSpaced, CoversTheRange) {
  EXPECT_THAT(log_spaced(1024, 8192, 1, 64), ElementsAre(1024, 2048, 4096, 8192));
  EXPECT_THAT(log_spaced(1024, 2048, 2, 64), ElementsAre(1024, 1472, 2048));
  EXPECT_THAT(log_spaced(1000, 1000, 3, 1), ElementsAre(1000));
  EXPECT_THAT(log_spaced(4, 4, 3, 64), ElementsAre(64));
  for (std::int64_t to = 900; to < 1100; ++to) {
    EXPECT_LE(log_spaced(256, to, 64, 64).back(), to);
  }
  const auto sizes = log_spaced(8192, 100000, 4, 16);
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
  EXPECT_EQ(std::adjacent_find(sizes.begin(), sizes.end()), sizes.end());
  EXPECT_EQ(sizes.front(), 8192);
  EXPECT_EQ(sizes.back(), 100000);
}

}  // namespace
}  // namespace bankfull::probe
