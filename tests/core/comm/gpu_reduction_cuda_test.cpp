#include "bankfull/core/comm/gpu_reduction.hpp"
#include "bankfull/core/exec/graph.hpp"
#include "tests/core/comm/gpu_transports.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

/// Terms of very different sizes, so that the order of adding shows in the bits; the second is -0.
std::vector<double> terms(int rank, int round, int count) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(count));
  for (int n = 0; n < count; ++n) {
    const double size = std::pow(10.0, 3 * ((rank + n) % 5));
    values.push_back(n == 1 ? -0.0 : std::sin(rank + 0.1 * round + 7.0 * n + 1.0) * size);
  }
  return values;
}

/// Every rank's values become their sum.
void add_up(std::vector<std::vector<double>>& of_ranks) {
  std::vector<double> sum = of_ranks.front();
  for (std::size_t rank = 1; rank < of_ranks.size(); ++rank) {
    for (std::size_t n = 0; n < sum.size(); ++n) {
      sum[n] += of_ranks[rank][n];
    }
  }
  of_ranks.assign(of_ranks.size(), sum);
}

/// The result of `sums` successive sums of a round's terms, each of the results of the previous
/// one.
std::vector<double> expected(int round, int count, int sums) {
  std::vector<std::vector<double>> of_ranks;
  of_ranks.reserve(static_cast<std::size_t>(test_ranks().size()));
  for (int rank = 0; rank < test_ranks().size(); ++rank) {
    of_ranks.push_back(terms(rank, round, count));
  }
  for (int n = 0; n < sums; ++n) {
    add_up(of_ranks);
  }
  return of_ranks.front();
}

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  bits.reserve(values.size());
  for (const double value : values) {
    bits.push_back(std::bit_cast<std::uint64_t>(value));
  }
  return bits;
}

class GpuReductionTest : public GpuTransportTest {
 protected:
  void put(const std::vector<double>& values, const Stream& stream) {
    numbers_ = Buffer<double>(MemorySpace::device, values.size());
    refill(values, stream);
  }

  void refill(const std::vector<double>& values, const Stream& stream) const {
    copy_bytes(numbers_.data(), values.data(), numbers_.bytes(), stream);
    stream.synchronize();
  }

  [[nodiscard]] std::vector<double> get(const Stream& stream) const {
    std::vector<double> values(numbers_.size());
    copy_bytes(values.data(), numbers_.data(), numbers_.bytes(), stream);
    stream.synchronize();
    return values;
  }

  [[nodiscard]] double* numbers() const { return numbers_.data(); }

 private:
  Buffer<double> numbers_;
};

TEST_P(GpuReductionTest, HasTheBitsOfTheOrderedSumOnAllRanks) {
  const Communicator& ranks = test_ranks();
  const Stream stream(own_gpu());
  constexpr int most = 40;  // more than a warp has threads
  GpuReduction sum(ranks, most, GetParam(), stream);
  for (const int count : {1, 2, 3, most, 5, 1}) {
    for (int round = 0; round < 7; ++round) {
      put(terms(ranks.rank(), round, count), stream);
      sum.queue_sum(numbers(), count);
      const std::vector<double> got = get(stream);
      EXPECT_EQ(bits_of(got), bits_of(expected(round, count, 1)));
      const double own_first = terms(ranks.rank(), round, count).front();
      EXPECT_EQ(std::bit_cast<std::uint64_t>(got.front()),
                std::bit_cast<std::uint64_t>(ranks.sum(own_first)));
    }
  }
}

TEST_P(GpuReductionTest, FindsTheLargestOfAllRanks) {
  const Communicator& ranks = test_ranks();
  const Stream stream(own_gpu());
  GpuReduction reduction(ranks, 3, GetParam(), stream);
  for (int round = 0; round < 7; ++round) {
    const int winner = round % ranks.size();
    const bool wins = ranks.rank() == winner;
    put({wins ? 7.0 + round : -1.0, -2.0 - ranks.rank(), wins ? std::nan("") : 3.0}, stream);
    reduction.queue_largest(numbers(), 3);
    const std::vector<double> got = get(stream);
    EXPECT_EQ(got[0], 7.0 + round);
    EXPECT_EQ(got[1], -2.0);
    EXPECT_TRUE(std::isnan(got[2]));
  }
}

TEST_P(GpuReductionTest, LeavesOtherValuesAlone) {
  const Communicator& ranks = test_ranks();
  const Stream stream(own_gpu());
  GpuReduction sum(ranks, 4, GetParam(), stream);
  put({1.0, 2.0, 3.0, 4.0}, stream);
  sum.queue_sum(numbers() + 1, 2);
  sum.queue_sum(numbers(), 0);
  const double size = ranks.size();
  EXPECT_EQ(get(stream), (std::vector<double>{1.0, 2.0 * size, 3.0 * size, 4.0}));
}

TEST_P(GpuReductionTest, ManyInARowKeepOrder) {
  const Communicator& ranks = test_ranks();
  const Stream stream(own_gpu());
  GpuReduction sum(ranks, 2, GetParam(), stream);
  for (int round = 0; round < 20; ++round) {
    put(terms(ranks.rank(), round, 2), stream);
    for (int n = 0; n < 31; ++n) {  // no rank waits between them
      sum.queue_sum(numbers(), 2);
    }
    EXPECT_EQ(bits_of(get(stream)), bits_of(expected(round, 2, 31)));
  }
}

TEST_P(GpuReductionTest, CanBeRecordedWhereItSaysSo) {
  const Communicator& ranks = test_ranks();
  const Stream stream(own_gpu());
  GpuReduction sum(ranks, 3, GetParam(), stream);
  if (!sum.recordable()) {
    GTEST_SKIP() << to_string(sum.transport()) << " needs the host";
  }
  put(terms(ranks.rank(), 0, 3), stream);
  const Graph graph(stream, [&] {
    for (int n = 0; n < 3; ++n) {  // an odd number: the slots alternate between launches too
      sum.queue_sum(numbers(), 3);
    }
  });
  for (int round = 0; round < 50; ++round) {
    refill(terms(ranks.rank(), round, 3), stream);
    graph.launch(stream);
    graph.launch(stream);
    const bool plain_too = round % 3 == 0;
    if (plain_too) {
      sum.queue_sum(numbers(), 3);
    }
    EXPECT_EQ(bits_of(get(stream)), bits_of(expected(round, 3, plain_too ? 7 : 6)));
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, GpuReductionTest, gpu_transports(), plain_name);

}  // namespace
}  // namespace bankfull
