#include "bankfull/core/measure/streams.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

class CudaStreams : public testing::Test {
 protected:
  static constexpr std::int64_t pool = std::int64_t{64} << 20;
};

TEST_F(CudaStreams, EveryOperationWritesWhatItMust) {
  using enum StreamOperation;
  const auto streams = make_streams(Device::cuda(0), 1, pool);
  for (const StreamGrid& grid :
       {StreamGrid{}, StreamGrid{.blocks = 3, .threads = 64, .through_l1 = true}}) {
    streams->use_grid(grid);
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      for (const StreamOperation operation : {read, write, copy, scale, add, triad, mix}) {
        for (const int reads : {1, 2, 13, max_mix_reads}) {
          const StreamPattern pattern{
              .operation = operation, .mix_reads = reads, .precision = precision};
          EXPECT_EQ(streams->wrong_elements(pattern, 1021 * Streams::granularity), 0)
              << to_string(pattern);
          EXPECT_EQ(streams->wrong_elements(pattern, 16), 0) << to_string(pattern);
        }
      }
    }
  }
}

TEST_F(CudaStreams, MixesWriteEveryArray) {
  const auto streams = make_streams(Device::cuda(0), 1, pool);
  for (const StreamGrid& grid :
       {StreamGrid{}, StreamGrid{.blocks = 3, .threads = 64, .through_l1 = true}}) {
    streams->use_grid(grid);
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      for (const Mix& mix : {Mix{1, 2}, Mix{1, 4}, Mix{4, 3}, Mix{7, 2}, Mix{13, 4}, Mix{15, 2}}) {
        const StreamPattern pattern = pattern_of(mix, precision);
        EXPECT_EQ(streams->wrong_elements(pattern, 1021 * Streams::granularity), 0)
            << to_string(pattern);
      }
    }
  }
}

TEST_F(CudaStreams, ConcurrentStreamsCopyEveryElement) {
  const auto streams = make_streams(Device::cuda(0), 1, pool);
  for (const int n_copy : {2, 3, 64, 100000}) {
    const StreamPattern pattern{
        .operation = StreamOperation::copy, .precision = Precision::fp32, .n_copy = n_copy};
    EXPECT_EQ(streams->wrong_elements(pattern, 1021 * Streams::granularity), 0)
        << to_string(pattern);
  }
}

TEST_F(CudaStreams, FillTheirMemoryToCapacity) {
  const auto streams = make_streams(Device::cuda(0), 1, pool);
  const StreamPattern pattern{
      .operation = StreamOperation::mix, .mix_reads = max_mix_reads, .precision = Precision::fp64};
  const std::int64_t elements =
      streams->capacity(pattern) / Streams::granularity * Streams::granularity;
  EXPECT_EQ(streams->wrong_elements(pattern, elements), 0);
  EXPECT_GT(streams->seconds(pattern, elements, 2), 0.0);
}

}  // namespace
}  // namespace bankfull
