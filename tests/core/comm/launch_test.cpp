#include "bankfull/core/comm/launch.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/parallel_run.hpp"

#include <gtest/gtest.h>
#include <map>
#include <string>

namespace bankfull {
namespace {

Launch launch_with(const std::map<std::string, std::string>& environment) {
  return detect_launch([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(DetectLaunch, PlainStart) {
  const Launch launch = launch_with({{"HOME", "/root"}});
  EXPECT_FALSE(launch.by_launcher);
  EXPECT_EQ(launch.processes, 1);
  EXPECT_EQ(launch.rank, 0);
}

TEST(DetectLaunch, Mpirun) {
  for (const std::string prefix : {"OMPI_COMM_WORLD_", "PMI_", "MV2_COMM_WORLD_"}) {
    const Launch launch = launch_with({{prefix + "SIZE", "4"}, {prefix + "RANK", "3"}});
    EXPECT_TRUE(launch.by_launcher) << prefix;
    EXPECT_EQ(launch.processes, 4) << prefix;
    EXPECT_EQ(launch.rank, 3) << prefix;
  }
  EXPECT_TRUE(launch_with({{"PMIX_RANK", "0"}}).by_launcher);
  EXPECT_TRUE(launch_with({{"MPI_LOCALNRANKS", "2"}}).by_launcher);
}

TEST(DetectLaunch, Srun) {
  const Launch launch = launch_with({{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"}});
  EXPECT_TRUE(launch.by_launcher);
  EXPECT_EQ(launch.processes, 2);
  EXPECT_EQ(launch.rank, 1);
  EXPECT_FALSE(launch_with({{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}}).by_launcher);
}

TEST(DetectLaunch, JobScriptRunsOneProcess) {
  const Launch launch = launch_with({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}});
  EXPECT_FALSE(launch.by_launcher);
  EXPECT_EQ(launch.processes, 1);
}

TEST(DetectLaunch, MpirunBelowSlurmCounts) {
  const Launch launch = launch_with({{"SLURM_STEP_NUM_TASKS", "2"},
                                     {"SLURM_PROCID", "0"},
                                     {"OMPI_COMM_WORLD_SIZE", "1"},
                                     {"OMPI_COMM_WORLD_RANK", "0"}});
  EXPECT_TRUE(launch.by_launcher);
  EXPECT_EQ(launch.processes, 1);
}

TEST(DetectLaunch, NonsenseIsNoNumber) {
  EXPECT_EQ(launch_with({{"PMI_SIZE", "many"}, {"PMI_RANK", "0"}}).processes, 1);
}

TEST(ParallelRun, PlainStartIsAlone) {
  const ParallelRun run(Launch{});
  EXPECT_EQ(run.world().size(), 1);
}

TEST(ParallelRun, RefusesProcessesThatDoNotKnowOfEachOther) {
  // As srun starts them when it uses a different protocol than MPI.
  EXPECT_THROW(ParallelRun(Launch{.by_launcher = false, .processes = 2, .rank = 0}), UsageError);
}

TEST(ParallelRun, FailureOfOneProcessIsToldAndReturned) {
  ParallelRun run(Launch{});
  std::string told;
  const int code =
      run.fail(ExitCode::usage, "no", [&](const std::string& message) { told = message; });
  EXPECT_EQ(code, 2);
  EXPECT_EQ(told, "no");
}

}  // namespace
}  // namespace bankfull
