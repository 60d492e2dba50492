#include "tests/workloads/npb/verification.hpp"

#include "bankfull/workloads/npb/ft/ft.hpp"
#include "bankfull/workloads/npb/is/is.hpp"
#include "tests/alone.hpp"

namespace bankfull::npb {
namespace {

/// Classes that take too long for tests of single units, on one thread and on two.
class LargerClasses : public testing::TestWithParam<Kernel> {};

TEST_P(LargerClasses, AreVerified) {
  for (const Class size : {Class::w, Class::a}) {
    for (const int threads : {1, 2}) {
      Problem problem;
      problem.size = size;
      problem.threads = threads;
      SCOPED_TRACE(to_string(size));
      expect_verified(*make_benchmark(GetParam(), problem, alone()));
    }
  }
}

std::string name_of(const testing::TestParamInfo<Kernel>& info) { return to_string(info.param); }

INSTANTIATE_TEST_SUITE_P(Npb, LargerClasses, testing::ValuesIn(all_kernels), name_of);

TEST(NpbReference, ReproducesClassW) {
  expect_verified(*ft::make_reference(Class::w));
  expect_verified(*is::make_reference(Class::w));
}

}  // namespace
}  // namespace bankfull::npb
