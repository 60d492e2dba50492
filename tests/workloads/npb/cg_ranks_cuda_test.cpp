#include "bankfull/workloads/npb/cg/cg.hpp"
#include "tests/alone.hpp"
#include "tests/core/comm/gpu_transports.hpp"
#include "tests/workloads/npb/verification.hpp"

#include <memory>
#include <string>
#include <variant>

namespace bankfull::npb::cg {
namespace {

std::unique_ptr<Benchmark> run_of(Class size, CgOrder order, Transport transport,
                                  const Communicator& ranks) {
  Problem problem;
  problem.size = size;
  problem.cg_order = order;
  problem.device = own_gpu();
  problem.transport = transport;
  auto benchmark = make_cuda(problem, ranks);
  benchmark->rewind();
  benchmark->run();
  return benchmark;
}

double zeta_of(Class size, CgOrder order, Transport transport, const Communicator& ranks) {
  return run_of(size, order, transport, ranks)->checks().front().value;
}

class CgOnGpus : public GpuTransportTest {
 protected:
  /// Steps on several ranks form their scalars in another way or order, which must not cost digits.
  static void expect_zeta_of_one_gpu(CgOrder order) {
    for (const Class size : {Class::s, Class::a}) {
      const double one = zeta_of(size, CgOrder::nasa, Transport::automatic, alone());
      EXPECT_NEAR(zeta_of(size, order, GetParam(), test_ranks()), one, 1e-13 * one);
    }
  }

  static void expect_same_bits(CgOrder order) {
    const double best = zeta_of(Class::w, order, Transport::automatic, test_ranks());
    EXPECT_EQ(zeta_of(Class::w, order, GetParam(), test_ranks()), best);
  }
};

TEST_P(CgOnGpus, HasTheZetaOfOneGpu) { expect_zeta_of_one_gpu(CgOrder::automatic); }

TEST_P(CgOnGpus, HasTheZetaOfOneGpuInNasasOrder) { expect_zeta_of_one_gpu(CgOrder::nasa); }

TEST_P(CgOnGpus, HasTheSameBitsOverAnyTransport) { expect_same_bits(CgOrder::automatic); }

TEST_P(CgOnGpus, HasTheSameBitsOverAnyTransportInNasasOrder) { expect_same_bits(CgOrder::nasa); }

TEST_P(CgOnGpus, NameTheOrderThatTheyHave) {
  const auto order_of = [](CgOrder order, const Communicator& ranks) {
    return std::get<std::string>(
        run_of(Class::s, order, GetParam(), ranks)->parameters().front().value);
  };
  const bool one = test_ranks().size() == 1;
  EXPECT_EQ(order_of(CgOrder::automatic, test_ranks()), one ? "nasa" : "chronopoulos-gear");
  EXPECT_EQ(order_of(CgOrder::nasa, test_ranks()), "nasa");
  EXPECT_EQ(order_of(CgOrder::chronopoulos_gear, test_ranks()), "chronopoulos-gear");
}

INSTANTIATE_TEST_SUITE_P(Transports, CgOnGpus, gpu_transports(), plain_name);

}  // namespace
}  // namespace bankfull::npb::cg
