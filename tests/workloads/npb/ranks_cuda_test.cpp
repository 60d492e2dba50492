#include "bankfull/core/memory/memory.hpp"
#include "tests/workloads/npb/gpus.hpp"
#include "tests/workloads/npb/is_keys.hpp"
#include "tests/workloads/npb/verification.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace bankfull::npb {
namespace {

class NpbKernelsOnGpus : public NpbOnGpus {
 protected:
  static void expect_verified_twice(Kernel kernel, const Problem& problem) {
    SCOPED_TRACE(to_string(kernel) + to_string(problem.size));
    const MemoryWatch memory(MemorySpace::device);
    const auto benchmark = make_benchmark(kernel, problem, test_ranks());
    benchmark->rewind();
    benchmark->warm_up();
    expect_verified(*benchmark);
    expect_verified(*benchmark);
    // The footprint of the plan; it does not count small tables and the rounding of inboxes.
    constexpr std::int64_t small = 16 << 20;
    EXPECT_LE(memory.max_bytes(), work_bytes(kernel, problem, test_ranks().size()).device + small);
  }

  /// All classes that so many ranks can run; a test of none counts as skipped.
  static void expect_verified_twice(Kernel kernel) {
    std::string refusals;
    bool ran = false;
    for (const Class size : {Class::s, Class::w, Class::a, Class::b}) {
      const Problem problem = problem_of(size);
      const std::string refusal = refusal_of_ranks(kernel, problem, test_ranks().size());
      if (refusal.empty()) {
        expect_verified_twice(kernel, problem);
        ran = true;
      } else {
        refusals += " class " + to_string(size) + " " + refusal + ";";
      }
    }
    RecordProperty("refused", refusals);
    if (!ran) {
      GTEST_SKIP() << test_ranks().size() << " ranks:" << refusals;
    }
  }
};

TEST_P(NpbKernelsOnGpus, CgIsVerifiedInEveryRun) { expect_verified_twice(Kernel::cg); }
TEST_P(NpbKernelsOnGpus, EpIsVerifiedInEveryRun) { expect_verified_twice(Kernel::ep); }
TEST_P(NpbKernelsOnGpus, FtIsVerifiedInEveryRun) { expect_verified_twice(Kernel::ft); }
TEST_P(NpbKernelsOnGpus, IsIsVerifiedInEveryRun) { expect_verified_twice(Kernel::is); }
TEST_P(NpbKernelsOnGpus, MgIsVerifiedInEveryRun) { expect_verified_twice(Kernel::mg); }

TEST_P(NpbKernelsOnGpus, FailTheirVerificationWhereTheyArePerturbed) {
  Problem problem = problem_of(Class::w);
  problem.perturbation = small_perturbation;
  for (const Kernel kernel : all_kernels) {
    if (refusal_of_ranks(kernel, problem, test_ranks().size()).empty()) {
      SCOPED_TRACE(to_string(kernel));
      expect_refuted(*make_benchmark(kernel, problem, test_ranks()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, NpbKernelsOnGpus, gpu_transports(), plain_name);

class IsOnGpus : public NpbOnGpus {
 protected:
  /// All sets of keys in turn with NPB's by one ranking: one must not affect the next.
  static void expect_any_keys_ranked(Class size) {
    const auto ranking = is::make_cuda(problem_of(size), test_ranks());
    for (const is::KeySet& set : is::key_sets) {
      SCOPED_TRACE(set.name);
      is::expect_ranked_in_buckets(*ranking, size, set);
    }
  }
};

TEST_P(IsOnGpus, RanksAnyKeysOfClassS) { expect_any_keys_ranked(Class::s); }
TEST_P(IsOnGpus, RanksAnyKeysOfClassW) { expect_any_keys_ranked(Class::w); }

/// Lists hold all keys of the fullest bucket, but counters of a byte not so many of one value.
/// Where only the first rank has these, all must repeat the rankings.
TEST_P(IsOnGpus, CountersOfAValueThatComesUpTooOftenOverflow) {
  constexpr Class size = Class::w;
  constexpr int bucket_bits = 7;
  const is::Key bucket = is::Key{1} << (is_parameters(size).log2_values - 1 - bucket_bits);
  const std::vector<is::Key> npbs = is::keys_of(is::key_sets.front(), size);
  const auto ranking = is::make_cuda(problem_of(size), test_ranks());
  for (const is::Key value : {0U, 1U, 127U}) {
    for (const std::size_t end : {npbs.size(), npbs.size() / 16}) {
      std::vector<is::Key> keys = npbs;
      for (std::size_t n = 0; n < end; ++n) {
        keys[n] = keys[n] >> bucket_bits == bucket ? (bucket << bucket_bits) + value : keys[n];
      }
      is::expect_ranked(*ranking, size, keys);
      // One rank has counters of 16 bits.
      EXPECT_EQ(ranking->overflowed(), test_ranks().size() > 1) << value << ", " << end << " keys";
    }
  }
}

/// As counted on one GPU, and a byte per value from each rank to the value's owner.
TEST_P(IsOnGpus, StateTheBytesOfKeysAndCounts) {
  constexpr Class size = Class::w;
  const auto ranking = is::make_cuda(problem_of(size), test_ranks());
  ranking->rewind();
  ranking->run();
  const Traffic own = ranking->work().traffic;
  const double keys = std::ldexp(1.0, is_parameters(size).log2_keys);
  const double values = std::ldexp(1.0, is_parameters(size).log2_values);
  const int ranks = test_ranks().size();
  const double counts = ranks > 1 ? ranks * values : 0.0;
  EXPECT_EQ(test_ranks().sum(own.bytes_read), is_iterations * (6.0 * keys + counts));
  EXPECT_EQ(test_ranks().sum(own.bytes_written),
            is_iterations * (2.0 * keys + counts + 4.0 * values));
}

TEST_P(IsOnGpus, HaveRoomForNpbsKeys) {
  for (const Class size : {Class::s, Class::w, Class::a, Class::b, Class::c}) {
    SCOPED_TRACE(to_string(size));
    is::expect_capacity_for_own_keys(*is::make_cuda(problem_of(size), test_ranks()));
  }
}

TEST_P(IsOnGpus, PerturbedFailsVerification) {
  for (const double epsilon : {1e-6, -1e-6}) {
    Problem problem = problem_of(Class::s);
    problem.perturbation = epsilon;
    is::expect_all_wrong(*make_benchmark(Kernel::is, problem, test_ranks()));
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, IsOnGpus, gpu_transports(), plain_name);

}  // namespace
}  // namespace bankfull::npb
