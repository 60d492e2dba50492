#include "bankfull/app/reproduce/paper.hpp"
#include "bankfull/app/reproduce/plan.hpp"
#include "bankfull/app/reproduce/units.hpp"
#include "bankfull/core/base/error.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace bankfull::reproduce {
namespace {

std::set<std::string> keys_of(const std::vector<Paper>& all) {
  std::set<std::string> keys;
  for (const Paper& paper : all) {
    keys.insert(paper.key);
  }
  return keys;
}

class EveryPaper : public testing::TestWithParam<std::string> {
 protected:
  const Paper& paper_ = find_paper(GetParam());
};

TEST(Papers, AreTheFive) {
  EXPECT_EQ(keys_of(papers()), (std::set<std::string>{"himeno-2010", "himeno-2008", "hpcg-2014",
                                                      "npb-2020", "boussinesq-2009"}));
}

TEST(Papers, AnUnknownOneIsRefusedWithTheNearest) {
  try {
    static_cast<void>(find_paper("himeno-2001"));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "there is no paper 'himeno-2001'; did you mean 'himeno-2010'?");
  }
}

TEST_P(EveryPaper, HasItemsWithRowsOrWhatTheyShow) {
  std::set<std::string> ids;
  for (const Item& item : paper_.items) {
    EXPECT_TRUE(ids.insert(item.id).second) << item.id << " stands twice";
    EXPECT_FALSE(item.title.empty()) << item.id;
    EXPECT_EQ(item.rows.empty(), !item.shows.empty()) << item.id;
    EXPECT_EQ(item.rows.empty(), !item.instead.empty()) << item.id;
  }
}

TEST_P(EveryPaper, HasRowsThatAreMeasuredOrSayWhyNot) {
  for (const Item& item : paper_.items) {
    std::set<std::string> labels;
    for (const Row& row : item.rows) {
      EXPECT_TRUE(labels.insert(row.label).second) << item.id << " " << row.label;
      EXPECT_NE(row.ours.command.empty(), row.reason.empty()) << item.id << " " << row.label;
      EXPECT_EQ(row.ours.command.empty(), row.ours.figure.empty() || !row.reason.empty())
          << item.id << " " << row.label;
      for (const Published& published : row.published) {
        EXPECT_TRUE(std::isnan(published.value) || published.value >= 0.0);
        EXPECT_FALSE(published.machine.empty());
      }
    }
  }
}

TEST_P(EveryPaper, HasAShortFormOfEachCommand) {
  Choice quick{.quick = true};
  const Plan all = make_plan(paper_, {}, 1);
  const Plan some = make_plan(paper_, quick, 1);
  EXPECT_EQ(all.rows.size(), some.rows.size());
  EXPECT_LE(some.steps.size(), all.steps.size());
}

INSTANTIATE_TEST_SUITE_P(Papers, EveryPaper,
                         testing::Values("himeno-2010", "himeno-2008", "hpcg-2014", "npb-2020",
                                         "boussinesq-2009"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           name[name.find('-')] = '_';
                           return name;
                         });

// Two files of published values hold some of the same ones; they must not differ.
TEST(Papers, HaveTheValuesOfTheirTables) {
  const auto value = [](const char* paper, const char* id, const char* label, std::size_t n) {
    for (const Item& item : find_paper(paper).items) {
      for (const Row& row : item.rows) {
        if (item.id == id && row.label == label) {
          return row.published.at(n).value;
        }
      }
    }
    return std::nan("");
  };
  EXPECT_EQ(value("himeno-2010", "table-7", "L 256x256x512", 1), 4.883e-4);
  EXPECT_EQ(value("himeno-2010", "figure-4", "texture cache", 0), 47.1);
  EXPECT_EQ(value("npb-2020", "table-2", "FT C", 2), 10.21);
  EXPECT_TRUE(std::isnan(value("npb-2020", "table-2", "IS B", 1)));
  EXPECT_EQ(value("hpcg-2014", "table-2", "8192 nodes, final", 0), 144071);
  EXPECT_EQ(value("boussinesq-2009", "table-3", "384x384x192", 1), 1616);
  EXPECT_EQ(value("boussinesq-2009", "table-4", "64^3, fp32", 0), 0.014367);
}

constexpr const char* small = R"(
key = "small-2000"
citation = "nobody"
found = "nowhere"
[[item]]
id = "table-1"
title = "one"
machines = ["a", "b"]
command = "himeno"
full = "--repeat 5"
quick = "--repeat 1"
figure = "mflops"
unit = "GFLOPS"
[[item.row]]
label = "XS 32x32x64"
arguments = "--size XS --device cuda"
divided_by = { arguments = "--size XS --device cpu" }
published = [1, nan]
[[item.row]]
label = "S 64x64x128"
arguments = "--size S"
ranks = 4
long = true
)";

TEST(ParsePaper, RowsHaveWhatTheirItemSays) {
  const Paper paper = parse_paper(small, "small.toml");
  const Row& row = paper.items.at(0).rows.at(0);
  using Words = std::vector<std::string>;
  EXPECT_EQ(row.ours.command,
            (Words{"himeno", "--size", "XS", "--device", "cuda", "--repeat", "5"}));
  EXPECT_EQ(row.other.quick, (Words{"himeno", "--size", "XS", "--device", "cpu", "--repeat", "1"}));
  EXPECT_EQ(row.relation, Relation::divided_by);
  EXPECT_EQ(row.published.at(0).machine, "a");
  EXPECT_TRUE(std::isnan(row.published.at(1).value));
}

TEST(ParsePaper, NamesThePlaceOfAMistake) {
  for (const auto& [wrong, words] :
       {std::pair{"published = [1, nan]", "published"}, std::pair{"long = true", "lnog"}}) {
    std::string text = small;
    text.replace(text.find(wrong), std::string(wrong).size(),
                 words == std::string("lnog") ? "lnog = true" : "published = [1]");
    try {
      static_cast<void>(parse_paper(text, "small.toml"));
      FAIL() << wrong;
    } catch (const UsageError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("small.toml:")) << error.what();
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

TEST(MakePlan, SharesStepsAndLeavesOutWhatCannotBe) {
  const Paper paper = parse_paper(small, "small.toml");
  const Plan plan = make_plan(paper, {}, 1);
  ASSERT_EQ(plan.steps.size(), 3U);
  EXPECT_EQ(plan.steps[2].ranks, 4);
  EXPECT_EQ(plan.steps[2].name(), "himeno-size-S-repeat-5-4-ranks");
  const Plan on_cpu =
      make_plan(paper, {.quick = true, .device = "cpu", .device_is_given = true}, 1);
  EXPECT_TRUE(on_cpu.steps.empty());
  EXPECT_NE(on_cpu.rows.at(0).reason.find("GPU"), std::string::npos);
  EXPECT_NE(on_cpu.rows.at(1).reason.find("--quick"), std::string::npos);
}

TEST(MakePlan, TakesRowsByWords) {
  const Paper paper = parse_paper(small, "small.toml");
  EXPECT_EQ(make_plan(paper, {.words = {"S"}}, 1).rows.size(), 1U);
  EXPECT_EQ(make_plan(paper, {.words = {"S", "XS"}}, 1).rows.size(), 2U);
  EXPECT_THROW(static_cast<void>(make_plan(paper, {.words = {"M"}}, 1)), UsageError);
  EXPECT_THROW(static_cast<void>(make_plan(paper, {.items = {"table-2"}}, 1)), UsageError);
}

TEST(Units, AreConverted) {
  EXPECT_DOUBLE_EQ(in_base_units(3.0, "ms").value, 3e-3);
  EXPECT_EQ(in_base_units(3.0, "MFLOPS").unit, "FLOPS");
  EXPECT_DOUBLE_EQ(in_base_units(1.0, "MiB").value, 1048576.0);
  EXPECT_EQ(in_base_units(1.0, "furlongs").unit, "furlongs");
}

}  // namespace
}  // namespace bankfull::reproduce
