#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "tests/workloads/probe/link_run.hpp"

#include <gtest/gtest.h>

namespace bankfull::probe {
namespace {

TEST(CudaLinkRun, MeasuresEveryTransportThatIsToBeHadAndVerifies) {
  const auto gpus = static_cast<int>(survey_gpus().gpus.size());
  if (gpus == 0) {
    GTEST_SKIP() << survey_gpus().none_because;
  }
  const Device gpu = Device::cuda(test_ranks().local_rank() % gpus);
  select(gpu);
  std::size_t transports = 0;
  for (const Transport transport :
       {Transport::peer, Transport::nccl, Transport::mpi_device, Transport::mpi}) {
    transports += gpu_transport_obstacle(transport, test_ranks(), gpu).empty() ? 1U : 0U;
  }
  const RunResult result = run_small_links(gpu);
  expect_whole(result, transports);
  EXPECT_EQ(result.series.back().name, "bandwidth, ring, mpi");
}

}  // namespace
}  // namespace bankfull::probe
