#include "bankfull/core/measure/streams.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/error.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

std::vector<StreamPattern> all_patterns() {
  using enum StreamOperation;
  std::vector<StreamPattern> patterns;
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    for (const bool streaming : {false, true}) {
      for (const StreamOperation operation : {read, write, copy, scale, add, triad}) {
        patterns.push_back(
            {.operation = operation, .precision = precision, .streaming_stores = streaming});
      }
      for (int reads = 1; reads <= max_mix_reads; ++reads) {
        for (int writes = 1; writes <= max_mix_writes; ++writes) {
          if (reads + writes <= max_mix_arrays) {
            patterns.push_back({.operation = mix,
                                .mix_reads = reads,
                                .mix_writes = writes,
                                .precision = precision,
                                .streaming_stores = streaming});
          }
        }
      }
    }
  }
  return patterns;
}

TEST(StreamPattern, CountsEveryArrayOnce) {
  const StreamPattern triad{.operation = StreamOperation::triad, .precision = Precision::fp64};
  EXPECT_EQ(triad.traffic(1000).bytes_read, 16000.0);
  EXPECT_EQ(triad.traffic(1000).bytes_written, 8000.0);
  EXPECT_EQ(triad.traffic(1000).flops, 2000.0);

  const StreamPattern read{.operation = StreamOperation::read, .precision = Precision::fp32};
  EXPECT_EQ(read.traffic(1000).bytes_read, 4000.0);
  EXPECT_EQ(read.traffic(1000).bytes_written, 0.0);
  EXPECT_EQ(read.traffic(1000).flops, 1000.0);

  const StreamPattern mix{
      .operation = StreamOperation::mix, .mix_reads = 13, .precision = Precision::fp32};
  EXPECT_EQ(mix.traffic(1000).bytes_read, 52000.0);
  EXPECT_EQ(mix.traffic(1000).bytes_written, 4000.0);
  EXPECT_EQ(mix.traffic(1000).flops, 12000.0);

  const StreamPattern projection = pattern_of({.reads = 4, .writes = 3}, Precision::fp64);
  EXPECT_EQ(projection.traffic(1000).bytes_read, 32000.0);
  EXPECT_EQ(projection.traffic(1000).bytes_written, 24000.0);
  EXPECT_EQ(projection.traffic(1000).flops, 5000.0);
}

TEST(StreamPattern, OfAMixThatThereIsNotIsRefused) {
  for (const Mix& mix :
       {Mix{0, 0}, Mix{-1, 2}, Mix{2, -1}, Mix{0, -1}, Mix{17, 1}, Mix{1, 5}, Mix{16, 2}}) {
    EXPECT_THROW(pattern_of(mix, Precision::fp64), UsageError) << mix.reads << ':' << mix.writes;
  }
  EXPECT_EQ(pattern_of({5, 0}, Precision::fp64).operation, StreamOperation::read);
  EXPECT_EQ(pattern_of({0, 5}, Precision::fp64).operation, StreamOperation::write);
}

TEST(StreamPattern, HasAName) {
  EXPECT_EQ(to_string({.operation = StreamOperation::mix,
                       .mix_reads = 13,
                       .precision = Precision::fp32,
                       .streaming_stores = true}),
            "13 read : 1 write, fp32, streaming stores");
  EXPECT_EQ(to_string(pattern_of({.reads = 4, .writes = 3}, Precision::fp64)),
            "4 read : 3 write, fp64");
  EXPECT_EQ(to_string(pattern_of({.reads = 1, .writes = 0}, Precision::fp32)), "read, fp32");
  EXPECT_EQ(to_string(pattern_of({.reads = 0, .writes = 1}, Precision::fp64)), "write, fp64");
  EXPECT_EQ(to_string({.operation = StreamOperation::copy, .n_copy = 8}), "copy, fp64, 8 streams");
}

TEST(Streams, EveryOperationWritesWhatItMust) {
  for (const int threads : {1, 2, 3}) {
    const auto streams = make_streams(Device::cpu(), threads, 4096 * kib);
    for (const StreamPattern& pattern : all_patterns()) {
      for (const std::int64_t blocks : {1, 2, 7, 257}) {
        EXPECT_EQ(streams->wrong_elements(pattern, blocks * Streams::granularity), 0)
            << to_string(pattern) << ", " << blocks << " blocks, " << threads << " threads";
      }
    }
  }
}

TEST(Streams, ConcurrentStreamsCopyEveryElement) {
  const auto streams = make_streams(Device::cpu(), 2, 4096 * kib);
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    for (const bool streaming : {false, true}) {
      for (const int n_copy : {2, 3, 7, 64, 1000}) {
        const StreamPattern pattern{.operation = StreamOperation::copy,
                                    .precision = precision,
                                    .streaming_stores = streaming,
                                    .n_copy = n_copy};
        EXPECT_EQ(streams->wrong_elements(pattern, 1001 * Streams::granularity), 0)
            << to_string(pattern);
      }
    }
  }
}

TEST(Streams, FillTheirMemoryToCapacity) {
  for (const int threads : {1, 3}) {
    const auto streams = make_streams(Device::cpu(), threads, 2048 * kib);
    for (const StreamPattern& pattern : all_patterns()) {
      const std::int64_t elements =
          streams->capacity(pattern) / Streams::granularity * Streams::granularity;
      const auto used =
          static_cast<double>(pattern.arrays() * elements * bytes_of(pattern.precision));
      EXPECT_GT(used, 0.75 * 2048 * kib) << to_string(pattern);
      EXPECT_LT(used, 2048 * kib) << to_string(pattern);
      EXPECT_EQ(streams->wrong_elements(pattern, elements), 0) << to_string(pattern);
    }
  }
}

TEST(Streams, ThreadsThatHelpEachOtherWriteEveryElement) {
  const auto streams = make_streams(Device::cpu(), 3, 40 * mib);
  for (const StreamPattern& pattern : all_patterns()) {
    if (pattern.operation != StreamOperation::mix || pattern.mix_reads % 6 == 1) {
      const std::int64_t most = streams->capacity(pattern) / Streams::granularity;
      const std::int64_t elements = (most - 5) * Streams::granularity;
      EXPECT_EQ(streams->wrong_elements(pattern, elements), 0) << to_string(pattern);
      EXPECT_GT(streams->seconds(pattern, elements, 2), 0.0) << to_string(pattern);
    }
  }
}

TEST(Streams, TimePassesOverAllSizes) {
  const auto streams = make_streams(Device::cpu(), 2, 1024 * kib);
  for (const StreamPattern& pattern : all_patterns()) {
    EXPECT_GT(streams->seconds(pattern, Streams::granularity, 1), 0.0) << to_string(pattern);
    EXPECT_GT(streams->seconds(pattern, 101 * Streams::granularity, 3), 0.0) << to_string(pattern);
  }
}

}  // namespace
}  // namespace bankfull
