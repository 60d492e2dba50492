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

}  // namespace bankfull
