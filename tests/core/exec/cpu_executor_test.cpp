#include "bankfull/core/exec/cpu_executor.hpp"

#include "bankfull/core/exec/side_by_side.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace bankfull {
namespace {

class CpuExecutorTest : public ::testing::TestWithParam<int> {
 protected:
  const CpuExecutor executor_{GetParam()};
};

TEST_P(CpuExecutorTest, VisitsEveryNumberOnce) {
  for (const std::int64_t count : {0, 1, 2, 7, 100, 1023}) {
    const auto visits = executor_.make<std::int32_t>(count + 1);
    executor_.fill(visits.data(), count, std::int32_t{5});
    visits.data()[count] = -1;  // one beyond the end
    executor_.each(count,
                   [at = visits.data()](std::int64_t n) { at[n] += static_cast<std::int32_t>(n); });
    for (std::int64_t n = 0; n < count; ++n) {
      EXPECT_EQ(visits.data()[n], 5 + n);
    }
    EXPECT_EQ(visits.data()[count], -1);
  }
}

TEST_P(CpuExecutorTest, AddsUpWhatComesBefore) {
  const std::vector<std::int32_t> counts{3, 0, 5, 2'000'000'000, 2'000'000'000, 1, -77};
  std::vector<std::int64_t> starts(7, -1);
  EXPECT_EQ(executor_.exclusive_sum(counts.data(), 6, starts.data()), 4'000'000'009);
  EXPECT_EQ(starts,
            (std::vector<std::int64_t>{0, 3, 3, 8, 2'000'000'008, 4'000'000'008, 4'000'000'009}));
  EXPECT_EQ(executor_.exclusive_sum(counts.data(), 0, starts.data()), 0);
  EXPECT_EQ(starts.front(), 0);
}

/// The element after the counts of a list is none of them.
TEST_P(CpuExecutorTest, AddsUpSeveralLists) {
  const std::vector<std::int32_t> counts{3, 4, -77, 2'000'000'000, 2'000'000'000, -88};
  std::vector<std::int64_t> first(3, -1);
  std::vector<std::int64_t> second(3, -1);
  const auto totals =
      executor_.exclusive_sums(counts.data(), 2, std::array{first.data(), second.data()});
  EXPECT_EQ(totals, (std::array<std::int64_t, 2>{7, 4'000'000'000}));
  EXPECT_EQ(first, (std::vector<std::int64_t>{0, 3, 7}));
  EXPECT_EQ(second, (std::vector<std::int64_t>{0, 2'000'000'000, 4'000'000'000}));
}

TEST_P(CpuExecutorTest, CountsHowOftenValuesOccur) {
  const std::vector<std::uint8_t> values{2, 0, 254, 2, 0, 2, 1};
  std::vector<std::int64_t> expected(255, 0);
  expected[0] = 2;
  expected[1] = 1;
  expected[2] = 3;
  expected[254] = 1;
  EXPECT_EQ(executor_.histogram(values.data(), 7, 255), expected);
  EXPECT_EQ(executor_.histogram(values.data(), 0, 2), (std::vector<std::int64_t>{0, 0}));
}

TEST_P(CpuExecutorTest, CopiesBothWays) {
  std::vector<double> values(100);
  std::iota(values.begin(), values.end(), 0.5);
  const auto buffer = executor_.make<double>(100);
  EXPECT_EQ(buffer.size(), 100U);
  EXPECT_EQ(buffer.space(), MemorySpace::host);
  executor_.from_host(values, buffer.data());
  executor_.synchronize();
  EXPECT_EQ(executor_.to_host(buffer.data(), 100), values);
  EXPECT_EQ(executor_.team().threads(), GetParam());
}

TEST_P(CpuExecutorTest, DoesOneAfterTheOther) {
  std::vector<std::size_t> done;
  side_by_side(executor_, {0, 0, 0, 0}, [&](const CpuExecutor& executor, std::size_t n) {
    EXPECT_EQ(executor.team().threads(), executor_.team().threads());
    done.push_back(n);
  });
  EXPECT_EQ(done, (std::vector<std::size_t>{0, 1, 2, 3}));
}

INSTANTIATE_TEST_SUITE_P(Teams, CpuExecutorTest, ::testing::Values(1, 2, 3, 8));

}  // namespace
}  // namespace bankfull
