#include "bankfull/core/measure/cache.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

TEST(CacheFit, IsBeyondFromFourTimesTheCache) {
  constexpr std::int64_t cache = 1000;
  EXPECT_EQ(cache_fit(4000.0, cache), CacheFit::beyond);
  EXPECT_EQ(cache_fit(3999.0, cache), CacheFit::partly);
  EXPECT_EQ(cache_fit(1001.0, cache), CacheFit::partly);
  EXPECT_EQ(cache_fit(1000.0, cache), CacheFit::inside);
  EXPECT_EQ(cache_fit(1.0, 0), CacheFit::beyond) << "nothing is known of this cache";
}

}  // namespace
}  // namespace bankfull
