#include "bankfull/core/base/enum_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bankfull {
namespace {

using testing::ElementsAre;

enum class Metal { iron, grey_tin, lead };

constexpr auto metal_names = enum_names<Metal>(
    {{Metal::iron, "iron"}, {Metal::lead, "lead"}, {Metal::grey_tin, "grey-tin"}});

TEST(EnumNames, LeadThereAndBack) {
  for (const Metal metal : metal_names.values()) {
    EXPECT_EQ(metal_names.from_string(metal_names.to_string(metal)), metal);
  }
  EXPECT_EQ(metal_names.to_string(Metal::grey_tin), "grey-tin");
  EXPECT_EQ(metal_names.from_string("grey_tin"), std::nullopt);
  EXPECT_EQ(metal_names.from_string(""), std::nullopt);
}

TEST(EnumNames, AreListedInTheOrderOfTheTable) {
  EXPECT_THAT(metal_names.names(), ElementsAre("iron", "lead", "grey-tin"));
  EXPECT_THAT(metal_names.values(), ElementsAre(Metal::iron, Metal::lead, Metal::grey_tin));
  EXPECT_THAT(metal_names.list(), ElementsAre(Metal::iron, Metal::lead, Metal::grey_tin));
  EXPECT_EQ(metal_names.listed(), "iron, lead or grey-tin");
  EXPECT_EQ(metal_names.listed({"all"}), "iron, lead, grey-tin or all");
  EXPECT_EQ(metal_names.without(Metal::lead).listed(), "iron or grey-tin");
}

TEST(EnumNames, RefuseWhatIsNone) {
  EXPECT_EQ(metal_names.parse("lead", "--metal lead is unknown"), Metal::lead);
  try {
    static_cast<void>(metal_names.parse("zinc", "--metal zinc is unknown", {"all"}));
    FAIL() << "zinc is not one of them";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("--metal zinc is unknown"));
    EXPECT_THAT(error.what(), testing::HasSubstr("use iron, lead, grey-tin or all"));
  }
}

}  // namespace
}  // namespace bankfull
