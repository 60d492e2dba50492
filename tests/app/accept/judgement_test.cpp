#include "bankfull/app/accept/judgement.hpp"

#include <gtest/gtest.h>

namespace bankfull::accept {
namespace {

const BaselineEntry memory{.gauge = "copy", .unit = "GB/s", .median = 100.0, .spread = 0.004};

GaugeReadings readings(std::vector<double> rates, bool noisy = false) {
  return {.gauge = "copy", .unit = "GB/s", .rates = std::move(rates), .noisy = noisy};
}

TEST(Judgement, FindsADeviceThatLostFivePercent) {
  EXPECT_EQ(judge(readings({95.0, 95.1, 94.9}), &memory, {}).finding, Finding::slow);
  EXPECT_EQ(judge(readings({99.0, 98.5, 99.2}), &memory, {}).finding, Finding::good);
  EXPECT_EQ(judge(readings({110.0}), &memory, {}).finding, Finding::good);
}

TEST(Judgement, CatchesFivePercentHoweverTheBoardsOfTheBaselineScatter) {
  BaselineEntry wide = memory;
  wide.spread = 0.3;
  EXPECT_LT(tolerance_of(wide), 0.05);
  EXPECT_EQ(judge(readings({95.0}), &wide, {}).finding, Finding::slow);
}

TEST(Judgement, TellsDisturbedDevicesFromSlowOnes) {
  EXPECT_EQ(judge(readings({80.0, 95.0, 60.0}), &memory, {}).finding, Finding::disturbed);
  EXPECT_EQ(judge(readings({90.0, 90.0, 90.0}, true), &memory, {}).finding, Finding::disturbed);
  EXPECT_EQ(judge(readings({99.0, 99.0}, true), &memory, {}).finding, Finding::good);
}

TEST(Judgement, ComparesDevicesOfANodeWithEachOther) {
  const std::vector<double> others{100.0, 100.5, 99.5};
  EXPECT_EQ(judge(readings({94.0}), nullptr, others).finding, Finding::slow);
  EXPECT_EQ(judge(readings({98.0}), nullptr, others).finding, Finding::good);
  // One slow device among the others does not excuse a second one, nor does it shame the good.
  EXPECT_EQ(judge(readings({100.0}), nullptr, {100.0, 60.0, 100.2}).finding, Finding::good);
  EXPECT_EQ(judge(readings({60.0}), nullptr, {100.0, 60.0, 100.2, 99.9}).finding, Finding::slow);
  // Others that scatter say little.
  EXPECT_EQ(judge(readings({94.0}), nullptr, {100.0, 90.0, 110.0, 95.0}).finding, Finding::good);
}

TEST(Judgement, IsUnknownWithoutAnythingToCompareWith) {
  EXPECT_EQ(judge(readings({94.0}), nullptr, {}).finding, Finding::unknown);
  EXPECT_EQ(verdict_of({}), Finding::unknown);
}

TEST(Verdict, IsTheGravestFinding) {
  const auto found = [](Finding finding) {
    Judgement judgement;
    judgement.finding = finding;
    return judgement;
  };
  EXPECT_EQ(verdict_of({found(Finding::good), found(Finding::slow), found(Finding::disturbed)}),
            Finding::slow);
  EXPECT_EQ(verdict_of({found(Finding::unknown), found(Finding::good)}), Finding::good);
  EXPECT_EQ(verdict_of({found(Finding::good), found(Finding::disturbed)}), Finding::disturbed);
}

}  // namespace
}  // namespace bankfull::accept
