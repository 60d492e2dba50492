#include "bankfull/app/chart.hpp"

#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace bankfull {
namespace {

constexpr int margin = 11;  // columns left of the plot: a value, a space and the axis

using Points = std::vector<std::pair<double, double>>;

Points drawable(const Series& series) {
  Points points;
  std::copy_if(series.points.begin(), series.points.end(), std::back_inserter(points),
               [](const auto& point) {
                 return std::isfinite(point.first) && std::isfinite(point.second) &&
                        point.first > 0.0 && point.second > 0.0;
               });
  std::sort(points.begin(), points.end());
  return points;
}

std::string size_label(double value, const std::string& unit) {
  return unit == "B" ? format_bytes(value) : fmt::format("{:g}", value);
}

std::string value_label(double value, const std::string& unit) {
  return unit == "ns" ? format_seconds(value * 1e-9) : format_si(value, unit);
}

/// Columns of a horizontal axis: where a size falls, and what size a column stands for.
class Axis {
 public:
  Axis(double from, double to, int width)
      : from_(std::log2(from)), octaves_(std::log2(to) - from_), width_(width) {}

  [[nodiscard]] int column(double size) const {
    if (octaves_ <= 0.0) {
      return 0;
    }
    return static_cast<int>(std::lround((std::log2(size) - from_) / octaves_ * (width_ - 1)));
  }

  [[nodiscard]] double position(int column) const {
    return from_ + octaves_ * column / std::max(1, width_ - 1);
  }

  [[nodiscard]] double from() const { return from_; }
  [[nodiscard]] double to() const { return from_ + octaves_; }

 private:
  double from_;
  double octaves_;
  int width_;
};

double nearest_value(const Points& points, double log_size) {
  return std::min_element(points.begin(), points.end(),
                          [log_size](const auto& a, const auto& b) {
                            return std::abs(std::log2(a.first) - log_size) <
                                   std::abs(std::log2(b.first) - log_size);
                          })
      ->second;
}

/// The vertical axis: what part of its height a value takes, 0 to 1.
class Scale {
 public:
  Scale(const Points& points, bool logarithmic) : logarithmic_(logarithmic) {
    const auto [least, most] =
        std::minmax_element(points.begin(), points.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
    // Half the smallest value: so the lowest bar is not empty.
    bottom_ = logarithmic ? least->second / 2.0 : 0.0;
    top_ = most->second;
  }

  [[nodiscard]] double part(double value) const {
    return logarithmic_ ? std::log(value / bottom_) / std::log(top_ / bottom_) : value / top_;
  }
  [[nodiscard]] double value(double part) const {
    return logarithmic_ ? bottom_ * std::pow(top_ / bottom_, part) : part * top_;
  }

 private:
  bool logarithmic_;
  double bottom_ = 0.0;
  double top_ = 1.0;
};

std::string bar_line(const std::vector<double>& parts, int line, int height) {
  static constexpr std::array eighths{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  for (const double part : parts) {
    const auto filled = std::lround(8.0 * (part * height - line));
    text += eighths[static_cast<std::size_t>(std::clamp(filled, 0L, 8L))];
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// Labels at powers of two, so many octaves apart that they do not touch.
std::string label_line(const Axis& axis, int width, const std::string& unit) {
  std::string text(static_cast<std::size_t>(width + margin), ' ');
  int free_from = 0;
  for (double exponent = std::ceil(axis.from() - 1e-9); exponent <= axis.to() + 1e-9; ++exponent) {
    const std::string label = size_label(std::exp2(exponent), unit);
    const int length = static_cast<int>(label.size());
    const int begin = std::max(axis.column(std::exp2(exponent)) + margin - length / 2, 0);
    if (begin < free_from || begin + length > width + margin) {
      continue;
    }
    text.replace(static_cast<std::size_t>(begin), label.size(), label);
    free_from = begin + length + 2;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string value_column(const Scale& scale, int line, int height, const std::string& unit) {
  const bool labelled = line == height - 1 || line == (height - 1) / 2;
  const double part = (line + 1.0) / height;
  return labelled ? fmt::format("{:>10}", value_label(scale.value(part), unit))
                  : std::string(10, ' ');
}

}  // namespace

std::string text_chart(const Series& series, const ChartShape& shape) {
  const Points points = drawable(series);
  if (points.empty()) {
    return series.name + "\n  (no points)\n";
  }
  const Axis axis(points.front().first, points.back().first, shape.width);
  const Scale scale(points, shape.log_values);
  std::vector<double> parts;
  parts.reserve(static_cast<std::size_t>(shape.width));
  for (int column = 0; column < shape.width; ++column) {
    parts.push_back(scale.part(nearest_value(points, axis.position(column))));
  }
  std::string text = series.name + "\n";
  for (int line = shape.height - 1; line >= 0; --line) {
    text += value_column(scale, line, shape.height, series.y_unit) + "┤" +
            bar_line(parts, line, shape.height) + "\n";
  }
  std::string rule;
  for (int column = 0; column < shape.width; ++column) {
    rule += "─";
  }
  text += std::string(margin - 1, ' ') + "└" + rule + "\n";
  return text + label_line(axis, shape.width, series.x_unit) + "\n";
}

}  // namespace bankfull
