#pragma once

#include "bankfull/app/colour_map.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace bankfull {

/// Rows of pixels, the topmost first.
struct Picture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<Colour> pixels;  ///< width x height
};

/// Writes a PNG file of 8-bit RGB under a temporary name and renames it; a link of its name is
/// replaced. Throws RuntimeFailure naming the file where that fails, for example on a full disk;
/// then no trace remains.
void write_png(const std::filesystem::path& path, const Picture& picture);

/// Reads a PNG file of up to 16384 x 16384 pixels, of any kind. Throws RuntimeFailure naming the
/// file where it is none, or is damaged.
Picture read_png(const std::filesystem::path& path);

}  // namespace bankfull
