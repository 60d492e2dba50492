#include "bankfull/app/colour_map.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace bankfull {
namespace {

/// Lightness L* of CIELAB of an sRGB colour (IEC 61966-2-1).
double lightness(const Colour& colour) {
  const auto linear = [](std::uint8_t part) {
    const double share = part / 255.0;
    return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
  };
  const double luminance =
      0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2]);
  return luminance > 216.0 / 24389.0 ? 116.0 * std::cbrt(luminance) - 16.0
                                     : luminance * 24389.0 / 27.0;
}

TEST(ColourMap, GrowsLighterAtAnEvenPace) {
  // The maps are even in CAM02-UCS, whose lightness is not quite that of CIELAB.
  constexpr int steps = 16;
  for (const ColourMap map : {ColourMap::inferno, ColourMap::viridis}) {
    const auto lightness_at = [&](int n) {
      return lightness(colour_at(map, static_cast<double>(n) / steps));
    };
    const double even = (lightness_at(steps) - lightness_at(0)) / steps;
    for (int n = 0; n < steps; ++n) {
      const double step = lightness_at(n + 1) - lightness_at(n);
      EXPECT_GT(step, 0.45 * even) << static_cast<int>(map) << " " << n;
      EXPECT_LT(step, 1.6 * even) << static_cast<int>(map) << " " << n;
    }
  }
}

TEST(ColourMap, HasThePublishedEnds) {
  EXPECT_EQ(colour_at(ColourMap::inferno, 0.0), (Colour{0, 0, 4}));
  EXPECT_EQ(colour_at(ColourMap::inferno, 1.0), (Colour{252, 255, 164}));
  EXPECT_EQ(colour_at(ColourMap::viridis, 0.0), (Colour{68, 1, 84}));
  EXPECT_EQ(colour_at(ColourMap::viridis, 1.0), (Colour{253, 231, 37}));
}

TEST(ColourMap, EndsHoldBeyond) {
  EXPECT_EQ(colour_at(ColourMap::inferno, -3.0), colour_at(ColourMap::inferno, 0.0));
  EXPECT_EQ(colour_at(ColourMap::inferno, 1e9), colour_at(ColourMap::inferno, 1.0));
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(colour_at(ColourMap::viridis, none), colour_at(ColourMap::viridis, 0.0));
}

}  // namespace
}  // namespace bankfull
