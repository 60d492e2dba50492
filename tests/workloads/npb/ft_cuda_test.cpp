#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/workloads/npb/ft/cuda/transforms.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <string>
#include <vector>

namespace bankfull::npb::ft {
namespace {

/// Of the elements `stride` apart from `first` on, by halves.
void transform(Complex* first, std::int64_t count, std::int64_t stride, double sign) {
  if (count == 1) {
    return;
  }
  transform(first, count / 2, 2 * stride, sign);
  transform(first + stride, count / 2, 2 * stride, sign);
  std::vector<Complex> joined(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count / 2; ++k) {
    const double turns = static_cast<double>(k) / static_cast<double>(count);
    const Complex term =
        std::polar(1.0, sign * 2.0 * std::numbers::pi * turns) * first[(2 * k + 1) * stride];
    joined[static_cast<std::size_t>(k)] = first[2 * k * stride] + term;
    joined[static_cast<std::size_t>(k + count / 2)] = first[2 * k * stride] - term;
  }
  for (std::int64_t k = 0; k < count; ++k) {
    first[k * stride] = joined[static_cast<std::size_t>(k)];
  }
}

void transform(std::vector<Complex>& field, const FtParameters& ft, double sign) {
  for (std::int64_t row = 0; row < ft.ny * ft.nz; ++row) {
    transform(field.data() + row * ft.nx, ft.nx, 1, sign);
  }
  for (std::int64_t z = 0; z < ft.nz; ++z) {
    for (std::int64_t x = 0; x < ft.nx; ++x) {
      transform(field.data() + z * ft.nx * ft.ny + x, ft.ny, ft.nx, sign);
    }
  }
  for (std::int64_t n = 0; n < ft.nx * ft.ny; ++n) {
    transform(field.data() + n, ft.nz, ft.nx * ft.ny, sign);
  }
}

/// Of all iterations, as RNR-94-007 has them.
std::vector<Complex> expected_checksums(const FtParameters& ft) {
  std::vector<Complex> spectrum(static_cast<std::size_t>(ft.points()));
  Generator generator(common_seed);
  for (Complex& value : spectrum) {
    const double real = generator.draw();
    value = {real, generator.draw()};
  }
  transform(spectrum, ft, 1.0);
  std::vector<Complex> checksums;
  for (int t = 1; t <= ft.iterations; ++t) {
    const std::vector<double> decay_x = decay(ft.nx, t);
    const std::vector<double> decay_y = decay(ft.ny, t);
    const std::vector<double> decay_z = decay(ft.nz, t);
    std::vector<Complex> field = spectrum;
    for (std::int64_t n = 0; n < ft.points(); ++n) {
      field[static_cast<std::size_t>(n)] *= decay_x[static_cast<std::size_t>(n % ft.nx)] *
                                            decay_y[static_cast<std::size_t>(n / ft.nx % ft.ny)] *
                                            decay_z[static_cast<std::size_t>(n / ft.nx / ft.ny)];
    }
    transform(field, ft, -1.0);
    Complex sum = 0.0;
    for (std::int64_t j = 1; j <= checksum_points; ++j) {
      const std::int64_t row = checksum_step_z * j % ft.nz * ft.ny + checksum_step_y * j % ft.ny;
      sum += field[static_cast<std::size_t>(row * ft.nx + checksum_step_x * j % ft.nx)];
    }
    checksums.push_back(sum / static_cast<double>(ft.points()));
  }
  return checksums;
}

std::vector<Complex> checksums(const cuda::Plan& plan) {
  const Stream stream(Device::cuda(0));
  const cuda::Transforms transforms(plan, stream);
  transforms.queue_tables();
  transforms.queue_spectrum();
  for (int t = 1; t <= plan.iterations; ++t) {
    transforms.queue_iteration(t);
  }
  transforms.queue_checksums(plan.iterations);
  return transforms.checksums(plan.iterations);
}

class FtOnGpu : public testing::TestWithParam<FtParameters> {
 protected:
  void SetUp() override {
    if (survey_gpus().gpus.empty()) {
      GTEST_SKIP() << survey_gpus().none_because;
    }
  }
};

TEST_P(FtOnGpu, HasTheChecksumsOfTheDefinition) {
  const std::vector<Complex> expected = expected_checksums(GetParam());
  cuda::Plan plan = cuda::plan_of(GetParam());
  for (const int planes : {1, 2, 4}) {
    plan.shape = cuda::shape_of(GetParam(), planes);
    const std::vector<Complex> found = checksums(plan);
    for (std::size_t t = 0; t < expected.size(); ++t) {
      EXPECT_LT(std::abs(found[t] - expected[t]), 1e-13 * std::abs(expected[t]))
          << "tiles of " << planes << " planes, t " << t + 1;
    }
  }
}

std::string name_of(const testing::TestParamInfo<FtParameters>& info) {
  const FtParameters& ft = info.param;
  return std::to_string(ft.nx) + "x" + std::to_string(ft.ny) + "x" + std::to_string(ft.nz);
}

// Lengths of depths and sides, and either axis for the depth.
INSTANTIATE_TEST_SUITE_P(
    Shapes, FtOnGpu,
    testing::Values(FtParameters{64, 64, 32, 2}, FtParameters{128, 64, 64, 2},
                    FtParameters{128, 128, 64, 2}, FtParameters{64, 64, 512, 2},
                    FtParameters{2048, 64, 64, 1}, FtParameters{256, 256, 32, 1},
                    FtParameters{32, 512, 512, 1}, FtParameters{32, 1024, 1024, 1}),
    name_of);

}  // namespace
}  // namespace bankfull::npb::ft
