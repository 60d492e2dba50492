#include "bankfull/core/memory/memory.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/npb/verification.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace bankfull::npb {
namespace {

/// A kernel of a class.
struct Case {
  Kernel kernel;
  Class size;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return to_string(info.param.kernel) + to_string(info.param.size);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Kernel kernel : all_kernels) {
    for (const Class size : {Class::s, Class::w, Class::a, Class::b, Class::c}) {
      all.push_back({kernel, size});
    }
  }
  return all;
}

class TunedOnGpu : public testing::TestWithParam<Case> {};

TEST_P(TunedOnGpu, IsVerifiedInEveryRun) {
  Problem problem;
  problem.size = GetParam().size;
  problem.device = Device::cuda(0);
  const MemoryWatch memory(MemorySpace::device);
  const auto benchmark = make_benchmark(GetParam().kernel, problem, alone());
  expect_verified(*benchmark);
  benchmark->rewind();
  benchmark->warm_up();
  expect_verified(*benchmark);
  expect_verified(*benchmark);
  // The footprint of the plan; it does not count small tables and partial results.
  constexpr std::int64_t small = 1 << 20;
  EXPECT_LE(memory.max_bytes(), work_bytes(GetParam().kernel, problem, 1).device + small);
}

INSTANTIATE_TEST_SUITE_P(Npb, TunedOnGpu, testing::ValuesIn(cases()), name_of);

std::vector<Case> perturbed_cases() {
  std::vector<Case> all;
  for (const Kernel kernel : all_kernels) {
    for (const Class size : {Class::s, Class::b}) {
      all.push_back({kernel, size});
    }
  }
  return all;
}

class PerturbedOnGpu : public testing::TestWithParam<Case> {
 protected:
  static void expect_refuted_by(double perturbation) {
    Problem problem;
    problem.size = GetParam().size;
    problem.device = Device::cuda(0);
    problem.perturbation = perturbation;
    expect_refuted(*make_benchmark(GetParam().kernel, problem, alone()));
  }
};

TEST_P(PerturbedOnGpu, FailsItsVerification) { expect_refuted_by(small_perturbation); }

TEST_P(PerturbedOnGpu, FailsItWhereNothingIsANumber) { expect_refuted_by(std::nan("")); }

INSTANTIATE_TEST_SUITE_P(Npb, PerturbedOnGpu, testing::ValuesIn(perturbed_cases()), name_of);

}  // namespace
}  // namespace bankfull::npb
