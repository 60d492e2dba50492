#include "tests/workloads/npb/verification.hpp"

#include "tests/alone.hpp"

namespace bankfull::npb {
namespace {

/// Class A, of a size that people run, on one thread and on two.
class ClassA : public testing::TestWithParam<Kernel> {};

TEST_P(ClassA, IsVerified) {
  for (const int threads : {1, 2}) {
    Problem problem;
    problem.size = Class::a;
    problem.threads = threads;
    expect_verified(*make_benchmark(GetParam(), problem, alone()));
  }
}

std::string name_of(const testing::TestParamInfo<Kernel>& info) { return to_string(info.param); }

INSTANTIATE_TEST_SUITE_P(Npb, ClassA, testing::ValuesIn(all_kernels), name_of);

}  // namespace
}  // namespace bankfull::npb
