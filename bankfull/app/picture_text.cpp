#include "bankfull/app/picture_text.hpp"

#include "bankfull/app/picture_font.hpp"
#include "bankfull/core/base/error.hpp"

#include <cstddef>
// Compiled here, as the definitions for this file say.
#include <stb/stb_truetype.h>

namespace bankfull {
namespace {

constexpr int units_per_em = 2048;  // of this font
constexpr Colour ink{30, 30, 30};
constexpr int whole = 255;

stbtt_fontinfo font_in_the_program() {
  stbtt_fontinfo font{};
  if (stbtt_InitFont(&font, picture_font_bytes, 0) == 0) {
    throw RuntimeFailure("the font of pictures cannot be read");
  }
  return font;
}

/// Towards the nearest, in integers.
std::uint8_t mixed_with_ink(std::uint8_t paper, std::uint8_t colour, int cover) {
  return static_cast<std::uint8_t>((paper * (whole - cover) + colour * cover + whole / 2) / whole);
}

}  // namespace

PictureFont::PictureFont(int size) : size_(size) {
  const stbtt_fontinfo font = font_in_the_program();
  const float scale = stbtt_ScaleForMappingEmToPixels(&font, static_cast<float>(size));
  for (std::size_t n = 0; n < letters; ++n) {
    Glyph& glyph = glyphs_[n];
    const int letter = first_letter + static_cast<int>(n);
    int bearing = 0;
    stbtt_GetCodepointHMetrics(&font, letter, &glyph.advance, &bearing);
    unsigned char* const cover = stbtt_GetCodepointBitmap(&font, scale, scale, letter, &glyph.width,
                                                          &glyph.height, &glyph.left, &glyph.top);
    if (cover != nullptr) {
      glyph.cover.assign(cover, cover + std::ptrdiff_t{glyph.width} * glyph.height);
      stbtt_FreeBitmap(cover, nullptr);
    }
  }
}

const PictureFont::Glyph& PictureFont::glyph_of(char letter) const {
  const bool is_there = letter >= first_letter && letter < first_letter + static_cast<int>(letters);
  return glyphs_[static_cast<std::size_t>((is_there ? letter : '?') - first_letter)];
}

int PictureFont::pixels_of(int units) const {
  return (units * size_ + units_per_em / 2) / units_per_em;
}

int PictureFont::width_of(std::string_view text) const {
  int units = 0;
  for (const char letter : text) {
    units += glyph_of(letter).advance;
  }
  return pixels_of(units);
}

void PictureFont::draw(Picture& picture, int left, int baseline, std::string_view text) const {
  const int columns = static_cast<int>(picture.width);
  const int rows = static_cast<int>(picture.height);
  int units = 0;
  for (const char letter : text) {
    const Glyph& glyph = glyph_of(letter);
    const int from_left = left + pixels_of(units) + glyph.left;
    const int from_top = baseline + glyph.top;
    for (int n = 0; n < glyph.width * glyph.height && !glyph.cover.empty(); ++n) {
      const int column = from_left + n % glyph.width;
      const int row = from_top + n / glyph.width;
      if (column >= 0 && column < columns && row >= 0 && row < rows) {
        Colour& pixel = picture.pixels[static_cast<std::size_t>(row) * picture.width +
                                       static_cast<std::size_t>(column)];
        for (std::size_t part = 0; part < pixel.size(); ++part) {
          pixel[part] =
              mixed_with_ink(pixel[part], ink[part], glyph.cover[static_cast<std::size_t>(n)]);
        }
      }
    }
    units += glyph.advance;
  }
}

}  // namespace bankfull
