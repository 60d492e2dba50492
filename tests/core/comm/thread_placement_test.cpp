#include "bankfull/core/comm/thread_placement.hpp"

#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>

namespace bankfull {
namespace {

/// An environment in which only these variables are set.
ReadVariable only(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

ThreadPlacement placed(const PlacementRequest& request,
                       std::map<std::string, std::string> variables = {}) {
  const auto ranks = make_self_communicator();
  return place_threads(*ranks, request, SystemFiles(), only(std::move(variables)));
}

int processor_count() { return static_cast<int>(process_processors().size()); }

TEST(ThreadPlacement, AFullTeamIsBound) {
  if (processor_count() < 2) {
    GTEST_SKIP() << "one processor leaves nothing to choose";
  }
  const ThreadPlacement place = placed({.threads = processor_count()});
  EXPECT_TRUE(place.is_bound());
  EXPECT_EQ(place.numbers(), process_processors());
  EXPECT_TRUE(place.description().starts_with(std::to_string(processor_count()) + " threads, 1 "));
}

TEST(ThreadPlacement, SaysWhyNothingIsBound) {
  const int threads = processor_count();
  EXPECT_EQ(placed({.pinning = Pinning::none, .threads = threads}).description(), "no: --pin none");
  EXPECT_EQ(placed({.on_cpu = false, .threads = threads}).description(),
            "no: the work is the GPU's");
  EXPECT_EQ(placed({.threads = threads}, {{"OMP_PROC_BIND", "close"}}).description(),
            "no: OMP_PROC_BIND is set");
  EXPECT_EQ(placed({.threads = 1}).description(), "no: a single thread may use any core");
  EXPECT_NE(placed({.threads = threads + 1}).unbound_because.find("more threads"),
            std::string::npos);
}

TEST(ThreadPlacement, BindingToCoresIsFollowedOrRefused) {
  EXPECT_TRUE(placed({.pinning = Pinning::cores, .on_cpu = false, .threads = 1}).is_bound());
  EXPECT_THROW(placed({.pinning = Pinning::cores, .threads = processor_count() + 1}), UsageError);
  EXPECT_THROW(placed({.pinning = Pinning::cores, .threads = 1}, {{"OMP_PLACES", "cores"}}),
               UsageError);
}

TEST(ThreadPlacement, ATeamSmallerThanTheCoresHasSharesOfThem) {
  ThreadPlacement place{.threads = 2, .unbound_because = ""};
  for (int n = 0; n < 5; ++n) {
    place.processors.push_back({.number = n, .core = n});
  }
  EXPECT_EQ(place.description(), "2 threads, 2 or 3 cores each, on processors 0-4");
  place.width = PlaceWidth::core;
  EXPECT_EQ(place.description(), "2 threads, 1 core each, on processors 0-4");
  place.processors = {{.number = 0, .core = 0}, {.number = 4, .core = 0}};
  EXPECT_EQ(place.description(), "2 threads, 1 hardware thread each, on processors 0,4");
}

TEST(ThreadPlacement, KnowsWhereWaitsAreSet) {
  EXPECT_FALSE(placed({.threads = 1}).waits_are_set);
  EXPECT_TRUE(placed({.threads = 1}, {{"OMP_WAIT_POLICY", "passive"}}).waits_are_set);
}

}  // namespace
}  // namespace bankfull
