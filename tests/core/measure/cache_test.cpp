#include "bankfull/core/measure/cache.hpp"

#include "tests/alone.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

TEST(FitsLastCache, MeansMoreThanAQuarterOfIt) {
  constexpr std::int64_t cache = 1000;
  EXPECT_TRUE(fits_last_cache(3999.0, cache));
  EXPECT_FALSE(fits_last_cache(4000.0, cache));
  EXPECT_FALSE(fits_last_cache(1.0, 0)) << "nothing is known of this cache";
}

TEST(FitsLastCache, KnowsTheCacheOfADevice) {
  const auto cache = static_cast<double>(last_cache_bytes(Device::cpu()));
  EXPECT_EQ(fits_last_cache(1.0, Device::cpu(), alone()), cache > 0.0);
  EXPECT_FALSE(fits_last_cache(4.0 * cache, Device::cpu(), alone()));
}

}  // namespace
}  // namespace bankfull
