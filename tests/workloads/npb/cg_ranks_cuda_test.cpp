#include "bankfull/workloads/npb/cg/cg.hpp"
#include "tests/alone.hpp"
#include "tests/core/comm/gpu_transports.hpp"
#include "tests/workloads/npb/verification.hpp"

namespace bankfull::npb::cg {
namespace {

double zeta_of(Class size, Transport transport, const Communicator& ranks) {
  Problem problem;
  problem.size = size;
  problem.device = own_gpu();
  problem.transport = transport;
  const auto benchmark = make_cuda(problem, ranks);
  benchmark->rewind();
  benchmark->run();
  return benchmark->checks().front().value;
}

class CgOnGpus : public GpuTransportTest {};

// Steps on several ranks form their scalars in another way, which must not cost digits.
TEST_P(CgOnGpus, HasTheZetaOfOneGpu) {
  for (const Class size : {Class::s, Class::a}) {
    const double one = zeta_of(size, Transport::automatic, alone());
    EXPECT_NEAR(zeta_of(size, GetParam(), test_ranks()), one, 1e-13 * one);
  }
}

TEST_P(CgOnGpus, HasTheSameBitsOverAnyTransport) {
  const double best = zeta_of(Class::w, Transport::automatic, test_ranks());
  EXPECT_EQ(zeta_of(Class::w, GetParam(), test_ranks()), best);
}

INSTANTIATE_TEST_SUITE_P(Transports, CgOnGpus, gpu_transports(), plain_name);

}  // namespace
}  // namespace bankfull::npb::cg
