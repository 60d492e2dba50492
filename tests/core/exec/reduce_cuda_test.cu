#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/exec/reduce.cuh"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

/// The sums of lists of `count` values 1, 2, 3, ... that follow one another.
std::vector<double> sums_of(int count, int lists) {
  const Stream stream(Device::cuda(0));
  const std::size_t size = static_cast<std::size_t>(count) * static_cast<std::size_t>(lists);
  const FixedOrderSums sums(size);
  const Buffer<double> result(MemorySpace::device, static_cast<std::size_t>(lists));
  std::vector<double> host(size);
  for (std::size_t n = 0; n < size; ++n) {
    host[n] = static_cast<double>(n + 1);
  }
  copy_bytes(sums.partials(), host.data(), size * sizeof(double), stream);
  sums.queue(stream, count, lists, result.data());
  std::vector<double> got(static_cast<std::size_t>(lists));
  copy_bytes(got.data(), result.data(), result.bytes(), stream);
  stream.synchronize();
  return got;
}

TEST(FixedOrderSums, AddEveryPartialOfEveryListOnce) {
  for (const int count : {1, 31, 32, 1000, 8192, 8193, 300001}) {
    for (const int lists : {1, 2, 5}) {
      const std::vector<double> got = sums_of(count, lists);
      for (std::size_t list = 0; list < got.size(); ++list) {
        const double n = count;
        const double before = n * static_cast<double>(list);
        EXPECT_EQ(got[list], before * n + n * (n + 1) / 2) << count << " values, list " << list;
      }
    }
  }
}

struct AddOne {
  double* value;
  __device__ void operator()(std::int64_t, std::int64_t, std::int64_t) const { *value += 1.0; }
};

TEST(Graph, RunsWhatWasRecordedAsOftenAsLaunched) {
  const Stream stream(Device::cuda(0));
  const Buffer<double> value(MemorySpace::device, 1);
  fill_bytes(value.data(), 0, value.bytes(), stream);
  const Box one_cell{0, 1, 0, 1, 0, 1};
  const Graph graph(stream, [&] {
    for (int n = 0; n < 3; ++n) {
      for_each(stream, one_cell, AddOne{value.data()});
    }
  });
  for (int n = 0; n < 4; ++n) {
    graph.launch(stream);
  }
  double got = 0.0;
  copy_bytes(&got, value.data(), sizeof(got), stream);
  stream.synchronize();
  EXPECT_EQ(got, 12.0);
}

TEST(Graph, AFailureWhileRecordingLeavesTheStreamUsable) {
  const Stream stream(Device::cuda(0));
  EXPECT_THROW(Graph(stream, [] { throw std::runtime_error("spoiled"); }), std::runtime_error);
  stream.synchronize();
}

}  // namespace
}  // namespace bankfull
