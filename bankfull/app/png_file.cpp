#include "bankfull/app/png_file.hpp"

#include "bankfull/app/output_file.hpp"
#include "bankfull/core/base/error.hpp"

#include <png.h>
#include <string>

namespace bankfull {

void write_png(const std::filesystem::path& path, const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t count = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(count, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &count, 0, picture.pixels.data(), 0,
                                nullptr) == 0) {
    throw RuntimeFailure("cannot write " + path.string() + ": libpng: " + image.message);
  }
  bytes.resize(count);
  StagedFile(path, bytes).replace();
}

Picture read_png(const std::filesystem::path& path) {
  constexpr png_uint_32 most = 16384;
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const auto fail = [&path](const std::string& why) {
    throw RuntimeFailure("cannot read " + path.string() + ": " + why);
  };
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    fail(error ? error.message() : "it is not a file");
  }
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) {
    fail(std::string("libpng: ") + image.message);
  }
  Picture picture{.width = image.width, .height = image.height, .pixels = {}};
  if (image.width > most || image.height > most) {
    png_image_free(&image);
    fail("it is too large");
  }
  image.format = PNG_FORMAT_RGB;
  picture.pixels.resize(static_cast<std::size_t>(image.width) * image.height);
  if (png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr) == 0 ||
      PNG_IMAGE_FAILED(image)) {
    fail(std::string("libpng: ") + image.message);
  }
  return picture;
}

}  // namespace bankfull
