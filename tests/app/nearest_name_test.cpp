#include "bankfull/app/nearest_name.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

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
}

TEST(NearestName, OfTwoLettersThatAreSwappedIsOneEdit) {
  EXPECT_EQ(nearest_name("tiem", {"name", "title", "time"}), "time");
  EXPECT_EQ(nearest_name("nig", {"ngi", "nip"}), "ngi");
}

TEST(NearestName, IsNoneWhereHalfTheLettersDiffer) {
  EXPECT_EQ(nearest_name("up", {"ra", "pr", "re", "nu"}), "");
  EXPECT_EQ(nearest_name("restart", {"solver", "scheme", "steps"}), "");
  EXPECT_EQ(nearest_name("", {"u", "temperature"}), "");
  EXPECT_EQ(nearest_name(std::string(200, 'u'), {std::string(200, 'u') + "v"}), "");
}

TEST(RemedyForName, NamesTheNearestOrAll) {
  EXPECT_EQ(remedy_for_name("raleigh", {"prandtl", "rayleigh"}), "did you mean 'rayleigh'?");
  EXPECT_EQ(remedy_for_name("up", {"ra", "pr", "re"}), "use ra, pr or re");
  EXPECT_EQ(remedy_for_name("up", {"ra"}), "use ra");
}

TEST(NearestName, OfNoneIsNone) { EXPECT_EQ(nearest_name("x", {}), ""); }

}  // namespace
}  // namespace bankfull
