#include "bankfull/core/comm/launch_advice.hpp"

#include "tests/core/machine/fake_system.hpp"

#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>

namespace bankfull {
namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Starter starter_in(const std::map<std::string, std::string>& environment) {
  return detect_starter([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(DetectStarter, KnowsTheLaunchers) {
  EXPECT_EQ(starter_in({}), Starter::nobody);
  EXPECT_EQ(starter_in({{"OMPI_COMM_WORLD_SIZE", "2"}, {"SLURM_STEP_NUM_TASKS", "1"}}),
            Starter::open_mpi);
  EXPECT_EQ(starter_in({{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "0"}}), Starter::slurm);
  EXPECT_EQ(starter_in({{"PMI_RANK", "0"}, {"MPI_LOCALNRANKS", "2"}}), Starter::hydra);
  EXPECT_EQ(starter_in({{"PMIX_RANK", "0"}}), Starter::other_launcher);
}

TEST(SqueezeWarning, NamesAnOversubscribedTeamAndTheRemedy) {
  const NodeUse use{.ranks = 2,
                    .threads = 8,
                    .rank_processors = 1,
                    .used_processors = 2,
                    .node_processors = 64,
                    .is_asked = true};
  EXPECT_EQ(squeeze_warning(use, Starter::open_mpi),
            "Open MPI bound 8 threads to 1 processor, so that they take turns; use mpirun --map-by "
            "slot:PE=8, or --bind-to none");
  EXPECT_TRUE(says(squeeze_warning(use, Starter::slurm), "srun --cpus-per-task=8"));
  EXPECT_TRUE(says(squeeze_warning(use, Starter::nobody), "fewer threads"));
}

TEST(SqueezeWarning, NamesANodeThatIsHardlyUsed) {
  NodeUse use{
      .ranks = 2, .threads = 1, .rank_processors = 1, .used_processors = 2, .node_processors = 64};
  const std::string warning = squeeze_warning(use, Starter::open_mpi);
  EXPECT_TRUE(says(warning, "bound the 2 ranks of this node to 2 of its 64 processors"));
  EXPECT_TRUE(says(warning, "each has 1 thread; use mpirun --map-by slot:PE=32")) << warning;
  use.is_asked = true;
  EXPECT_EQ(squeeze_warning(use, Starter::open_mpi), "") << "one thread was asked for";
}

TEST(SqueezeWarning, SaysNothingOfWhatIsInOrder) {
  const NodeUse whole{.ranks = 1,
                      .threads = 128,
                      .rank_processors = 64,
                      .used_processors = 64,
                      .node_processors = 64,
                      .is_asked = true};
  EXPECT_EQ(squeeze_warning(whole, Starter::open_mpi), "") << "too many by the user's own wish";
  const NodeUse full{.ranks = 64,
                     .threads = 1,
                     .rank_processors = 1,
                     .used_processors = 64,
                     .node_processors = 64};
  EXPECT_EQ(squeeze_warning(full, Starter::open_mpi), "");
  const NodeUse taskset{
      .threads = 2, .rank_processors = 2, .used_processors = 2, .node_processors = 64};
  EXPECT_EQ(squeeze_warning(taskset, Starter::nobody), "");
}

TEST(CommandForNodes, IsThatOfTheLauncherAtHand) {
  const auto nothing = [](const char*) { return std::optional<std::string>(); };
  EXPECT_EQ(command_for_nodes(2, 64, "Open MPI v4.1.4", nothing),
            "mpirun -n 2 --map-by ppr:1:numa:PE=32 --bind-to core bankfull himeno --device cpu");
  EXPECT_EQ(command_for_nodes(4, 64, "MPICH Version: 4.0.2", nothing),
            "mpiexec -n 4 -bind-to numa bankfull himeno --device cpu");
  EXPECT_EQ(command_for_nodes(2, 64, "", nothing), "");
  const auto in_job = [](const char* name) {
    return std::string(name) == "SLURM_JOB_ID" ? std::optional<std::string>("7") : std::nullopt;
  };
  EXPECT_EQ(
      command_for_nodes(2, 64, "Open MPI v4.1.4", in_job),
      "srun --mpi=pmix -n 2 --cpus-per-task=32 --cpu-bind=cores bankfull himeno --device cpu");
}

TEST(NodeUse, CountsThoseOfTheControlGroup) {
  const FakeSystem system;
  const auto ranks = make_self_communicator();
  system.write("sys/devices/system/cpu/online", "0-63\n");
  EXPECT_EQ(survey_node_use(*ranks, 4, true, system.files()).node_processors, 64);
  system.write("proc/self/cgroup", "0::/job\n");
  system.write("sys/fs/cgroup/job/cpuset.cpus.effective", "0-7\n");
  const NodeUse use = survey_node_use(*ranks, 4, true, system.files());
  EXPECT_EQ(use.node_processors, 8);
  EXPECT_EQ(use.threads, 4);
  EXPECT_EQ(use.ranks, 1);
}

}  // namespace
}  // namespace bankfull
