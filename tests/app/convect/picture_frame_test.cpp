#include "bankfull/app/convect/picture_frame.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

namespace bankfull::convect {
namespace {

constexpr Colour marked{1, 250, 2};  // in none of the maps

Picture marked_picture(std::uint32_t width, std::uint32_t height) {
  return {.width = width,
          .height = height,
          .pixels = std::vector<Colour>(std::size_t{width} * height, marked)};
}

PictureCaption some_caption() {
  return {.title = "temperature at y = 0.5",
          .moment = "time 12.5, step 340",
          .right = {"x", 0.0, 3.0},
          .up = {"z", 0.0, 2.0},
          .colours = {"", 0.0, 1.0},
          .map = ColourMap::inferno};
}

bool has_colour(const Picture& picture, const Colour& colour) {
  return std::find(picture.pixels.begin(), picture.pixels.end(), colour) != picture.pixels.end();
}

/// Frames for slices of every shape.
class Frames : public testing::TestWithParam<std::pair<std::uint32_t, std::uint32_t>> {};

TEST_P(Frames, LeaveThePictureAsItIsAndShowItsColours) {
  const auto [width, height] = GetParam();
  const Picture whole = framed(marked_picture(width, height), some_caption());
  ASSERT_EQ(whole.pixels.size(), std::size_t{whole.width} * whole.height);
  const auto first = std::find(whole.pixels.begin(), whole.pixels.end(), marked);
  const auto place = static_cast<std::size_t>(first - whole.pixels.begin());
  const std::size_t left = place % whole.width;
  const std::size_t top = place / whole.width;
  for (std::size_t row = 0; row < height; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      ASSERT_EQ(whole.pixels[(top + row) * whole.width + left + column], marked);
    }
  }
  EXPECT_EQ(std::count(whole.pixels.begin(), whole.pixels.end(), marked), width * height);
  const bool is_long = std::max(width, height) >= 256;
  for (const double share : {0.0, 0.5, 1.0}) {
    EXPECT_TRUE(has_colour(whole, colour_at(ColourMap::inferno, share)) || !is_long) << share;
  }
  EXPECT_EQ(whole.pixels.front(), (Colour{255, 255, 255}));
  EXPECT_EQ(whole.pixels.back(), (Colour{255, 255, 255}));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Frames,
                         testing::Values(std::pair(960U, 640U), std::pair(960U, 960U),
                                         std::pair(960U, 10U), std::pair(10U, 960U),
                                         std::pair(1919U, 1U), std::pair(1U, 1U),
                                         std::pair(2048U, 1024U)),
                         [](const auto& shape) {
                           return std::to_string(shape.param.first) + "x" +
                                  std::to_string(shape.param.second);
                         });

/// Or there would be no movies of them.
TEST(FramedPictures, AreOfOneSizeForAllPicturesOfASlice) {
  for (const auto& [width, height] : {std::pair(960U, 640U), std::pair(960U, 960U)}) {
    const Picture first = framed(marked_picture(width, height), some_caption());
    PictureCaption later = some_caption();
    later.moment = "time 1.23457e+06, step 1234567890";
    later.colours = {"", -12345678.0, 0.00001};
    const Picture last = framed(marked_picture(width, height), later);
    EXPECT_EQ(last.width, first.width);
    EXPECT_EQ(last.height, first.height);
    EXPECT_NE(last.pixels, first.pixels);
  }
}

TEST(FramedPictures, HaveRoomForAnyTitle) {
  PictureCaption caption = some_caption();
  caption.title = std::string(200, 'W');
  EXPECT_GT(framed(marked_picture(960, 640), caption).width, 200U * 12U);
}

TEST(FramedPictures, AreDrawnWhateverColoursStandFor) {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const auto& [least, most] :
       {std::pair(0.5, 0.5), std::pair(infinite, -infinite), std::pair(-1e308, 1e308),
        std::pair(0.0, 5e-324), std::pair(1.0, 1.0 + 1e-14)}) {
    PictureCaption caption = some_caption();
    caption.colours = {"", least, most};
    EXPECT_NO_THROW(framed(marked_picture(96, 64), caption)) << least << " " << most;
  }
}

}  // namespace
}  // namespace bankfull::convect
