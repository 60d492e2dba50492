#include "bankfull/app/nearest_name.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

TEST(NearestName, TakesTheFewestEdits) {
  const std::vector<std::string> names{"rayleigh", "prandtl", "scaling", "length"};
  EXPECT_EQ(nearest_name("raleigh", names), "rayleigh");
  EXPECT_EQ(nearest_name("Prandtl", names), "prandtl");
  EXPECT_EQ(nearest_name("lenght", names), "length");
  EXPECT_EQ(nearest_name("scale", names), "scaling");
}

TEST(NearestName, TakesABeginningForTheName) {
  EXPECT_EQ(nearest_name("temp", {"u", "temperature", "v"}), "temperature");
  EXPECT_EQ(nearest_name("", {"u", "temperature"}), "u");
}

TEST(NearestName, OfNoneIsNone) { EXPECT_EQ(nearest_name("x", {}), ""); }

}  // namespace
}  // namespace bankfull
