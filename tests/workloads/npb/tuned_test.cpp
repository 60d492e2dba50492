#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/ft/ft.hpp"
#include "bankfull/workloads/npb/is/is.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/npb/verification.hpp"

namespace bankfull::npb {
namespace {

/// A kernel, a number of threads.
struct TunedCase {
  Kernel kernel;
  int threads;
};

std::string name_of_tuned(const testing::TestParamInfo<TunedCase>& info) {
  return to_string(info.param.kernel) + std::to_string(info.param.threads);
}

std::vector<TunedCase> small_cases() {
  std::vector<TunedCase> cases;
  for (const Kernel kernel : all_kernels) {
    for (const int threads : {1, 2, 3, 5}) {
      cases.push_back({kernel, threads});
    }
  }
  return cases;
}

class Tuned : public testing::TestWithParam<TunedCase> {};

TEST_P(Tuned, IsVerifiedInEveryRun) {
  Problem problem;
  problem.size = Class::s;
  problem.threads = GetParam().threads;
  const auto benchmark = make_benchmark(GetParam().kernel, problem, alone());
  expect_verified(*benchmark);
  benchmark->rewind();
  benchmark->warm_up();
  expect_verified(*benchmark);
  expect_verified(*benchmark);
}

INSTANTIATE_TEST_SUITE_P(Npb, Tuned, testing::ValuesIn(small_cases()), name_of_tuned);

TEST(TunedEp, HasTheReferencesCountsAndTheSameBitsOnAnyThreads) {
  const ep::Tally serial = ep::tally_serially(Class::s);
  const ep::Tally one = ep::tally_on_teams(Class::s, Team(1), alone());
  const ep::Tally three = ep::tally_on_teams(Class::s, Team(3), alone());
  EXPECT_EQ(one.counts, serial.counts);
  EXPECT_EQ(one.counts, three.counts);
  EXPECT_EQ(one.sums, three.sums);
  EXPECT_EQ(one.absolute_sums, three.absolute_sums);
  for (std::size_t n = 0; n < 2; ++n) {
    // The serial sum of 13 million terms has roundings of its own.
    EXPECT_NEAR(one.absolute_sums[n] / serial.absolute_sums[n], 1.0, 1e-12);
  }
}

TEST(IsVerification, FindsRanksThatAreWrong) {
  std::vector<is::Key> keys(std::size_t{1} << is_parameters(Class::s).log2_keys);
  is::generate(Class::s, 0, keys);
  const Range values{0, std::int64_t{1} << is_parameters(Class::s).log2_values};
  for (const int threads : {1, 3}) {
    const Team team(threads);
    EXPECT_FALSE(is::ascend_by_rank(team, values, 0, keys, [](is::Key) { return 0; }));
    EXPECT_FALSE(is::ascend_by_rank(team, values, 0, keys, [](is::Key) { return -1; }));
  }
}

TEST(IsVerification, FindsTwoValuesThatAreInEachOthersPlaces) {
  const std::vector<is::Key> keys{0, 2, 1, 2, 0};
  const auto right = [](is::Key key) { return std::array{0, 2, 3}.at(key); };
  const auto exchanged = [](is::Key key) { return std::array{0, 4, 2}.at(key); };
  for (const int threads : {1, 2}) {
    EXPECT_TRUE(is::ascend_by_rank(Team(threads), {0, 3}, 0, keys, right));
    EXPECT_FALSE(is::ascend_by_rank(Team(threads), {0, 3}, 0, keys, exchanged));
  }
}

TEST(IsVerification, FindsARankThatIsOneOffWhereverItIs) {
  const std::vector<is::Key> keys{15, 12, 10, 19, 12, 15, 15, 10};
  const std::vector<std::int64_t> smaller{0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                          0, 2, 2, 4, 4, 4, 7, 7, 7, 7};
  EXPECT_TRUE(is::ascend_where_placed(keys, smaller));
  const auto right = [&](is::Key key) { return 100 + smaller[key]; };
  for (const int threads : {1, 2, 4}) {
    EXPECT_TRUE(is::ascend_by_rank(Team(threads), {10, 20}, 100, keys, right));
    EXPECT_FALSE(is::ascend_by_rank(Team(threads), {10, 20}, 99, keys, right));
  }
  for (const is::Key wrong : {10U, 12U, 15U, 19U}) {
    for (const std::int64_t off : {-1, 1}) {
      std::vector<std::int64_t> changed = smaller;
      changed[wrong] += off;
      EXPECT_FALSE(is::ascend_where_placed(keys, changed)) << wrong << " off by " << off;
      EXPECT_FALSE(is::ascend_by_rank(Team(2), {10, 20}, 100, keys,
                                      [&](is::Key key) { return 100 + changed[key]; }))
          << wrong << " off by " << off;
    }
  }
}

TEST(IsKeys, AreTheSameFromAnyPlaceOn) {
  std::vector<is::Key> all(1000);
  is::generate(Class::w, 0, all);
  std::vector<is::Key> part(100);
  is::generate(Class::w, 321, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 321));
}

TEST(Verification, FailsChecksumsThatAreMissing) {
  EXPECT_FALSE(ft::checks_of({}, Class::s).front().passed());
}

}  // namespace
}  // namespace bankfull::npb
