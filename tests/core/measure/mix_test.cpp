#include "bankfull/core/measure/mix.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace bankfull {
namespace {

struct MixCase {
  double read;
  double written;
  const char* mix;
};

// GoogleTest looks for this name.
void PrintTo(  // NOLINT(readability-identifier-naming)
    const MixCase& c, std::ostream* out) {
  *out << c.read << " to " << c.written;
}

class MixOf : public ::testing::TestWithParam<MixCase> {};

TEST_P(MixOf, IsTheNearestRatioOfFewArrays) {
  const MixCase& c = GetParam();
  for (const double bytes : {1.0, 3e9, 1.1e13}) {
    const auto mix = mix_of({.bytes_read = bytes * c.read, .bytes_written = bytes * c.written});
    ASSERT_TRUE(mix);
    EXPECT_EQ(to_string(*mix), c.mix);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Exact, MixOf,
    ::testing::Values(MixCase{16, 1, "16 read : 1 write"}, MixCase{13, 1, "13 read : 1 write"},
                      MixCase{4, 3, "4 read : 3 write"}, MixCase{1, 1, "1 read : 1 write"},
                      MixCase{3, 3, "1 read : 1 write"}, MixCase{3, 1, "3 read : 1 write"},
                      MixCase{7, 2, "7 read : 2 write"}, MixCase{5, 4, "5 read : 4 write"},
                      MixCase{13, 4, "13 read : 4 write"}, MixCase{1, 4, "1 read : 4 write"},
                      MixCase{1, 0, "read"}, MixCase{0, 1, "write"}));

INSTANTIATE_TEST_SUITE_P(
    Between, MixOf,
    ::testing::Values(MixCase{1.02, 1, "1 read : 1 write"}, MixCase{1, 1.05, "1 read : 1 write"},
                      MixCase{13.2, 1, "13 read : 1 write"}, MixCase{2.55, 1, "5 read : 2 write"},
                      MixCase{1.3, 1, "4 read : 3 write"}, MixCase{20, 1, "16 read : 1 write"},
                      // Half way, in bytes, between 16:1 and reads only.
                      MixCase{32.9, 1, "16 read : 1 write"}, MixCase{33.1, 1, "read"},
                      MixCase{1e9, 1, "read"}, MixCase{1, 1e9, "write"}));

TEST(Mix, IsNoneWhereNothingIsMoved) {
  EXPECT_FALSE(mix_of({}));
  EXPECT_FALSE(mix_of({.flops = 1e9}));
  EXPECT_FALSE(mix_of({.bytes_read = std::numeric_limits<double>::quiet_NaN()}));
}

TEST(Mix, IsFoundAgainFromEveryRatioThatItCanHave) {
  for (int writes = 1; writes <= max_mix_writes; ++writes) {
    for (int reads = 1; reads <= max_mix_reads && reads + writes <= max_mix_arrays; ++reads) {
      const auto mix = mix_of({.bytes_read = 1e10 * reads, .bytes_written = 1e10 * writes});
      ASSERT_TRUE(mix);
      EXPECT_EQ(mix->reads * writes, mix->writes * reads) << reads << " to " << writes;
    }
  }
}

}  // namespace
}  // namespace bankfull
