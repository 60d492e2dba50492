#include "bankfull/app/compare/matching.hpp"

#include "bankfull/app/compare/differences.hpp"
#include "tests/app/compare/runs.hpp"

#include <gtest/gtest.h>

namespace bankfull::compare {
namespace {

Matches match_runs(const std::vector<RecordedRun>& before, const std::vector<RecordedRun>& after) {
  return match(measurements_of(before), measurements_of(after));
}

std::string unfair_in(const std::vector<RecordedRun>& before,
                      const std::vector<RecordedRun>& after) {
  return joined(unfair_differences(match_runs(before, after)));
}

TEST(Matching, PairsWhatWasRunWhateverItTook) {
  const std::vector<RecordedRun> before{run_taking({1.0, 1.0, 1.0})};
  std::vector<RecordedRun> after{run_taking({2.0, 2.0, 2.0})};
  named(after[0].result.problem, "memory").value = std::int64_t{2000};
  named(after[0].result.measurements[0].parameters, "iterations").value = std::int64_t{7};
  const Matches matches = match_runs(before, after);
  ASSERT_EQ(matches.pairs.size(), 1U);
  EXPECT_TRUE(matches.only_old.empty());
  EXPECT_TRUE(matches.only_new.empty());
  EXPECT_EQ(unfair_in(before, after), "-");
}

TEST(Matching, PoolsRunsOfTheSameThing) {
  const std::vector<RecordedRun> before{run_taking({1.0}), run_taking({2.0}), run_taking({3.0})};
  const std::vector<RecordedRun> after{run_taking({1.0})};
  const Matches matches = match_runs(before, after);
  ASSERT_EQ(matches.pairs.size(), 1U);
  EXPECT_EQ(matches.pairs[0].first.occurrences.size(), 3U);
}

TEST(Matching, LeavesOtherSizesAlone) {
  const std::vector<RecordedRun> before{run_taking({1.0})};
  std::vector<RecordedRun> after{run_taking({1.0})};
  named(after[0].result.problem, "size").value = std::string("L");
  const Matches matches = match_runs(before, after);
  EXPECT_TRUE(matches.pairs.empty());
  EXPECT_EQ(matches.only_old.size(), 1U);
  EXPECT_EQ(matches.only_new.size(), 1U);
}

TEST(Matching, PairsChoicesThatChangedUnlessThereAreSeveral) {
  const auto run_by = [](const std::string& transport) {
    RecordedRun run = run_taking({1.0});
    run.result.measurements[0].parameters.push_back({.name = "transport", .value = transport});
    return run;
  };
  const std::vector<RecordedRun> peer{run_by("peer")};
  const std::vector<RecordedRun> mpi{run_by("mpi")};
  const std::vector<RecordedRun> both{run_by("nccl"), run_by("mpi")};
  EXPECT_EQ(match_runs(peer, mpi).pairs.size(), 1U);
  EXPECT_EQ(match_runs(peer, both).pairs.size(), 0U);
  const Matches one_of_both = match_runs(mpi, both);
  ASSERT_EQ(one_of_both.pairs.size(), 1U);
  EXPECT_EQ(one_of_both.pairs[0].second.subject.choices.at("transport"), "mpi");
}

TEST(Matching, PrefersTheSameMachine) {
  std::vector<RecordedRun> before{run_taking({1.0}), run_taking({1.0})};
  fact_of(before[1], "cpu", "model").value = std::string("EPYC");
  std::vector<RecordedRun> after{before[1]};
  const Matches matches = match_runs(before, after);
  ASSERT_EQ(matches.pairs.size(), 1U);
  EXPECT_EQ(matches.pairs[0].first.subject.place.at("processor"), "EPYC");
  EXPECT_EQ(unfair_in(before, after), "-");
}

TEST(Matching, NamesWhatIsUnfair) {
  const std::vector<RecordedRun> before{run_taking({1.0})};
  const auto changed = [](const std::string& group, const std::string& name, const auto& value) {
    RecordedRun run = run_taking({1.0});
    fact_of(run, group, name).value = value;
    return std::vector<RecordedRun>{run};
  };
  EXPECT_EQ(unfair_in(before, changed("cpu", "model", std::string("EPYC"))),
            "processor: Xeon against EPYC");
  EXPECT_EQ(unfair_in(before, changed("cpu", "cores", std::int64_t{4})), "cores: 8 against 4");
  EXPECT_EQ(unfair_in(before, changed("ranks", "ranks", std::int64_t{2})), "ranks: 1 against 2");
  EXPECT_EQ(unfair_in(before, changed("build", "type", std::string("Debug"))),
            "build type: Release against Debug");
  EXPECT_EQ(unfair_in(before, changed("system", "driver", std::string("580"))), "-");
  std::vector<RecordedRun> threads{run_taking({1.0})};
  named(threads[0].result.problem, "threads").value = std::int64_t{4};
  EXPECT_EQ(unfair_in(before, threads), "threads: 8 against 4");
}

TEST(Matching, TellsGpusFromProcessors) {
  const std::vector<RecordedRun> before{run_taking({1.0})};
  const auto on_gpu = [](const std::string& name) {
    RecordedRun run = run_taking({1.0});
    named(run.result.problem, "device").value = std::string("cuda:0");
    run.context.push_back(group_of_facts("gpu0", {{.name = "name", .value = name}}));
    return run;
  };
  const std::vector<RecordedRun> h100{on_gpu("H100")};
  std::vector<RecordedRun> h200{on_gpu("H200")};
  // Threads and cores of the host do not matter on a GPU.
  fact_of(h200[0], "cpu", "cores").value = std::int64_t{64};
  EXPECT_EQ(unfair_in(before, h100), "device: CPU against GPU");
  EXPECT_EQ(unfair_in(h100, h200), "GPU: H100 against H200");
}

TEST(Matching, PairsOtherPrecisionsOnlyWhereNothingElseIsAlike) {
  RecordedRun other = run_of({measured("himeno M fp64 tuned", {1.0})});
  named(other.result.measurements[0].parameters, "precision").value = std::string("fp64");
  const RecordedRun own = run_taking({1.0});
  const std::vector<RecordedRun> fp32{own};
  const std::vector<RecordedRun> fp64{other};
  const std::vector<RecordedRun> both{own, other};
  EXPECT_EQ(unfair_in(fp32, fp64), "precision: fp32 against fp64");
  EXPECT_EQ(unfair_in(fp32, both), "-");
}

TEST(Differences, AreFactsOptionsAndVariables) {
  RecordedRun before = run_taking({1.0});
  RecordedRun after = run_taking({1.0});
  fact_of(after, "system", "driver").value = std::string("580");
  before.options = {{.name = "json", .value = "a.json"}, {.name = "split", .value = "0.5"}};
  after.options = {{.name = "json", .value = "b.json"},
                   {.name = "split", .value = "0.4"},
                   {.name = "new-one", .value = "1"}};
  after.environment = {{.name = "OMP_PROC_BIND", .value = std::string("close")}};
  const std::vector<Difference> found = differences({&before}, {&after});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].what, "--split");
  EXPECT_EQ(found[1].what, "OMP_PROC_BIND");
  EXPECT_EQ(joined(found[1].old_values), "-");
  EXPECT_EQ(joined(found[1].new_values), "close");
  EXPECT_EQ(found[2].what, "system.driver");
}

TEST(Differences, AreSettingsOfTheMachineThatBothRecorded) {
  RecordedRun before = run_taking({1.0});
  RecordedRun after = run_taking({1.0});
  const auto host = [](const std::string& governor, const std::string& cgroup) {
    return ObservedPart{
        .kind = "host",
        .name = "host a",
        .settings = {{.name = "governor", .value = governor}, {.name = "cgroup", .value = cgroup}}};
  };
  after.result.machine.parts = {host("powersave", "/job_1")};
  EXPECT_TRUE(differences({&before}, {&after}).empty()) << "earlier results have none";
  before.result.machine.parts = {host("performance", "/job_2")};
  const std::vector<Difference> found = differences({&before}, {&after});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].what, "host.governor");
  EXPECT_EQ(joined(found[0].old_values), "performance");
}

}  // namespace
}  // namespace bankfull::compare
