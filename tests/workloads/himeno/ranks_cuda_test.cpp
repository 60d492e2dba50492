#include "tests/core/comm/gpu_transports.hpp"
#include "tests/workloads/himeno/on_ranks.hpp"

#include <gtest/gtest.h>

namespace bankfull::himeno {
namespace {

class HimenoOnGpus : public GpuTransportTest {
 protected:
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
        for (const Overlap overlap : all_overlaps) {
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
    for (const Overlap overlap : all_overlaps) {
      const Problem problem = problem_of(schedule, Precision::fp32, overlap, {27, 40, 139});
      expect_same_as_one_rank({problem, {test_ranks().size(), 1, 1}, 2 * 131});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, HimenoOnGpus, gpu_transports(), plain_name);

}  // namespace
}  // namespace bankfull::himeno
