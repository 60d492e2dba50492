#include "bankfull/app/picture_text.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace bankfull {
namespace {

Picture blank_paper(std::uint32_t width, std::uint32_t height) {
  return {.width = width,
          .height = height,
          .pixels = std::vector<Colour>(std::size_t{width} * height, Colour{255, 255, 255})};
}

/// Columns of a picture that something is drawn in.
std::vector<bool> inked_columns(const Picture& picture) {
  std::vector<bool> inked(picture.width, false);
  for (std::size_t n = 0; n < picture.pixels.size(); ++n) {
    if (picture.pixels[n] != Colour{255, 255, 255}) {
      inked[n % picture.width] = true;
    }
  }
  return inked;
}

TEST(PictureText, IsAsWideAsItSays) {
  const PictureFont font(20);
  const std::string text = "temperature at y = 0.5";
  const int width = font.width_of(text);
  EXPECT_GT(width, 10 * 20);
  EXPECT_LT(width, 14 * 20);
  Picture picture = blank_paper(400, 40);
  font.draw(picture, 10, 30, text);
  const std::vector<bool> inked = inked_columns(picture);
  const auto first = std::find(inked.begin(), inked.end(), true) - inked.begin();
  const auto last = inked.rend() - std::find(inked.rbegin(), inked.rend(), true);
  EXPECT_NEAR(static_cast<double>(first), 10.0, 3.0);
  EXPECT_NEAR(static_cast<double>(last), 10.0 + width, 3.0);
}

TEST(PictureText, HasDigitsOfOneWidth) {
  const PictureFont font(17);
  for (const char* number : {"1111", "2222", "0987"}) {
    EXPECT_EQ(font.width_of(number), font.width_of("0000"));
  }
}

TEST(PictureText, DrawsWhatItDoesNotHaveAsQuestionMarks) {
  const PictureFont font(17);
  Picture strange = blank_paper(60, 30);
  Picture asking = blank_paper(60, 30);
  font.draw(strange, 3, 20, "\xc3\xa9\n");
  font.draw(asking, 3, 20, "???");
  EXPECT_EQ(strange.pixels, asking.pixels);
}

TEST(PictureText, LeavesOutWhatIsOutside) {
  const PictureFont font(30);
  Picture picture = blank_paper(20, 20);
  for (const int place : {-100, -15, 5, 15, 100}) {
    font.draw(picture, place, 15, "Wg");
    font.draw(picture, 5, place, "Wg");
  }
  EXPECT_TRUE(inked_columns(picture)[0]);
}

/// On any machine, with any compiler and release of stb.
TEST(PictureText, HasTheSamePixelsEverywhere) {
  Picture picture = blank_paper(300, 40);
  PictureFont(17).draw(picture, 4, 25, "temperature 0.125, step -34e+07");
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const Colour& pixel : picture.pixels) {
    hash = (hash ^ pixel[0]) * 1099511628211U;
  }
  EXPECT_EQ(hash, 13915772101819071409U);
}

}  // namespace
}  // namespace bankfull
