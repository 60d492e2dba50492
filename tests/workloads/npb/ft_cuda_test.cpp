#include "bankfull/numerics/fft/lane_fft.hpp"
#include "bankfull/workloads/npb/generator.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/npb/ft_checksums.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull::npb::ft {
namespace {

/// Transforms of one axis: of the sequences that begin at the multiples of `apart` up to `end` and
/// have the same number of elements, `stride` apart.
struct Sequences {
  std::int64_t apart;
  std::int64_t end;
  std::int64_t stride;
};

/// Transforms eight sequences at a time, in lanes: a serial transform would take a minute for
/// larger fields.
void transform(Complex* field, const Sequences& sequences, const LaneFft& fft, FftSign sign) {
  constexpr std::int64_t lanes = LaneFft::lanes;
  std::vector<double> blocks(static_cast<std::size_t>(fft.size() * LaneFft::block));
  std::vector<double> other(blocks.size());
  for (std::int64_t first = 0; first < sequences.end; first += lanes * sequences.apart) {
    const auto at = [&](std::int64_t k, std::int64_t lane) -> Complex& {
      return field[first + lane * sequences.apart + k * sequences.stride];
    };
    for (std::int64_t k = 0; k < fft.size(); ++k) {
      double* const block = blocks.data() + k * LaneFft::block;
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        block[lane] = at(k, lane).real();
        block[lanes + lane] = at(k, lane).imag();
      }
    }
    const double* const found = fft.transform(sign, blocks.data(), other.data());
    for (std::int64_t k = 0; k < fft.size(); ++k) {
      const double* const block = found + k * LaneFft::block;
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        at(k, lane) = {block[lane], block[lanes + lane]};
      }
    }
  }
}

void transform(std::vector<Complex>& field, const FtParameters& ft, FftSign sign) {
  const std::int64_t plane = ft.nx * ft.ny;
  transform(field.data(), {ft.nx, ft.points(), 1}, LaneFft(ft.nx), sign);
  const LaneFft along_y(ft.ny);
  for (std::int64_t z = 0; z < ft.nz; ++z) {
    transform(field.data() + z * plane, {1, ft.nx, ft.nx}, along_y, sign);
  }
  transform(field.data(), {1, plane, plane}, LaneFft(ft.nz), sign);
}

/// The checksums of all iterations, by RNR-94-007.
std::vector<Complex> expected_checksums(const FtParameters& ft) {
  std::vector<Complex> spectrum(static_cast<std::size_t>(ft.points()));
  Generator generator(common_seed);
  for (Complex& value : spectrum) {
    const double real = generator.draw();
    value = {real, generator.draw()};
  }
  transform(spectrum, ft, FftSign::plus);
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
    transform(field, ft, FftSign::minus);
    Complex sum = 0.0;
    for (std::int64_t j = 1; j <= checksum_points; ++j) {
      const std::int64_t row = checksum_step_z * j % ft.nz * ft.ny + checksum_step_y * j % ft.ny;
      sum += field[static_cast<std::size_t>(row * ft.nx + checksum_step_x * j % ft.nx)];
    }
    checksums.push_back(sum / static_cast<double>(ft.points()));
  }
  return checksums;
}

/// Large ones only where they fit.
std::vector<cuda::Tiles> tiles_of_this_gpu() {
  std::vector<cuda::Tiles> tiles{cuda::Tiles::small};
  if (cuda::tiles_for(Device::cuda(0), 1) == cuda::Tiles::large) {
    tiles.push_back(cuda::Tiles::large);
  }
  return tiles;
}

class FtOnGpu : public testing::TestWithParam<FtParameters> {};

TEST_P(FtOnGpu, HasTheChecksumsOfTheDefinition) {
  const std::vector<Complex> expected = expected_checksums(GetParam());
  cuda::Plan plan = cuda::plan_of(GetParam());
  for (const cuda::Tiles tiles : tiles_of_this_gpu()) {
    for (const int planes : {1, 2, 4}) {
      plan.shape = cuda::shape_of(GetParam(), planes, tiles);
      const std::vector<Complex> found = checksums(plan, Device::cuda(0), alone());
      for (std::size_t t = 0; t < expected.size(); ++t) {
        EXPECT_LT(std::abs(found[t] - expected[t]), 1e-13 * std::abs(expected[t]))
            << (tiles == cuda::Tiles::large ? "large" : "small") << " tiles of " << planes
            << " planes, t " << t + 1;
      }
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
                    FtParameters{2048, 64, 64, 1}, FtParameters{4096, 64, 64, 1},
                    FtParameters{256, 256, 32, 1}, FtParameters{32, 512, 512, 1},
                    FtParameters{32, 1024, 1024, 1}),
    name_of);

}  // namespace
}  // namespace bankfull::npb::ft
