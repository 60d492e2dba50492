#include "bankfull/app/png_file.hpp"

#include "bankfull/core/base/error.hpp"
#include "tests/temporary_folder.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <png.h>

namespace bankfull {
namespace {

namespace fs = std::filesystem;

class PngFile : public testing::Test {
 protected:
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path();
};

Picture speckled(std::uint32_t width, std::uint32_t height) {
  Picture picture{.width = width, .height = height};
  for (std::uint32_t n = 0; n < width * height; ++n) {
    const auto byte = [n](std::uint32_t factor) { return static_cast<std::uint8_t>(n * factor); };
    picture.pixels.push_back({byte(7), byte(13), byte(101)});
  }
  return picture;
}

TEST_F(PngFile, ReadsBackAsItWas) {
  for (const auto& [width, height] : {std::pair(1U, 1U), std::pair(3U, 70U), std::pair(257U, 5U)}) {
    const Picture picture = speckled(width, height);
    const fs::path path = folder_ / "picture.png";
    write_png(path, picture);
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    ASSERT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
    EXPECT_EQ(image.format & ~static_cast<png_uint_32>(PNG_FORMAT_FLAG_LINEAR), PNG_FORMAT_RGB);
    image.format = PNG_FORMAT_RGB;
    ASSERT_EQ(image.width, width);
    ASSERT_EQ(image.height, height);
    std::vector<Colour> pixels(picture.pixels.size());
    ASSERT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0);
    EXPECT_EQ(pixels, picture.pixels);
    EXPECT_EQ(read_png(path).pixels, picture.pixels);
    EXPECT_EQ(read_png(path).width, width);
  }
  EXPECT_EQ(files(), 1U);
}

TEST_F(PngFile, NamesWhatCannotBeWritten) {
  EXPECT_THROW(write_png(folder_ / "none" / "picture.png", speckled(2, 2)), std::runtime_error);
  EXPECT_THROW(write_png(folder_ / "empty.png", Picture{}), RuntimeFailure);
  EXPECT_EQ(files(), 0U);
}

}  // namespace
}  // namespace bankfull
