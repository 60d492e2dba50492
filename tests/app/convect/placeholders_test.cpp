#include "bankfull/app/convect/placeholders.hpp"

#include "bankfull/app/convect/case_file.hpp"
#include "bankfull/core/base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bankfull::convect {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr const char* named_layer = R"toml(name = "layer"
title = "../a layer: \u0000 50 %/\u00e4"
[domain]
upper = [2, 1, 1]
cells = [4, 3, 2]
[physics]
rayleigh = 1e7
prandtl = 0.71
scaling = "free-fall"
[boundaries]
x = "periodic"
y = "periodic"
z.lower = { velocity = "no-slip", temperature = 1 }
z.upper = { velocity = "no-slip", temperature = 0 }
[time]
cfl = 0.3
steps = 1000
end = 12.5
)toml";

std::string filled(const std::string& name, const std::vector<std::string>& settings = {}) {
  return filled_in(name, parse_case(named_layer, "layer.toml", settings));
}

TEST(Placeholders, TakeShortAndFullNames) {
  EXPECT_EQ(filled("plain/run"), "plain/run");
  EXPECT_EQ(filled("run-{ra}"), "run-1e7");
  EXPECT_EQ(filled("{name}/{physics.rayleigh}-{rayleigh}_{pr}"), "layer/1e7-1e7_0.71");
  EXPECT_EQ(filled("{cells}-{time.steps}-{end}", {"cells=8x4x2"}), "8x4x2-1000-12.5");
  EXPECT_EQ(filled("{output.slice.0.field}"), "temperature");
  EXPECT_EQ(filled("{{{ra}}}"), "{1e7}");
}

TEST(Placeholders, WriteNumbersAsPeopleDo) {
  for (const auto& [given, wanted] :
       std::vector<std::pair<std::string, std::string>>{{"1e4", "1e4"},
                                                        {"10000", "10000"},
                                                        {"2.5e8", "2.5e8"},
                                                        {"100.0", "100"},
                                                        {"12000.0", "12000"},
                                                        {"1234567.0", "1234567"}}) {
    EXPECT_EQ(filled("{ra}", {"ra=" + given}), wanted);
  }
  EXPECT_EQ(filled("{pr}", {"pr=0.001"}), "1e-3");
}

TEST(Placeholders, AreSafeInNames) {
  EXPECT_EQ(filled("run-{title}"), "run-_._a_layer____50_____");
}

TEST(Placeholders, ThatTheCaseDoesNotHaveAreRefused) {
  for (const char* name : {"{raa}", "{}", "{physics}", "{dt}", "{output.slice}",
                           "{output.slice.7.field}", "{ra.x}", "{physics.}"}) {
    try {
      filled(name);
      ADD_FAILURE() << name;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(name));
      EXPECT_THAT(error.what(), HasSubstr("{ra}, {pr}"));
      EXPECT_THAT(error.what(), EndsWith("; {{ stands for a brace"));
    }
  }
}

TEST(Placeholders, AreClosed) {
  for (const char* name : {"{ra", "run-{"}) {
    try {
      filled(name);
      ADD_FAILURE() << name;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string(name) + ": a brace is not closed"));
    }
  }
}

TEST(Placeholders, AreProposedByTheSettings) {
  const Case run = parse_case(named_layer, "layer.toml", {});
  EXPECT_EQ(output_example(run, {}), "layer-{cells}");
  EXPECT_EQ(output_example(run, {"ra=1", "cells=4x4x4", "ra=2", "time={dt=1}"}),
            "layer-{ra}-{cells}");
}

}  // namespace
}  // namespace bankfull::convect
