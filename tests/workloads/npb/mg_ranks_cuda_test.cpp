#include "bankfull/workloads/npb/mg/blocks.hpp"
#include "bankfull/workloads/npb/mg/cuda/charges.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/npb/gpus.hpp"

#include <bit>
#include <vector>

namespace bankfull::npb::mg {
namespace {

class MgOnGpus : public NpbOnGpus {
 protected:
  void SetUp() override {
    if (!std::has_single_bit(static_cast<unsigned>(test_ranks().size()))) {
      GTEST_SKIP() << "no power of two";
    }
    NpbOnGpus::SetUp();
  }

  static double norm_of(Benchmark& benchmark) {
    benchmark.rewind();
    benchmark.run();
    return benchmark.checks().front().value;
  }

  /// Grids have the bits of one GPU; the norm's sums have their own order.
  static void expect_norm_of_one_gpu(Class size, const std::vector<RankGrid>& splits,
                                     int gathered) {
    const Problem problem = problem_of(size);
    const double expected = norm_of(*make_cuda(problem, alone()));
    for (const RankGrid& cuts : splits) {
      SCOPED_TRACE(to_string(size) + " on " + to_string(cuts));
      const auto benchmark =
          make_cuda(problem, test_ranks(), Blocks(level_count(size), cuts, gathered));
      EXPECT_NEAR(norm_of(*benchmark) / expected, 1.0, 1e-12);
      // From whatever state it was left in.
      EXPECT_NEAR(norm_of(*benchmark) / expected, 1.0, 1e-12);
    }
  }

  /// All splits of the ranks along three axes.
  static std::vector<RankGrid> all_cuts() {
    const int ranks = test_ranks().size();
    std::vector<RankGrid> cuts;
    for (int i = 1; i <= ranks; i *= 2) {
      for (int j = 1; i * j <= ranks; j *= 2) {
        cuts.push_back({i, j, ranks / (i * j)});
      }
    }
    return cuts;
  }
};

TEST_P(MgOnGpus, HaveTheNormOfOneHoweverTheGridIsCut) {
  expect_norm_of_one_gpu(Class::s, all_cuts(), 4);
  expect_norm_of_one_gpu(Class::w, all_cuts(), 6);
}

TEST_P(MgOnGpus, HaveTheNormOfOneWithSeveralGridsThatAreCut) {
  expect_norm_of_one_gpu(Class::w, all_cuts(), 4);
}

TEST_P(MgOnGpus, FindTheSameChargesTogether) {
  const Stream stream(own_gpu());
  for (const Class size : {Class::s, Class::w, Class::a}) {
    const Charges expected = find_charges(size, 2, alone());
    const Charges found = cuda::find_charges(size, stream, test_ranks());
    EXPECT_EQ(found.positive, expected.positive) << to_string(size);
    EXPECT_EQ(found.negative, expected.negative) << to_string(size);
  }
}

TEST_P(MgOnGpus, TakeMemoryThatFallsWithTheRanks) {
  const Problem problem = problem_of(Class::d);
  const auto one = static_cast<double>(cuda_memory_bytes(problem, 1));
  const auto eight = static_cast<double>(cuda_memory_bytes(problem, 8));
  EXPECT_LT(eight, 1.25 * one / 8.0);
  EXPECT_GT(eight, one / 8.0);
}

INSTANTIATE_TEST_SUITE_P(Transports, MgOnGpus, gpu_transports(), plain_name);

}  // namespace
}  // namespace bankfull::npb::mg
