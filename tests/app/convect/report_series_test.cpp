#include "bankfull/app/convect/report_series.hpp"

#include "bankfull/core/base/error.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bankfull::convect {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Eq;
using testing::Lt;
using testing::SizeIs;

using MaybeNumber = std::optional<double>;

constexpr MaybeNumber no_number = std::nullopt;

TEST(ReportSeries, IsWhatItsRowsAreWhileTheyAreFew) {
  ReportSeries series("step,time,dt_limit,nusselt", {}, 4);
  series.add("0,0,given,1.5");
  series.add("10,0.5,given,");
  series.add("20,1,given,-2e-3");
  EXPECT_EQ(series.rows(), 3);
  EXPECT_THAT(series.column(1), ElementsAre(MaybeNumber(0.0), MaybeNumber(0.5), MaybeNumber(1.0)));
  EXPECT_THAT(series.column(2), Each(Eq(no_number))) << "words are no numbers";
  EXPECT_THAT(series.column(3), ElementsAre(MaybeNumber(1.5), no_number, MaybeNumber(-2e-3)));
  EXPECT_THAT(series.last(), ElementsAre("20", "1", "given", "-2e-3"));
}

TEST(ReportSeries, HasATime) { EXPECT_THROW(ReportSeries("step,dt", {}, 4), UsageError); }

TEST(ReportSeries, LosesNoPeakHoweverManyRows) {
  for (const int peak : {0, 1, 617, 4998, 4999}) {
    ReportSeries series("time,value", {}, 100);
    for (int n = 0; n < 5000; ++n) {
      series.add(fmt::format("{},{}", n, n == peak ? 7.0 : std::sin(0.01 * n)));
    }
    const std::vector<MaybeNumber> times = series.column(0);
    const std::vector<MaybeNumber> values = series.column(1);
    ASSERT_EQ(times.size(), values.size());
    EXPECT_THAT(values, SizeIs(Lt(201U)));
    EXPECT_GT(values.size(), 99U);
    EXPECT_TRUE(std::ranges::is_sorted(times));
    EXPECT_EQ(times.front(), 0.0);
    EXPECT_EQ(times.back(), 4999.0);
    const auto highest = std::ranges::max_element(values);
    EXPECT_EQ(*highest, 7.0) << peak;
    const auto place = static_cast<std::size_t>(highest - values.begin());
    EXPECT_NEAR(*times[place], peak, 5000.0 / 50.0);
  }
}

TEST(ReportSeries, ShowsExtremesInTheOrderInWhichTheyCame) {
  ReportSeries series("time,rises,falls,first,second", {}, 2);
  for (int n = 0; n < 8; ++n) {
    series.add(fmt::format("{},{},{},{},{}", n, n, -n, n == 1 ? 9 : 0,
                           n == 2   ? 9
                           : n == 1 ? -9
                                    : 0));
  }
  EXPECT_THAT(series.column(0), ElementsAre(0.0, 3.0, 4.0, 7.0));
  EXPECT_THAT(series.column(1), ElementsAre(0.0, 3.0, 4.0, 7.0));
  EXPECT_THAT(series.column(2), ElementsAre(0.0, -3.0, -4.0, -7.0));
  EXPECT_THAT(series.column(4), ElementsAre(-9.0, 9.0, 0.0, 0.0));
}

TEST(ReportSeries, AveragesTheSecondHalfOfATime) {
  // The means of a straight line are known, whichever and however many rows are kept.
  for (const std::size_t most : {64U, 1000U}) {
    ReportSeries series("time,line,flat", {"line", "flat", "none"}, most);
    double time = 0.0;
    for (int n = 0; n < 700; ++n) {
      series.add(fmt::format("{},{},{}", time, 1.0 + 2.0 * time, 5.0));
      time += 0.01 * (1 + n % 3);
    }
    const auto averages = series.averages("line", 50);
    ASSERT_FALSE(averages.empty());
    EXPECT_LE(averages.size(), 50U);
    EXPECT_EQ(averages.back().time, series.column(0).back());
    for (const auto& average : averages) {
      // Between the last rows of buckets integrals of a line are not straight.
      const double longest = most < 100 ? 14.0 / 32.0 : 0.03;
      EXPECT_NEAR(average.mean, 1.0 + 1.5 * average.time, longest * longest / average.time)
          << average.time;
    }
    for (const auto& average : series.averages("flat", 50)) {
      EXPECT_NEAR(average.mean, 5.0, 1e-12);
      EXPECT_NEAR(average.error.value_or(0.0), 0.0, 1e-12);
    }
    EXPECT_THAT(series.averages("none", 50), SizeIs(0));
  }
}

TEST(ReportSeries, ErrorsAreThoseOfIndependentMeans) {
  // The means over b batches of the line y = t over [T/2, T] are evenly spaced.
  ReportSeries series("time,line", {"line"}, 1000);
  for (int n = 0; n <= 640; ++n) {
    series.add(fmt::format("{},{}", n, n));
  }
  const auto last = series.averages("line", 10).back();
  const auto spread = [](double batches) {
    const double width = 320.0 / batches;
    return width * std::sqrt((batches * batches - 1.0) / 12.0 / (batches - 1.0));
  };
  EXPECT_NEAR(last.error.value_or(0.0), spread(8.0), 1e-9);
  ReportSeries brief("time,line", {"line"}, 1000);
  for (int n = 0; n <= 30; ++n) {
    brief.add(fmt::format("{},{}", n, n));
  }
  EXPECT_EQ(brief.averages("line", 10).back().error, no_number) << "15 looks, 8 batches";
}

TEST(ReportSeries, EmptyCellsHaveNoAverages) {
  ReportSeries series("time,value", {"value"}, 1000);
  series.add("0,");
  series.add("1,2");
  series.add("2,2");
  EXPECT_THAT(series.averages("value", 10), SizeIs(0));
}

}  // namespace
}  // namespace bankfull::convect
