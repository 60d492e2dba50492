#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/mg/cuda/charges.hpp"
#include "tests/alone.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace bankfull::npb::mg {
namespace {

TEST(CudaMg, FindsTheChargesOfTheHost) {
  const Stream stream(Device::cuda(0));
  for (const Class size : {Class::s, Class::w, Class::a}) {
    const Charges found = cuda::find_charges(size, stream, alone());
    const Charges expected = find_charges(size, 2, alone());
    EXPECT_EQ(found.positive, expected.positive) << to_string(size);
    EXPECT_EQ(found.negative, expected.negative) << to_string(size);
  }
}

TEST(CudaMg, PutsChargesWhereTheyBelongAndZerosElsewhere) {
  const Stream stream(Device::cuda(0));
  constexpr std::int64_t side = 32;
  const Charges charges = find_charges(Class::s, 1, alone());
  std::vector<double> v(side * side * side);
  const Buffer<double> there(MemorySpace::device, v.size());
  const auto offset_of = [](const Point& p) { return (p.i3 * side + p.i2) * side + p.i1; };
  fill_bytes(there.data(), 0, there.bytes(), stream);
  cuda::queue_charges(charges, offset_of, there.data(), stream);
  copy_bytes(v.data(), there.data(), there.bytes(), stream);
  stream.synchronize();
  const auto at = [&](const Point& p) { return v[static_cast<std::size_t>(offset_of(p))]; };
  for (const Point& point : charges.positive) {
    EXPECT_EQ(at(point), 1.0);
  }
  for (const Point& point : charges.negative) {
    EXPECT_EQ(at(point), -1.0);
  }
  EXPECT_EQ(std::accumulate(v.begin(), v.end(), 0.0, [](double a, double b) { return a + b * b; }),
            20.0);
}

TEST(CudaMg, LeavesOutChargesThatAreElsewhere) {
  const Stream stream(Device::cuda(0));
  const Charges charges = find_charges(Class::s, 1, alone());
  double v = 0.0;
  const Buffer<double> there(MemorySpace::device, 1);
  fill_bytes(there.data(), 0, there.bytes(), stream);
  const auto offset_of = [&](const Point& p) { return p == charges.negative[3] ? 0 : -1; };
  cuda::queue_charges(charges, offset_of, there.data(), stream);
  copy_bytes(&v, there.data(), sizeof v, stream);
  stream.synchronize();
  EXPECT_EQ(v, -1.0);
}

/// The last residual's norm is the same as the reference's, to rounding.
TEST(CudaMg, ConvergesAsTheReference) {
  Problem problem;
  problem.size = Class::s;
  problem.device = Device::cuda(0);
  const auto on_gpu = make_cuda(problem, alone());
  const auto reference = make_reference(Class::s);
  for (Benchmark* const benchmark : {on_gpu.get(), reference.get()}) {
    benchmark->rewind();
    benchmark->run();
  }
  EXPECT_NEAR(on_gpu->checks().front().value / reference->checks().front().value, 1.0, 1e-12);
}

// Where A's weights are constants of kernels, S is multiplied instead.
TEST(CudaMg, IsPerturbedAsOnCpus) {
  Problem problem;
  problem.size = Class::s;
  const auto norm_of = [&](double perturbation, Device device) {
    problem.perturbation = perturbation;
    problem.device = device;
    const auto benchmark = make_benchmark(Kernel::mg, problem, alone());
    benchmark->rewind();
    benchmark->run();
    return benchmark->checks().front().value;
  };
  constexpr double large = 1e-3;
  const double on_cpu = norm_of(large, {});
  EXPECT_NEAR(norm_of(large, Device::cuda(0)) / on_cpu, 1.0, 1e-11);
  EXPECT_GT(std::abs(norm_of(0.0, {}) / on_cpu - 1.0), 1e-5);
}

}  // namespace
}  // namespace bankfull::npb::mg
