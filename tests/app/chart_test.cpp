#include "bankfull/app/chart.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace bankfull {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// Characters of UTF-8 text: bytes that do not continue one.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

Series two_levels() {
  return {.name = "bandwidth, copy",
          .x_name = "working_set",
          .x_unit = "B",
          .y_name = "bandwidth",
          .y_unit = "B/s",
          .points = {{1024, 8e9}, {2048, 8e9}, {4096, 4e9}, {8192, 4e9}},
          .parameters = {}};
}

TEST(TextChart, DrawsBarsToScale) {
  const auto lines = lines_of(text_chart(two_levels(), {.width = 4, .height = 2}));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0], "bandwidth, copy");
  EXPECT_EQ(lines[1], " 8.00 GB/s┤██");
  EXPECT_EQ(lines[2], " 4.00 GB/s┤████");
  EXPECT_EQ(lines[3], "          └────");
}

TEST(TextChart, DrawsEighthsOfALine) {
  Series series = two_levels();
  series.points = {{1, 8.0}, {2, 1.0}};
  const auto lines = lines_of(text_chart(series, {.width = 2, .height = 1}));
  EXPECT_EQ(lines[1].substr(lines[1].find("┤")), "┤█▁");
}

TEST(TextChart, LabelsPowersOfTwo) {
  const auto lines = lines_of(text_chart(two_levels(), {.width = 64, .height = 4}));
  EXPECT_NE(lines.back().find("1 KiB"), std::string::npos);
  EXPECT_NE(lines.back().find("2 KiB"), std::string::npos);
  EXPECT_NE(lines.back().find("4 KiB"), std::string::npos);
}

TEST(TextChart, StaysWithinItsWidth) {
  Series series = two_levels();
  for (int exponent = 0; exponent < 40; ++exponent) {
    series.points.emplace_back(static_cast<double>(std::int64_t{1} << exponent), 1e9 + exponent);
  }
  for (const int width : {1, 2, 10, 33, 120}) {
    const auto lines = lines_of(text_chart(series, {.width = width, .height = 5}));
    for (std::size_t n = 1; n < lines.size(); ++n) {
      EXPECT_LE(columns(lines[n]), static_cast<std::size_t>(width) + 11) << lines[n];
    }
  }
}

TEST(TextChart, LogarithmicValuesShowSmallSteps) {
  Series series = two_levels();
  series.y_unit = "ns";
  series.points = {{1024, 1.0}, {2048, 4.0}, {4096, 128.0}};
  const auto lines = lines_of(text_chart(series, {.width = 3, .height = 8, .log_values = true}));
  // From 0.5 ns to 128 ns are 8 octaves, a line each.
  EXPECT_EQ(lines[8].substr(lines[8].find("┤")), "┤███");
  EXPECT_EQ(lines[7].substr(lines[7].find("┤")), "┤ ██");
  EXPECT_EQ(lines[5].substr(lines[5].find("┤")), "┤  █");
  EXPECT_NE(lines[1].find("128 ns"), std::string::npos);
}

TEST(TextChart, SurvivesEmptyAndDegenerateSeries) {
  Series series = two_levels();
  series.points = {};
  EXPECT_EQ(text_chart(series), "bandwidth, copy\n  (no points)\n");
  series.points = {{1024, std::numeric_limits<double>::quiet_NaN()}, {0, 1}, {1, -1}};
  EXPECT_EQ(text_chart(series), "bandwidth, copy\n  (no points)\n");
  series.points = {{1024, 5e9}};
  EXPECT_NE(text_chart(series, {.width = 8, .height = 2}).find("████████"), std::string::npos);
  series.points = {{1024, 5.0}, {2048, 5.0}};
  EXPECT_FALSE(text_chart(series, {.log_values = true}).empty());
}

}  // namespace
}  // namespace bankfull
