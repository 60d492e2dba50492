#include "bankfull/app/convect/picture_frame.hpp"

#include "bankfull/app/picture_text.hpp"
#include "bankfull/app/ticks.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace bankfull::convect {
namespace {

constexpr Colour paper{255, 255, 255};
constexpr Colour line_colour{30, 30, 30};

/// Pixels from `left` on and from `top` on.
struct Rectangle {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;

  [[nodiscard]] int right() const { return left + width; }
  [[nodiscard]] int bottom() const { return top + height; }
};

enum class Side { left, right, below };

/// All of it within the picture.
template <class ColourOfPixel>
void fill(Picture& picture, const Rectangle& part, const ColourOfPixel& colour) {
  for (int row = 0; row < part.height; ++row) {
    for (int column = 0; column < part.width; ++column) {
      const auto place = static_cast<std::size_t>(part.top + row) * picture.width +
                         static_cast<std::size_t>(part.left + column);
      picture.pixels[place] = colour(column, row);
    }
  }
}

/// Where everything is, in ems of the letters.
class Frame {
 public:
  Frame(const Picture& picture, const PictureCaption& caption)
      : picture_(picture),
        caption_(caption),
        font_(std::max(smallest_letters, longer_side(picture) / letters_along_a_side)),
        em_(font_.size()),
        bar_below_(2 * picture.width >= 3 * picture.height) {
    up_ = fitting_ticks(caption.up, static_cast<int>(picture.height), Side::left);
    int labels = 0;
    for (const Tick& tick : up_) {
      labels = std::max(labels, font_.width_of(tick.label));
    }
    plot_ = {.left = em_ + em_ + gap() + labels + gap() + tick_length(),
             .top = em_ + 2 * line() + gap(),
             .width = static_cast<int>(picture.width),
             .height = static_cast<int>(picture.height)};
    right_ = fitting_ticks(caption.right, plot_.width, Side::below);
    bar_ = bar_below_ ? Rectangle{.left = plot_.left,
                                  .top = plot_.bottom() + tick_length() + 2 * line() + em_,
                                  .width = plot_.width,
                                  .height = em_}
                      : Rectangle{.left = plot_.right() + em_ + em_ / 2,
                                  .top = plot_.top,
                                  .width = em_,
                                  .height = plot_.height};
  }

  [[nodiscard]] Picture drawn() const {
    Picture whole = blank();
    fill(whole, grown(plot_), [](int, int) { return line_colour; });
    fill(whole, plot_, [&](int column, int row) {
      return picture_.pixels[static_cast<std::size_t>(row) * picture_.width +
                             static_cast<std::size_t>(column)];
    });
    draw_bar(whole);
    font_.draw(whole, plot_.left, em_ + em_, caption_.title);
    font_.draw(whole, plot_.left, em_ + em_ + line(), caption_.moment);
    draw_ticks(whole, plot_, caption_.right, right_, Side::below);
    draw_ticks(whole, plot_, caption_.up, up_, Side::left);
    const int middle = plot_.left + (plot_.width - font_.width_of(caption_.right.name)) / 2;
    font_.draw(whole, middle, plot_.bottom() + tick_length() + 2 * line() - gap(),
               caption_.right.name);
    font_.draw(whole, em_, plot_.top + (plot_.height + ascent()) / 2, caption_.up.name);
    return whole;
  }

 private:
  static constexpr int letters_along_a_side = 56;
  static constexpr int smallest_letters = 12;

  static int longer_side(const Picture& picture) {
    return static_cast<int>(std::max(picture.width, picture.height));
  }

  [[nodiscard]] int line() const { return em_ + em_ / 2; }
  [[nodiscard]] int gap() const { return em_ / 3; }
  [[nodiscard]] int tick_length() const { return em_ / 3; }
  [[nodiscard]] int stroke() const { return std::max(1, em_ / 14); }
  [[nodiscard]] int ascent() const { return 3 * em_ / 4; }  ///< of a digit

  /// With the line around it.
  [[nodiscard]] Rectangle grown(const Rectangle& part) const {
    return {.left = part.left - stroke(),
            .top = part.top - stroke(),
            .width = part.width + 2 * stroke(),
            .height = part.height + 2 * stroke()};
  }

  /// Room for the numbers beside a bar does not depend on these: colours may stand for other values
  /// in each picture.
  [[nodiscard]] Picture blank() const {
    constexpr int of_bar_labels = 6;
    constexpr int beyond_the_plot = 3;
    constexpr int of_the_moment = 24;
    const int below = bar_below_ ? bar_.bottom() : plot_.bottom() + line();
    const int beside = bar_below_
                           ? plot_.right() + beyond_the_plot * em_
                           : bar_.right() + tick_length() + gap() + of_bar_labels * em_ + em_;
    const int title = std::max(of_the_moment * em_, font_.width_of(caption_.title));
    Picture whole{.width = static_cast<std::uint32_t>(std::max(beside, plot_.left + title + em_)),
                  .height = static_cast<std::uint32_t>(below + tick_length() + line() + em_)};
    whole.pixels.assign(static_cast<std::size_t>(whole.width) * whole.height, paper);
    return whole;
  }

  /// As many ticks as find room for what they say.
  [[nodiscard]] std::vector<Tick> fitting_ticks(const PictureScale& scale, int pixels,
                                                Side side) const {
    constexpr int max_ticks = 11;
    std::vector<Tick> ticks;
    for (int at_most = max_ticks; at_most > 0; --at_most) {
      ticks = ticks_within(scale.least, scale.most, at_most);
      int room = 0;
      for (const Tick& tick : ticks) {
        room = std::max(room, side == Side::below ? font_.width_of(tick.label) + em_ : line());
      }
      const double apart = ticks.size() < 2 ? pixels
                                            : pixels * (ticks[1].value - ticks[0].value) /
                                                  (scale.most - scale.least);
      if (apart >= room) {
        break;
      }
    }
    return ticks;
  }

  /// The pixel of a value along a side, counted from its lower end.
  static int place_of(double value, const PictureScale& scale, int pixels) {
    const double share = (value - scale.least) / (scale.most - scale.least);
    return std::clamp(static_cast<int>(std::lround(share * pixels)), 0, pixels);
  }

  void draw_tick(Picture& whole, const Rectangle& beside, int place, const std::string& label,
                 Side side) const {
    const auto black = [](int, int) { return line_colour; };
    const int half = stroke() / 2;
    if (side == Side::below) {
      const int column = beside.left + place;
      fill(whole, {column - half, beside.bottom(), stroke(), tick_length()}, black);
      font_.draw(whole, column - font_.width_of(label) / 2,
                 beside.bottom() + tick_length() + gap() + ascent(), label);
      return;
    }
    const int row = beside.bottom() - place;
    const bool at_left = side == Side::left;
    const int from = at_left ? beside.left - tick_length() : beside.right();
    fill(whole, {from, row - half, tick_length(), stroke()}, black);
    font_.draw(whole, at_left ? from - gap() - font_.width_of(label) : from + tick_length() + gap(),
               row + ascent() / 2, label);
  }

  void draw_ticks(Picture& whole, const Rectangle& beside, const PictureScale& scale,
                  const std::vector<Tick>& ticks, Side side) const {
    const int pixels = side == Side::below ? beside.width : beside.height;
    for (const Tick& tick : ticks) {
      draw_tick(whole, beside, place_of(tick.value, scale, pixels), tick.label, side);
    }
  }

  void draw_bar(Picture& whole) const {
    fill(whole, grown(bar_), [](int, int) { return line_colour; });
    fill(whole, bar_, [&](int column, int row) {
      const double share =
          bar_below_ ? (column + 0.5) / bar_.width : 1.0 - (row + 0.5) / bar_.height;
      return colour_at(caption_.map, share);
    });
    const Side side = bar_below_ ? Side::below : Side::right;
    const int pixels = bar_below_ ? bar_.width : bar_.height;
    const std::vector<Tick> ticks = fitting_ticks(caption_.colours, pixels, side);
    draw_ticks(whole, bar_, caption_.colours, ticks, side);
    if (ticks.empty() && std::isfinite(caption_.colours.least)) {
      draw_tick(whole, bar_, pixels / 2, fmt::format("{:.6g}", caption_.colours.least), side);
    }
  }

  const Picture& picture_;
  const PictureCaption& caption_;
  PictureFont font_;
  int em_;
  bool bar_below_;
  std::vector<Tick> up_;
  std::vector<Tick> right_;
  Rectangle plot_;
  Rectangle bar_;
};

}  // namespace

bool has_picture_frames() { return true; }

Picture framed(const Picture& picture, const PictureCaption& caption) {
  return Frame(picture, caption).drawn();
}

}  // namespace bankfull::convect
