#include "bankfull/core/base/format.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

TEST(FormatBytes, PicksTheUnit) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(32 * 1024), "32 KiB");
  EXPECT_EQ(format_bytes(14.3 * 1024 * 1024 * 1024), "14.3 GiB");
}

TEST(FormatSi, KeepsThreeDigits) {
  EXPECT_EQ(format_si(4.291e12, "B/s"), "4.29 TB/s");
  EXPECT_EQ(format_si(36.66e9, "B/s"), "36.7 GB/s");
  EXPECT_EQ(format_si(999.7, "flop"), "1.00 kflop");
  EXPECT_EQ(format_si(5.0, "B/s"), "5.00 B/s");
}

TEST(FormatSeconds, CoversNanosecondsToMinutes) {
  EXPECT_EQ(format_seconds(85e-9), "85.0 ns");
  EXPECT_EQ(format_seconds(1.234e-3), "1.23 ms");
  EXPECT_EQ(format_seconds(4.5), "4.50 s");
  EXPECT_EQ(format_seconds(200.0), "3 min 20 s");
}

TEST(PartsOf, KeepsEmptyParts) {
  EXPECT_EQ(parts_of("", 'x'), (std::vector<std::string>{""}));
  EXPECT_EQ(parts_of("3x4x", 'x'), (std::vector<std::string>{"3", "4", ""}));
}

}  // namespace
}  // namespace bankfull
