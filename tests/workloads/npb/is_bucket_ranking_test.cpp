#include "bankfull/workloads/npb/is/bucket_ranking.hpp"
#include "tests/workloads/npb/is_keys.hpp"

#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

namespace bankfull::npb::is {
namespace {

/// Ranks nothing; the test sets whether its runs overflow.
class PretendedRanking final : public BucketRanking {
 public:
  PretendedRanking() : BucketRanking(Class::s) {}

  void run_with_capacity(bool enough) {
    enough_ = enough;
    run();
  }

  void replace_keys(std::span<const Key> /*keys*/) override { forget_runs(); }
  [[nodiscard]] ValueRanks value_ranks() const override { return {}; }
  void rewind() override {}
  void warm_up() override {}
  void run() override { note_run(!enough_); }
  std::vector<Check> checks() override { return {}; }

 private:
  [[nodiscard]] Work work_in_buckets() const override {
    return {.traffic = {3.0, 2.0, 0.0}, .model = "each key once"};
  }

  bool enough_ = true;
};

TEST(BucketRanking, HasATrafficWhereBucketsHadRoom) {
  PretendedRanking ranking;
  ranking.run_with_capacity(true);
  EXPECT_FALSE(ranking.overflowed());
  EXPECT_DOUBLE_EQ(ranking.work().traffic.bytes(), 5.0);
  EXPECT_EQ(ranking.work().model, "each key once");
  EXPECT_EQ(how_ranked(ranking), "by_distribution");
  EXPECT_TRUE(ranking.notes().empty());
}

TEST(BucketRanking, HasNoneAndSaysSoWhereKeysWereRankedByValue) {
  PretendedRanking ranking;
  ranking.run_with_capacity(false);
  EXPECT_TRUE(ranking.overflowed());
  EXPECT_EQ(ranking.work().traffic.bytes(), 0.0);
  EXPECT_EQ(ranking.work().model.rfind("none", 0), 0U) << ranking.work().model;
  EXPECT_EQ(how_ranked(ranking), "by_value");
  ASSERT_EQ(ranking.notes().size(), 1U);
  EXPECT_NE(ranking.notes().front().find("by value"), std::string::npos);
}

TEST(BucketRanking, SpeaksOfAllRunsWithTheSameKeys) {
  PretendedRanking ranking;
  ranking.run_with_capacity(false);
  ranking.run_with_capacity(true);
  EXPECT_FALSE(ranking.overflowed());
  EXPECT_EQ(how_ranked(ranking), "by_value");
  EXPECT_EQ(ranking.work().traffic.bytes(), 0.0);
  ranking.replace_keys({});
  ranking.run_with_capacity(true);
  EXPECT_EQ(how_ranked(ranking), "by_distribution");
}

}  // namespace
}  // namespace bankfull::npb::is
