#include "bankfull/app/convect/report_data.hpp"

#include "bankfull/app/convect/case_file.hpp"
#include "bankfull/app/convect/report_page.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace bankfull::convect {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* reported_layer = R"toml(name = "layer"
title = "hot </script> & \"cold\""
[domain]
upper = [1, 1, 1]
cells = [4, 3, 2]
[physics]
rayleigh = 1e4
prandtl = 0.71
scaling = "free-fall"
[boundaries]
x = "periodic"
y = "periodic"
z.lower = { velocity = "no-slip", temperature = 1 }
z.upper = { velocity = "no-slip", temperature = 0 }
[time]
dt = 1e-3
end = 10
)toml";

class ReportDataTest : public testing::Test {
 protected:
  ReportDataTest()
      : run_(parse_case(reported_layer, "layer.toml", {})),
        data_(run_, {{"cells", "4x3x2"}}, "step,time,dt_limit,nusselt_volume", {"temperature-y"}) {}

  [[nodiscard]] nlohmann::json document() const {
    const std::string script = data_.script({.written = 1, .seconds = 2.0, .expected_within = 3.0});
    const std::string call = "bankfullReport(";
    EXPECT_THAT(script, StartsWith(call));
    EXPECT_THAT(script, EndsWith(");\n"));
    return nlohmann::json::parse(script.substr(call.size(), script.size() - call.size() - 3));
  }

  Case run_;
  ReportData data_;
};

TEST_F(ReportDataTest, ShowsTheProgressOfARun) {
  data_.begin(0.0);
  EXPECT_EQ(document()["progress"]["part"], 0.0);
  data_.add_row("0,0,given,1");
  data_.add_row("100,2.5,given,1.25");
  const nlohmann::json found = document();
  EXPECT_EQ(found["state"], "running");
  EXPECT_EQ(found["progress"]["part"], 0.25);
  EXPECT_EQ(found["progress"]["part_at_begin"], 0.0);
  EXPECT_EQ(found["series"]["rows"], 2);
  EXPECT_EQ(found["series"]["columns"]["nusselt_volume"], (std::vector<double>{1.0, 1.25}));
  EXPECT_FALSE(found["series"]["columns"].contains("dt_limit"));
  EXPECT_EQ(found["series"]["last"]["nusselt_volume"], 1.25);
  EXPECT_EQ(found["series"]["last"]["dt_limit"], "given");
  EXPECT_EQ(found["averages"]["nusselt_volume"]["time"], (std::vector<double>{2.5}));
}

TEST_F(ReportDataTest, KnowsWhatAnEarlierProcessHasDone) {
  data_.add_row("0,0,given,1");
  data_.add_row("100,5,given,1");
  data_.begin(0.0);
  data_.add_row("120,6,given,1");
  EXPECT_EQ(document()["progress"]["part_at_begin"], 0.5);
  EXPECT_EQ(document()["progress"]["part"], 0.6);
}

TEST_F(ReportDataTest, KeepsTheLastRowToItsLastDigit) {
  data_.add_row("1,0.1,given,1.2345678901234567");
  const nlohmann::json series = document()["series"];
  EXPECT_EQ(series["last"]["nusselt_volume"], 1.2345678901234567);
  EXPECT_EQ(series["columns"]["nusselt_volume"][0], 1.234568);
}

TEST_F(ReportDataTest, IsOfBoundedSizeHoweverLongARun) {
  for (int n = 0; n < 20'000; ++n) {
    data_.add_row(fmt::format("{},{},given,{}", n, 1e-3 * n, 1.0 + 1e-5 * n));
    data_.add_picture(fmt::format("slices/temperature-y-{:04}.png,{},temperature,y,0.5,0,1", n, n));
    data_.add_warning("no room");
  }
  const nlohmann::json found = document();
  EXPECT_EQ(found["series"]["rows"], 20'000);
  EXPECT_LE(found["series"]["columns"]["time"].size(), 1000U);
  const nlohmann::json& files = found["pictures"][0]["files"];
  EXPECT_LE(files.size(), 200U);
  EXPECT_EQ(files.back()["file"], "slices/temperature-y-19999.png");
  EXPECT_LT(found.dump().size(), 100'000U);
}

TEST_F(ReportDataTest, SortsPicturesByTheirSlices) {
  data_.add_picture("slices/temperature-y-0000.png,0,temperature,y,0.5,-1,1");
  data_.add_picture("slices/other-y-0000.png,0,other,y,0.5,-1,1");
  data_.add_picture("broken");
  run_.frames = true;
  EXPECT_TRUE(document()["pictures"][0]["colours"].empty()) << "the frame has a bar";
  run_.frames = false;
  const nlohmann::json pictures = document()["pictures"];
  ASSERT_EQ(pictures.size(), 1U);
  EXPECT_EQ(pictures[0]["field"], "temperature");
  EXPECT_EQ(pictures[0]["colours"].size(), 9U);
  EXPECT_EQ(pictures[0]["files"][0]["least"], -1.0);
}

TEST_F(ReportDataTest, HasProfilesWhoseErrorsMayBeUnknown) {
  convection::Profile profile{.window = "late", .axis = 2, .from = 1.0, .until = 2.0, .samples = 3};
  profile.tables[0] = {.on_faces = false,
                       .places = {0.25, 0.75},
                       .columns = {{"width", "length", {0.5, 0.5}, {}},
                                   {"temperature_mean", "temperature", {0.5, NAN}, {}}}};
  data_.set_profiles({profile});
  const nlohmann::json found = document()["profiles"][0];
  EXPECT_EQ(found["axis"], "z");
  const nlohmann::json& columns = found["tables"][0]["columns"];
  ASSERT_EQ(columns.size(), 1U) << "widths are no quantity of the flow";
  EXPECT_TRUE(columns[0]["values"][1].is_null());
  EXPECT_TRUE(columns[0]["errors"].empty());
}

TEST_F(ReportDataTest, ThinsOutPlacesOfManyProfiles) {
  const std::vector<double> values(20'000, 0.123456789);
  convection::Profile profile{.axis = 0, .samples = 1};
  profile.tables[0] = {.on_faces = false, .places = values, .columns = {}};
  for (int n = 0; n < 20; ++n) {
    profile.tables[0].columns.push_back({fmt::format("c{}_mean", n), "1", values, values});
  }
  data_.set_profiles({profile, profile});
  EXPECT_LT(document()["profiles"].dump().size(), 2'000'000U);
}

TEST_F(ReportDataTest, LeavesTheMachineAndItsUserOut) {
  data_.end(R"({"verdict": "verified", "complete": true, "context": {"user": "me"}})");
  const nlohmann::json found = document();
  EXPECT_EQ(found["state"], "ended");
  EXPECT_EQ(found["result"]["verdict"], "verified");
  EXPECT_FALSE(found["result"].contains("context"));
}

TEST_F(ReportDataTest, ShowsAFailureOrWhatWentWrongAfterTheEnd) {
  data_.fail("the flow blew up");
  EXPECT_EQ(document()["state"], "failed");
  EXPECT_EQ(document()["failure"], "the flow blew up");
  ReportData ended = data_;
  data_ = ReportData(run_, {}, "step,time", {});
  data_.end("{}");
  data_.fail("cannot write run.json");
  EXPECT_EQ(document()["state"], "ended");
  EXPECT_EQ(document()["warnings"][0], "cannot write run.json");
}

TEST_F(ReportDataTest, CarriesAnyTextAsText) {
  data_.add_warning("no UTF-8: \xff, and \xe2\x80\xa8 a line");
  const nlohmann::json found = document();
  EXPECT_EQ(found["title"], "hot </script> & \"cold\"");
  EXPECT_THAT(std::string(found["warnings"][0]), HasSubstr("no UTF-8: \xef\xbf\xbd, and"));
  EXPECT_EQ(data_.script({}).find('\n'), data_.script({}).size() - 1) << "one line";
}

TEST_F(ReportDataTest, NamesTheNumbersOfThePhysics) {
  const ReportFacts facts = physics_facts(run_);
  EXPECT_THAT(facts, testing::Contains(testing::Pair("rayleigh", "10000")));
  EXPECT_THAT(facts, testing::Contains(testing::Pair("prandtl", "0.71")));
}

TEST(ReportPage, IsWholeAndAsksNobodyElse) {
  const std::string page(report_page());
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, EndsWith("</html>\n"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page, HasSubstr("function drawChart"));
  EXPECT_THAT(page, testing::Not(HasSubstr("@report_")));
  EXPECT_THAT(page, testing::Not(HasSubstr("innerHTML")));
  EXPECT_THAT(page, testing::Not(HasSubstr("https://")));
}

}  // namespace
}  // namespace bankfull::convect
