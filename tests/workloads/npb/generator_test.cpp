#include "bankfull/workloads/npb/generator.hpp"

#include <gtest/gtest.h>

namespace bankfull::npb {
namespace {

/// The same by 128-bit products.
std::uint64_t slow_step(std::uint64_t x) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{x} * Wide{generator_factor} % Wide{generator_modulus});
}

TEST(Generator, StepsAreExactModulo) {
  Generator generator(common_seed);
  std::uint64_t x = common_seed;
  for (int n = 0; n < 1000; ++n) {
    x = slow_step(x);
    EXPECT_EQ(generator.draw(), static_cast<double>(x) / 70368744177664.0);
    ASSERT_EQ(generator.state(), x);
  }
}

TEST(Generator, AJumpEqualsItsSteps) {
  for (const std::uint64_t steps : {0U, 1U, 2U, 3U, 64U, 1000U, 131072U}) {
    Generator walked(271828183);
    for (std::uint64_t n = 0; n < steps; ++n) {
      walked.draw();
    }
    EXPECT_EQ(Generator(271828183, steps).state(), walked.state()) << steps;
  }
}

TEST(Generator, JumpsAddUp) {
  constexpr std::uint64_t far = (std::uint64_t{1} << 41) + 12345;
  const std::uint64_t twice = multiply_modulo(generator_jump(far), generator_jump(far + 1));
  EXPECT_EQ(twice, generator_jump(2 * far + 1));
}

TEST(Generator, HasItsFullPeriod) {
  // An odd multiplier that is 5 modulo 8 has order 2^44 modulo 2^46.
  EXPECT_EQ(generator_jump(std::uint64_t{1} << 44), 1U);
  EXPECT_NE(generator_jump(std::uint64_t{1} << 43), 1U);
}

}  // namespace
}  // namespace bankfull::npb
