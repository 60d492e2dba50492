#include "bankfull/workloads/npb/cg/cg.hpp"
#include "bankfull/workloads/npb/cg/cuda/traffic.hpp"
#include "bankfull/workloads/npb/cg/kept_entries.hpp"
#include "tests/alone.hpp"

#include <gtest/gtest.h>

namespace bankfull::npb::cg {
namespace {

constexpr std::int64_t hopper_bytes = 232192;
constexpr std::int64_t hopper_cache = std::int64_t{50} << 20;
constexpr int all_warps = cuda::solver_threads / cuda::warp_threads;

struct Model {
  const CgParameters& cg;
  cuda::Tiling tiling;
  int kept_warps;
  cuda::MatrixBytes matrix;
};

Model model_of(Class size) {
  const CgParameters& cg = cg_parameters(size);
  const cuda::Tiling tiling = cuda::tiling_for(cg.rows, 132, hopper_bytes);
  const int kept = cuda::kept_warps(cuda::tile_bytes(tiling, cg.nonzeros), hopper_cache);
  return {cg, tiling, kept, cuda::matrix_bytes(tiling, cg.nonzeros, kept)};
}

TEST(CgTraffic, CountsEntriesWithoutPaddingOnce) {
  for (const Class size : all_classes) {
    const Model model = model_of(size);
    const double entries = 10.0 * static_cast<double>(model.cg.nonzeros);
    const double matrix = model.matrix.streamed + model.matrix.kept;
    EXPECT_GE(matrix, entries) << to_string(size);
    // The order of rows: most where rows are cut into hundreds of pieces.
    EXPECT_LE(matrix, 1.2 * entries) << to_string(size);
    EXPECT_LE(matrix, static_cast<double>(cuda::tile_bytes(model.tiling, model.cg.nonzeros)))
        << to_string(size);
  }
}

TEST(CgTraffic, CountsWhatTheCacheKeepsOncePerRun) {
  const Model small = model_of(Class::a);
  EXPECT_EQ(small.kept_warps, all_warps);
  EXPECT_EQ(small.matrix.streamed, 0.0);
  const Model large = model_of(Class::c);
  ASSERT_GT(large.kept_warps, 0);
  ASSERT_LT(large.kept_warps, all_warps);
  const double entries = 10.0 * static_cast<double>(large.cg.nonzeros);
  EXPECT_DOUBLE_EQ(large.matrix.kept, entries * large.kept_warps / all_warps);
  const cuda::VectorUse none;
  const Traffic run = cuda::traffic_of(75, large.matrix, none, hopper_cache);
  EXPECT_DOUBLE_EQ(run.bytes_read, 75.0 * 26.0 * large.matrix.streamed + large.matrix.kept);
  EXPECT_EQ(run.bytes_written, 0.0);
}

TEST(CgTraffic, CountsVectorsAtEachUseWhereTheyDoNotStayInTheCache) {
  const cuda::MatrixBytes matrix{.streamed = 0.0, .kept = 1000.0};
  const cuda::VectorUse vectors{{300.0, 200.0, 0.0}, 100.0};
  EXPECT_TRUE(cuda::vectors_stay(matrix, vectors, 2000));
  EXPECT_EQ(cuda::traffic_of(7, matrix, vectors, 2000).bytes(), 1000.0 + 100.0);
  EXPECT_FALSE(cuda::vectors_stay(matrix, vectors, 1800));
  EXPECT_EQ(cuda::traffic_of(7, matrix, vectors, 1800).bytes_read, 1000.0 + 7.0 * 300.0);
  EXPECT_EQ(cuda::traffic_of(7, matrix, vectors, 1800).bytes_written, 7.0 * 200.0);
}

/// On CPUs: half of the entries right of the diagonal, or all but the diagonal, 10 bytes each, and
/// vectors, which are few beside them.
class CgTrafficOnCpu : public testing::TestWithParam<int> {};

TEST_P(CgTrafficOnCpu, IsThatOfTheNonzeros) {
  const Problem problem{.size = Class::w, .threads = GetParam()};
  const CgParameters& cg = cg_parameters(problem.size);
  const Kept kept = better_kept(problem.size, 1, problem.threads);
  const double off_diagonal = static_cast<double>(cg.nonzeros - cg.rows);
  const double entries = kept == Kept::upper ? off_diagonal / 2.0 : off_diagonal;
  const double products = 26.0 * cg.iterations;
  const double vectors = products * static_cast<double>(cg.rows * 8);
  const Traffic traffic = make_cpu(problem, alone())->work().traffic;
  EXPECT_GE(traffic.bytes_read, products * 10.0 * entries);
  // A product reads two vectors, steps six. Pieces have lengths of two bytes, a fifth of an entry,
  // and at least an entry on average.
  EXPECT_LE(traffic.bytes_read, products * 12.0 * entries + 9.0 * vectors);
}

INSTANTIATE_TEST_SUITE_P(Npb, CgTrafficOnCpu, testing::Values(1, 2, 40));

}  // namespace
}  // namespace bankfull::npb::cg
