#include "bankfull/workloads/npb/is/cuda/ranking_on_ranks.cuh"
#include "bankfull/workloads/npb/is/cuda/shapes.cuh"
#include "tests/alone.hpp"
#include "tests/workloads/npb/is_keys.hpp"

namespace bankfull::npb::is {
namespace {

// Shapes that serve class D, and those of several ranks, with the keys of a class that is quickly
// done on one GPU.

constexpr Class size = Class::a;

Problem problem() {
  Problem small;
  small.size = size;
  small.device = Device::cuda(0);
  return small;
}

class CudaRankingShapes : public testing::TestWithParam<KeySet> {};

TEST_P(CudaRankingShapes, WideRanksAnyKeys) {
  cuda::CudaRanking<cuda::Wide, cuda::RankWide> ranking(problem());
  expect_ranked_in_buckets(ranking, size, GetParam());
}

TEST_P(CudaRankingShapes, WideOnRanksRanksAnyKeys) {
  cuda::CudaRankingOnRanks<cuda::WideOnRanks, cuda::RankOnRanks> ranking(problem(), alone());
  expect_ranked_in_buckets(ranking, size, GetParam());
}

TEST(CudaRankingOfSortedKeys, WideRanksSortedKeys) {
  cuda::CudaRanking<cuda::Wide, cuda::RankWide> ranking(problem());
  expect_sorted_keys_ranked_in_buckets(ranking, size);
}

TEST(CudaRankingOfSortedKeys, WideOnRanksRanksSortedKeys) {
  cuda::CudaRankingOnRanks<cuda::WideOnRanks, cuda::RankOnRanks> ranking(problem(), alone());
  expect_sorted_keys_ranked_in_buckets(ranking, size);
}

INSTANTIATE_TEST_SUITE_P(Keys, CudaRankingShapes, testing::ValuesIn(key_sets), name_of_set);

}  // namespace
}  // namespace bankfull::npb::is
