#include "bankfull/app/toml_depth.hpp"

#include <gtest/gtest.h>
#include <string>

namespace bankfull {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int n = 0; n < times; ++n) {
    all += text;
  }
  return all;
}

TEST(TomlDepth, BoundsPartsOfKeys) {
  const std::string deepest = repeated("a.", deepest_toml - 1) + "a";
  EXPECT_FALSE(too_deep_toml(deepest + " = 1.5\n[" + deepest + "]\n[[" + deepest + "]]\n"));
  for (const std::string& text :
       {deepest + ".a = 1", "[" + deepest + ".a]", "x = {" + deepest + " .\"a\"=1}"}) {
    EXPECT_TRUE(too_deep_toml(text)) << text;
  }
}

TEST(TomlDepth, BoundsLevelsOfBrackets) {
  EXPECT_FALSE(too_deep_toml("a = " + repeated("[", deepest_toml) + repeated("]", deepest_toml)));
  EXPECT_FALSE(too_deep_toml(repeated("a = [[1, 2], {b = [3]}]\n", 100)));
  EXPECT_TRUE(too_deep_toml("a = " + repeated("[", deepest_toml + 1)));
  EXPECT_TRUE(too_deep_toml("a = " + repeated("[{a=", deepest_toml)));
}

TEST(TomlDepth, TextsAndRemarksHaveNoDepth) {
  const std::string deep = repeated(".", 99) + repeated("[", 99);
  for (const std::string& text :
       {"# " + deep, "a = \"" + deep + R"(\")" + deep + "\"", "a = '" + deep + R"(\')",
        "a = \"\"\"" + deep + "\n\\\"\"\"" + deep + "\"\"\"\"\"", "a = '''\n''" + deep + "'''''"}) {
    EXPECT_FALSE(too_deep_toml(text)) << text;
    const auto place = too_deep_toml(text + "\n" + deep);
    ASSERT_TRUE(place) << text;
    EXPECT_EQ(place->column, deepest_toml) << text;
  }
}

TEST(TomlDepth, OpenTextsEnd) {
  for (const char* text :
       {"\"", "'", "\"\"\"", "'''", "\"\\", "\"\"\"\\", "\"\"", "''''''''", "]]}"}) {
    EXPECT_FALSE(too_deep_toml(text)) << text;
  }
}

}  // namespace
}  // namespace bankfull
