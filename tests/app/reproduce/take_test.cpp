#include "bankfull/app/reproduce/take.hpp"

#include "bankfull/app/recorded/recorded_run.hpp"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace bankfull::reproduce {
namespace {

using recorded::read_run;
using recorded::RecordedRun;

const std::filesystem::path results = BANKFULL_RECORDED_RESULTS;

RecordedRun two_steps() {
  RecordedRun run{.result = {.workload = "example", .problem = {}}};
  for (const auto& [step, share] : {std::pair{"forward sweep", 30.0}, {"backward sweep", 25.0}}) {
    Measurement m;
    m.name = step;
    m.parameters = {{.name = "step", .value = std::string(step)},
                    {.name = "level", .value = std::int64_t{0}}};
    m.seconds = summarise({1.0, 2.0, 3.0});
    m.figures = {{.name = "share", .value = share, .unit = "%"}};
    run.result.measurements.push_back(m);
  }
  run.result.checks = {{.name = "gosa", .value = 0.5}};
  run.result.series = {{.name = "copy",
                        .x_name = "streams",
                        .x_unit = "",
                        .y_name = "rate",
                        .y_unit = "B/s",
                        .points = {{1.0, 4e9}, {8.0, 2e9}}}};
  return run;
}

double value_of(const Quantity& quantity) { return take(two_steps(), quantity).number->value; }

TEST(Take, SelectsByParameters) {
  EXPECT_EQ(value_of({.where = {{"step", "backward*"}}, .figure = "share"}), 25.0);
  EXPECT_EQ(
      value_of(
          {.where = {{"step", "*sweep*"}, {"level", "0"}}, .figure = "share", .pick = Pick::sum}),
      55.0);
  EXPECT_EQ(value_of({.figure = "share", .pick = Pick::most}), 30.0);
  EXPECT_EQ(value_of({.figure = "none share"}), 30.0);
  EXPECT_EQ(value_of({.figure = "seconds"}), 2.0);
  EXPECT_EQ(value_of({.figure = "stdev"}), 1.0);
  EXPECT_EQ(value_of({.figure = "check gosa"}), 0.5);
  EXPECT_EQ(value_of({.figure = "series copy", .at = 1.0}), 4e9);
  EXPECT_EQ(value_of({.figure = "series copy"}), 2e9);
}

TEST(Take, SaysWhatIsMissing) {
  for (const Quantity& quantity :
       {Quantity{.figure = "mflops"}, Quantity{.where = {{"step", "sweep"}}, .figure = "share"},
        Quantity{.figure = "check other"}, Quantity{.figure = "series copy", .at = 3.0}}) {
    const Taken taken = take(two_steps(), quantity);
    EXPECT_FALSE(taken.number);
    EXPECT_NE(taken.reason.find(quantity.figure), std::string::npos);
  }
}

TEST(TakeRow, SetsQuantitiesInRelation) {
  const RecordedRun run = two_steps();
  Row row{.label = "",
          .ours = {.where = {{"step", "forward*"}}, .figure = "share"},
          .relation = Relation::divided_by,
          .other = {.where = {{"step", "backward*"}}, .figure = "share"},
          .unit = "",
          .published = {}};
  EXPECT_DOUBLE_EQ(take_row(row, run, &run).number->value, 1.2);
  row.relation = Relation::minus;
  EXPECT_DOUBLE_EQ(take_row(row, run, &run).number->value, 5.0);
  row.relation = Relation::deviation_from;
  EXPECT_NEAR(take_row(row, run, &run).number->value, 20.0, 1e-9);
  row.relation = Relation::alone;
  row.ours.figure = "seconds";
  row.unit = "ms";
  EXPECT_DOUBLE_EQ(take_row(row, run, nullptr).number->value, 2000.0);
}

/// A recorded result that a run of the command of this row would be alike.
struct Example {
  const char* paper;
  const char* item;
  const char* result;
  double least;
  double most;
  std::string_view absent = "";  ///< the row of which this result has no figure
};

class Recorded : public testing::TestWithParam<Example> {};

TEST_P(Recorded, HasTheFiguresThatRowsTake) {
  const RecordedRun run = read_run(results / GetParam().result);
  int taken = 0;
  for (const Item& item : find_paper(GetParam().paper).items) {
    for (const Row& row : item.rows) {
      if (item.id != GetParam().item || row.relation != Relation::alone || !row.reason.empty() ||
          row.ours.command.front() == "probe") {
        continue;
      }
      const Taken found = take_row(row, run, nullptr);
      if (row.label == GetParam().absent) {
        EXPECT_FALSE(found.number) << row.label;
        continue;
      }
      ASSERT_TRUE(found.number) << row.label << ": " << found.reason;
      EXPECT_GE(found.number->value, GetParam().least) << row.label;
      EXPECT_LE(found.number->value, GetParam().most) << row.label;
      EXPECT_EQ(take(run, row.ours).number->unit, in_base_units(1.0, row.unit).unit) << row.label;
      ++taken;
    }
  }
  EXPECT_GT(taken, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Results, Recorded,
    testing::Values(
        Example{"himeno-2010", "figure-4", "h200-himeno-l-fp32.json", 2e3, 5e3},
        Example{"himeno-2010", "figure-8", "h200-himeno-l-fp32.json", 2e3, 5e3},
        Example{"himeno-2010", "table-2", "h200-himeno-l-fp32.json", 1e3, 4e3},
        Example{"himeno-2010", "table-7", "h200-himeno-l-fp32.json", 1e-6, 1e-3},
        Example{"himeno-2010", "figure-7", "h200x4-himeno-overlap-none.json", 15, 2e4},
        Example{"hpcg-2014", "figure-1", "h200-hpcg-128-ell.json", 0.01, 10},
        Example{"hpcg-2014", "figure-2", "h200-hpcg-128-tuned.json", 0.1, 90, "prolongation"},
        Example{"hpcg-2014", "figure-3", "h200-hpcg-256-full.json", 100, 2e3},
        Example{"hpcg-2014", "figure-4", "h200-hpcg-256-full.json", 500, 6e3},
        Example{"hpcg-2014", "figure-6", "h200-hpcg-256-full.json", 0, 90},
        Example{"hpcg-2014", "table-2", "h200-hpcg-256-full.json", 100, 2e3},
        Example{"npb-2020", "table-2", "h200-npb-c.json", 0, 1},
        Example{"npb-2020", "figure-4", "h200-npb-c.json", 0.001, 5e3},
        Example{"boussinesq-2009", "table-2", "h200-convect-validation.json", 0, 2e3},
        Example{"boussinesq-2009", "table-3", "h200-convect-layer-256-multigrid.json", 1e-7, 10},
        Example{"boussinesq-2009", "table-4", "h200-convect-lock-64-fp32.json", 1e-5, 1},
        Example{"boussinesq-2009", "figure-2", "h200-convect-lock-64-fp64.json", 1, 1e4}),
    [](const auto& tested) {
      std::string name = std::string(tested.param.paper) + "_" + tested.param.item;
      std::ranges::replace(name, '-', '_');
      return name;
    });

}  // namespace
}  // namespace bankfull::reproduce
