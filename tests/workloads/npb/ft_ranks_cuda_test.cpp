#include "tests/alone.hpp"
#include "tests/core/comm/gpu_transports.hpp"
#include "tests/workloads/npb/ft_checksums.hpp"

#include <vector>

namespace bankfull::npb::ft {
namespace {

// Several steps of a thread in a piece and less than one, along either axis; more iterations than
// there are rooms for pieces.
const std::vector<FtParameters> fields{{.nx = 64, .ny = 64, .nz = 32, .iterations = 5},
                                       {.nx = 128, .ny = 64, .nz = 64, .iterations = 4},
                                       {.nx = 2048, .ny = 64, .nz = 64, .iterations = 3},
                                       {.nx = 4096, .ny = 64, .nz = 64, .iterations = 2},
                                       {.nx = 32, .ny = 512, .nz = 512, .iterations = 3},
                                       {.nx = 32, .ny = 1024, .nz = 1024, .iterations = 2}};

cuda::Plan own_plan(const FtParameters& ft) {
  return cuda::plan_of(ft, test_ranks().size(), test_ranks().rank());
}

/// Transforms do not depend on the number of ranks, and terms are added in the same order.
void expect_bits_of_one(const FtParameters& ft, const cuda::Plan& plan, Transport transport) {
  EXPECT_EQ(checksums(plan, own_gpu(), test_ranks(), transport),
            checksums(cuda::plan_of(ft), own_gpu(), alone()))
      << ft.nx << "x" << ft.ny << "x" << ft.nz;
}

class FtOnGpus : public GpuTransportTest {};

TEST_P(FtOnGpus, HaveTheBitsOfOne) {
  for (const FtParameters& ft : fields) {
    cuda::Plan plan = own_plan(ft);
    for (const double beside : {0.0, 1.0}) {
      plan.lines_beside = beside;
      expect_bits_of_one(ft, plan, GetParam());
    }
  }
}

TEST_P(FtOnGpus, HaveTheBitsOfOneInOtherTiles) {
  for (const FtParameters& ft : fields) {
    cuda::Plan plan = own_plan(ft);
    for (const int planes : {1, 2, 4}) {
      plan.shape = cuda::shape_of(ft, planes);
      expect_bits_of_one(ft, plan, GetParam());
    }
    if (GetParam() != Transport::peer) {
      break;  // tiles do not depend on the transport
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, FtOnGpus, gpu_transports(), plain_name);

}  // namespace
}  // namespace bankfull::npb::ft
