#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/workloads/npb/ft/cuda/passes.cuh"
#include "tests/gpu_traffic.cuh"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

// The declared traffic of FT's passes on a GPU against the points that they read and write.
namespace bankfull::npb::ft::cuda {
namespace {

constexpr int depth = 32;
constexpr int side = 64;
constexpr std::int64_t points = std::int64_t{depth} * side * side;

std::vector<double2> random_values(unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> within(-1.0, 1.0);
  std::vector<double2> values(static_cast<std::size_t>(points));
  for (double2& value : values) {
    value = {within(generator), within(generator)};
  }
  return values;
}

/// A field that counts how often a point of a row is asked for.
struct CountedField {
  Field data;
  unsigned* times;

  struct Walk {
    Field data;
    unsigned* times;
    int first;

    [[nodiscard]] __device__ int begin() const { return first; }
    [[nodiscard]] __device__ double2* at(int point, std::int64_t offset, std::int64_t step) const {
      const std::int64_t place = offset + point * step;
      atomicAdd(times + place, 1U);
      return data + place;
    }
  };
  template <class Fft>
  [[nodiscard]] __device__ Walk along_row(const Fft& fft) const {
    return {data, times, fft.element(0)};
  }
};

/// With tiles of so many planes.
class FtPasses : public testing::TestWithParam<int> {
 protected:
  FtPasses() {
    executor_.each(depth, FormRoots{roots_.data(), depth});
    executor_.each(side, FormRoots{side_roots(), side});
    executor_.each(depth, FormDecay{decay_.data(), depth, depth + side, 1.0});
    executor_.each(side, FormDecay{decay_.data() + depth, side, depth + side, 1.0});
    executor_.from_host(random_values(1), first_.data());
    executor_.from_host(random_values(2), second_.data());
  }

  [[nodiscard]] double2* side_roots() const { return roots_.data() + depth; }
  [[nodiscard]] Decay decay() const {
    return {decay_.data(), decay_.data() + depth, decay_.data() + depth};
  }

  template <class Fft, class... Parameters, class... Arguments>
  void launch_tiles(void (*kernel)(Parameters...), Arguments... arguments) {
    constexpr std::size_t shared_bytes = Fft::shared_points * sizeof(double2);
    allow_shared_bytes(kernel, shared_bytes);
    launch(stream_, {dim3(points / tile_points<Fft>), dim3(Fft::threads), shared_bytes}, kernel,
           arguments...);
  }

  /// A pass goes from the first field to the second, or works in the first alone. Some points of
  /// all parts are tried.
  template <class Pass>
  void expect_as_declared(const Traffic& declared, const Pass& pass) {
    const gpu_traffic::Watch watch(executor_, {{first_.data(), points}, {second_.data(), points}});
    gpu_traffic::expect_equal_bytes(
        points * declared, watch.traffic_of([&] { pass(first_.data(), second_.data()); }, 2731));
  }

  Shape shape_ = shape_of({side, side, depth, 1}, GetParam());
  Stream stream_{Device::cuda(0)};
  CudaExecutor executor_{stream_};
  Buffer<double2> first_ = executor_.make<double2>(points);
  Buffer<double2> second_ = executor_.make<double2>(points);
  Buffer<double2> roots_ = executor_.make<double2>(depth + side);
  Buffer<double> decay_ = executor_.make<double>(depth + side);
};

TEST_P(FtPasses, DrawingRows) {
  using Fft = RowFft<side>;
  expect_as_declared(draw_rows_traffic, [&](Field first, Field /*second*/) {
    const auto numbers =
        static_cast<std::uint64_t>(2 * Fft::threads_per_column * shape_.along_column.stride);
    launch_tiles<Fft>(draw_rows<Fft>, shape_, side_roots(), std::uint64_t{common_seed},
                      generator_jump(numbers), first);
  });
}

TEST_P(FtPasses, ColumnsToLines) {
  expect_as_declared(columns_to_lines_traffic, [&](Field first, Field second) {
    launch_tiles<ColumnFft<side>>(columns_to_lines<ColumnFft<side>, WholeField>, shape_,
                                  side_roots(), first, WholeField{second});
  });
}

TEST_P(FtPasses, Lines) {
  expect_as_declared(transform_lines_traffic, [&](Field first, Field /*second*/) {
    launch_tiles<LineFft<depth>>(transform_lines<LineFft<depth>>, roots_.data(), first);
  });
}

TEST_P(FtPasses, LinesToPlanes) {
  expect_as_declared(lines_to_planes_traffic, [&](Field first, Field second) {
    launch_tiles<LineFft<depth>>(lines_to_planes<LineFft<depth>>, shape_, roots_.data(), decay(),
                                 0U, WholeField{first}, WholeField{second});
  });
}

TEST_P(FtPasses, Columns) {
  expect_as_declared(transform_columns_traffic, [&](Field first, Field /*second*/) {
    launch_tiles<ColumnFft<side>>(transform_columns<ColumnFft<side>, WholeField>, side_roots(), 0U,
                                  WholeField{first});
  });
}

/// Most rows have no point of the checksum, so what a point would change is not seen: the pass asks
/// for each of its points once.
TEST_P(FtPasses, SamplingRows) {
  const auto times = executor_.make<unsigned>(points);
  const auto terms = executor_.make<double2>(checksum_points);
  executor_.fill(times.data(), points, 0U);
  launch_tiles<RowFft<side>>(sample_rows<RowFft<side>, CountedField>, shape_, Samples(shape_),
                             side_roots(), CountedField{first_.data(), times.data()}, terms.data());
  const std::vector<unsigned> counted = executor_.to_host(times.data(), points);
  EXPECT_EQ(std::count(counted.begin(), counted.end(), 1U), points);
  EXPECT_EQ(sample_rows_traffic.bytes_read, point_bytes);
  EXPECT_EQ(sample_rows_traffic.bytes_written, 0.0);
  EXPECT_EQ(executor_.to_host(first_.data(), points).front().x, random_values(1).front().x);
}

INSTANTIATE_TEST_SUITE_P(Tiles, FtPasses, testing::Values(1, 2, 4),
                         [](const testing::TestParamInfo<int>& tested) {
                           return "of" + std::to_string(tested.param) + "planes";
                         });

}  // namespace
}  // namespace bankfull::npb::ft::cuda
