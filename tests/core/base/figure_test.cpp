#include "bankfull/core/base/figure.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

const std::vector<Figure> figures{{.name = "steps", .value = std::int64_t{7}},
                                  {.name = "dt", .value = 0.5, .unit = "s"},
                                  {.name = "scheme", .value = std::string("rk3")},
                                  {.name = "official", .value = true}};

TEST(Figures, HaveValuesOfTheirTypes) {
  EXPECT_EQ(value_of<std::int64_t>(figures, "steps"), 7);
  EXPECT_EQ(value_of<double>(figures, "dt"), 0.5);
  EXPECT_EQ(value_of<std::string>(figures, "scheme"), "rk3");
  EXPECT_EQ(value_of<bool>(figures, "official"), true);
}

TEST(Figures, WholeNumbersAreDoublesToo) {
  EXPECT_EQ(value_of<double>(figures, "steps"), 7.0);
  EXPECT_EQ(value_of<std::int64_t>(figures, "dt"), std::nullopt);
}

TEST(Figures, OfAnotherTypeOrNameThereIsNone) {
  EXPECT_EQ(value_of<double>(figures, "official"), std::nullopt);
  EXPECT_EQ(value_of<bool>(figures, "scheme"), std::nullopt);
  EXPECT_EQ(value_of<double>(figures, "time"), std::nullopt);
  EXPECT_EQ(find_figure(figures, "time"), nullptr);
  EXPECT_EQ(find_figure(figures, "dt")->unit, "s");
}

}  // namespace
}  // namespace bankfull
