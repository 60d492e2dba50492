#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/numerics/fft/block_fft.cuh"
#include "bankfull/numerics/random/counter.hpp"

#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

namespace bankfull {
namespace {

using Complex = std::complex<double>;

/// A block transforms its tile twice: the second time shared memory is not fresh.
template <class Fft, FftSign Sign>
__global__ void __launch_bounds__(Fft::threads)
    transform_twice(const double2* roots, const double2* from, double2* to) {
  extern __shared__ double2 shared[];
  const Fft fft(roots, shared);
  for (int time = 0; time < 2; ++time) {
    Points<Fft::points> x;
#pragma unroll
    for (int i = 0; i < Fft::points; ++i) {
      x[i] = from[fft.element(i) * Fft::columns + fft.column()];
    }
    fft.template transform<Sign>(x);
#pragma unroll
    for (int i = 0; i < Fft::points; ++i) {
      to[fft.element(i) * Fft::columns + fft.column()] = x[i];
    }
    __syncthreads();
  }
}

struct Roots {
  double2* roots;
  int length;
  __device__ void operator()(std::int64_t n) const {
    roots[n] = fft_root(static_cast<int>(n), length);
  }
};

std::vector<Complex> random_tile(int size) {
  std::vector<Complex> tile(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < tile.size(); ++i) {
    tile[i] = {random_symmetric(7, 2 * i), random_symmetric(7, 2 * i + 1)};
  }
  return tile;
}

template <class Fft, FftSign Sign>
std::vector<Complex> transformed(const std::vector<Complex>& tile) {
  const Stream stream(Device::cuda(0));
  const CudaExecutor executor(stream);
  const auto from = executor.make<Complex>(static_cast<std::int64_t>(tile.size()));
  const auto to = executor.make<Complex>(static_cast<std::int64_t>(tile.size()));
  const auto roots = executor.make<double2>(Fft::length);
  executor.from_host(tile, from.data());
  executor.each(Fft::length, Roots{roots.data(), Fft::length});
  constexpr std::size_t shared_bytes = Fft::shared_points * sizeof(double2);
  allow_shared_bytes(transform_twice<Fft, Sign>, shared_bytes);
  launch(stream, {dim3(1), dim3(Fft::threads), shared_bytes}, transform_twice<Fft, Sign>,
         roots.data(), reinterpret_cast<const double2*>(from.data()),
         reinterpret_cast<double2*>(to.data()));
  return executor.to_host(to.data(), static_cast<std::int64_t>(tile.size()));
}

/// Value k of a column, by the definition.
Complex by_definition(const std::vector<Complex>& tile, int length, int columns, int column, int k,
                      double sign) {
  Complex sum = 0.0;
  for (std::int64_t j = 0; j < length; ++j) {
    const double turns = static_cast<double>(j * k % length) / static_cast<double>(length);
    sum += tile[static_cast<std::size_t>(j * columns + column)] *
           std::polar(1.0, sign * 2.0 * std::numbers::pi * turns);
  }
  return sum;
}

template <class Fft>
class GpuBlockFft : public testing::Test {
 protected:
  template <FftSign Sign>
  static void expect_transform() {
    const std::vector<Complex> tile = random_tile(Fft::length * Fft::columns);
    const std::vector<Complex> values = transformed<Fft, Sign>(tile);
    for (int column = 0; column < Fft::columns; ++column) {
      for (int k = 0; k<Fft::length; k += Fft::length> 128 ? 7 : 1) {
        const Complex expected = by_definition(tile, Fft::length, Fft::columns, column, k,
                                               Sign == FftSign::minus ? -1.0 : 1.0);
        const Complex value = values[static_cast<std::size_t>(k * Fft::columns + column)];
        ASSERT_LT(std::abs(value - expected), 1e-13 * Fft::length)
            << "column " << column << " k " << k;
      }
    }
  }
};

using Transforms =
    testing::Types<BlockFft<8, 8>, BlockFft<32, 8>, BlockFft<64, 8>, BlockFft<64, 4>,
                   BlockFft<128, 8>, BlockFft<256, 8>, BlockFft<256, 16>, BlockFft<512, 8>,
                   BlockFft<512, 8, 16>, BlockFft<512, 4>, BlockFft<512, 4, 32>, BlockFft<1024, 4>,
                   BlockFft<1024, 8>, BlockFft<1024, 4, 32>, BlockFft<1024, 2, 32>,
                   BlockFft<64, 8, 32>, BlockFft<2048, 2>, BlockFft<2048, 4>, BlockFft<4096, 2>>;
TYPED_TEST_SUITE(GpuBlockFft, Transforms);

TYPED_TEST(GpuBlockFft, IsTheTransformOfEachColumn) {
  this->template expect_transform<FftSign::minus>();
  this->template expect_transform<FftSign::plus>();
}

}  // namespace
}  // namespace bankfull
