#include "bankfull/workloads/npb/is/cuda/ranking_on_ranks.cuh"
#include "bankfull/workloads/npb/is/cuda/shapes.cuh"
#include "tests/alone.hpp"
#include "tests/workloads/npb/is_keys.hpp"

namespace bankfull::npb::is {
namespace {

// Shapes that serve class D, and those of several ranks, with the keys of classes that are quickly
// done on one GPU.

constexpr Class size = Class::a;

Problem problem_of(Class tested) {
  Problem small;
  small.size = tested;
  small.device = Device::cuda(0);
  return small;
}

using WideRanking = cuda::CudaRanking<cuda::Wide, cuda::RankWide>;
using WideRankingOnRanks = cuda::CudaRankingOnRanks<cuda::WideOnRanks, cuda::RankOnRanks>;

class CudaRankingShapes : public testing::TestWithParam<KeySet> {};

TEST_P(CudaRankingShapes, WideRanksAnyKeys) {
  WideRanking ranking(problem_of(size));
  expect_ranked_in_buckets(ranking, size, GetParam());
}

/// With fewer batches than the GPU has multiprocessors, of one key to two units a bucket.
TEST_P(CudaRankingShapes, WideRanksAnyFewKeys) {
  WideRanking ranking(problem_of(Class::w));
  expect_ranked_in_buckets(ranking, Class::w, GetParam());
}

TEST_P(CudaRankingShapes, WideOnRanksRanksAnyKeys) {
  WideRankingOnRanks ranking(problem_of(size), alone());
  expect_ranked_in_buckets(ranking, size, GetParam());
}

TEST(CudaRankingOfSortedKeys, WideRanksSortedKeys) {
  WideRanking ranking(problem_of(size));
  expect_sorted_keys_ranked_in_buckets(ranking, size);
}

TEST(CudaRankingOfSortedKeys, WideOnRanksRanksSortedKeys) {
  WideRankingOnRanks ranking(problem_of(size), alone());
  expect_sorted_keys_ranked_in_buckets(ranking, size);
}

TEST(CudaRankingOfClusteredKeys, WideRanksMoreUnitsThanWarpsQueue) {
  WideRanking ranking(problem_of(size));
  expect_clustered_keys_ranked_in_buckets(ranking, size);
}

TEST(CudaRankingOfClusteredKeys, WideOnRanksRanksThem) {
  WideRankingOnRanks ranking(problem_of(size), alone());
  expect_clustered_keys_ranked_in_buckets(ranking, size);
}

TEST(CudaWideRanking, OfNpbsKeysPassesAllTests) {
  for (const Class tested : {Class::w, Class::a, Class::b}) {
    WideRanking ranking(problem_of(tested));
    expect_capacity_for_own_keys(ranking);
  }
}

TEST(CudaWideRanking, PerturbedFailsVerification) {
  for (const double epsilon : {1e-6, -1e-6}) {
    Problem problem = problem_of(Class::w);
    problem.perturbation = epsilon;
    WideRanking ranking(problem);
    expect_all_wrong(ranking);
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, CudaRankingShapes, testing::ValuesIn(key_sets), name_of_set);

}  // namespace
}  // namespace bankfull::npb::is
