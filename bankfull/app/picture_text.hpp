#pragma once

#include "bankfull/app/png_file.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bankfull {

/// Letters of one size for pictures: those of DejaVu Sans, which the program has in itself, as
/// stb_truetype draws them. They come to the same pixels on every machine. Only in programs that
/// are built with stb.
class PictureFont {
 public:
  /// `size`: of the em, in pixels.
  explicit PictureFont(int size);

  [[nodiscard]] int size() const { return size_; }

  /// In pixels, of a text of printable ASCII; other bytes are drawn as question marks.
  [[nodiscard]] int width_of(std::string_view text) const;

  /// Puts a text onto a picture that begins at a column and stands on a row of pixels. What would
  /// be outside is left out.
  void draw(Picture& picture, int left, int baseline, std::string_view text) const;

 private:
  /// How much of each pixel a letter covers, rows from the top. It begins at `left` and `top`
  /// beside the place where it is put.
  struct Glyph {
    int advance = 0;  ///< to the next letter, in units of the font
    int left = 0;
    int top = 0;
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> cover;
  };

  static constexpr char first_letter = ' ';
  static constexpr std::size_t letters = 95;

  [[nodiscard]] const Glyph& glyph_of(char letter) const;
  [[nodiscard]] int pixels_of(int units) const;

  int size_;
  std::array<Glyph, letters> glyphs_;
};

}  // namespace bankfull
