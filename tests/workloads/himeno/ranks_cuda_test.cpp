#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "tests/workloads/himeno/on_ranks.hpp"

#include <gtest/gtest.h>

namespace bankfull::himeno {
namespace {

/// Ranks beyond the number of GPUs share them: slow, but as correct.
Device own_gpu() {
  return Device::cuda(test_ranks().local_rank() % static_cast<int>(survey_gpus().gpus.size()));
}

class HimenoOnGpus : public ::testing::TestWithParam<Transport> {
 protected:
  void SetUp() override {
    if (survey_gpus().gpus.empty()) {
      GTEST_SKIP() << survey_gpus().none_because;
    }
    select(own_gpu());
    const std::string obstacle = gpu_transport_obstacle(GetParam(), test_ranks(), own_gpu());
    if (!obstacle.empty()) {
      GTEST_SKIP() << to_string(GetParam()) << ": " << obstacle;
    }
  }

  static Problem problem_of(Schedule schedule, Precision precision, Overlap overlap,
                            const GridSize& grid) {
    Problem problem;
    problem.grid = grid;
    problem.precision = precision;
    problem.schedules = {schedule};
    problem.device = own_gpu();
    problem.overlap = overlap;
    problem.split = 0.4;
    problem.transport = GetParam();
    return problem;
  }
};

TEST_P(HimenoOnGpus, GiveTheBitsOfOneGpu) {
  const GridSize odd{27, 53, 301};
  const GridSize cube{40, 70, 530};
  for (const GridSize& grid : {odd, cube}) {
    for (const Schedule schedule :
         {Schedule::direct, Schedule::marching, Schedule::tuned, Schedule::fused}) {
      for (const Precision precision : {Precision::fp32, Precision::fp64}) {
        for (const Overlap overlap : all_overlaps()) {
          const Problem problem = problem_of(schedule, precision, overlap, grid);
          for (const RankGrid& cuts : runnable_cuts(problem, test_ranks().size())) {
            expect_same_as_one_rank({problem, cuts, 25});
          }
        }
      }
    }
  }
}

TEST_P(HimenoOnGpus, RecordedPassesGiveTheBitsOfOneGpu) {
  for (const Schedule schedule : {Schedule::tuned, Schedule::fused}) {
    for (const Overlap overlap : all_overlaps()) {
      const Problem problem = problem_of(schedule, Precision::fp32, overlap, {27, 40, 139});
      expect_same_as_one_rank({problem, {test_ranks().size(), 1, 1}, 2 * 131});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, HimenoOnGpus,
                         ::testing::Values(Transport::automatic, Transport::peer, Transport::nccl,
                                           Transport::mpi_device, Transport::mpi),
                         [](const auto& parameter) {
                           std::string name = to_string(parameter.param);
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace bankfull::himeno
