#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/hpcg/check_problem.hpp"
#include "tests/core/comm/gpu_transports.hpp"
#include "tests/workloads/hpcg/hash_orders.hpp"
#include "tests/workloads/hpcg/on_ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// Every product and sweep on GPUs with matrices in which no two entries of a row are alike, against
// the serial textbook.
namespace bankfull::hpcg {
namespace {

/// A backend on a GPU.
struct Way {
  Variant variant = Variant::tuned;
  Sweeps sweeps = Sweeps::automatic;
  ColumnIndices columns = ColumnIndices::full;
};

std::string name_of(const Way& way) {
  std::string name = to_string(way.variant);
  if (way.variant == Variant::tuned) {
    name = name + "_" + to_string(way.sweeps) + "_" + to_string(way.columns);
  }
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

void PrintTo(const Way& way, std::ostream* out) { *out << name_of(way); }

std::vector<Way> ways() {
  return {{.variant = Variant::reference},
          {.sweeps = Sweeps::automatic},
          {.sweeps = Sweeps::automatic, .columns = ColumnIndices::slim},
          {.sweeps = Sweeps::classes},
          {.sweeps = Sweeps::classes, .columns = ColumnIndices::slim},
          {.sweeps = Sweeps::syncfree},
          {.sweeps = Sweeps::syncfree, .columns = ColumnIndices::slim},
          {.sweeps = Sweeps::pipelined},
          {.sweeps = Sweeps::pipelined, .columns = ColumnIndices::slim},
          {.variant = Variant::csr},
          {.variant = Variant::ell},
          {.variant = Variant::cusparse_csr},
          {.variant = Variant::cusparse_coloured}};
}

/// Why a way cannot be taken here; empty if it can.
std::string obstacle_to(const Way& way) {
  if (survey_gpus().gpus.empty()) {
    return survey_gpus().none_because;
  }
  if (uses_cusparse(way.variant)) {
    try {
      require_cusparse(way.variant);
    } catch (const UsageError& error) {
      return error.what();
    }
  }
  return {};
}

Case case_of(const Way& way, const TestMatrix& matrix, const Grid3& local) {
  Problem problem = small_problem(local, 1, way.columns);
  problem.device = own_gpu();
  problem.variant = way.variant;
  problem.sweeps = way.sweeps;
  return {problem, test_ranks(), matrix};
}

textbook::System in_hash_order(const Case& c) {
  textbook::System system = textbook_of(c);
  const auto orders = hash_orders(c.problem, c.ranks, matrices_of(c));
  for (std::size_t n = 0; n < orders.size(); ++n) {
    const auto of_ranks = c.ranks.all_gather(orders[n]);
    for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
      system.visit(n, rank, {of_ranks[rank].begin(), of_ranks[rank].end()});
    }
  }
  return system;
}

/// The textbook in the order of rows of a case's backend.
textbook::System expected_of(const Case& c) {
  constexpr std::int64_t alignment = 256;
  switch (c.problem.variant) {
    case Variant::reference:
    case Variant::cusparse_csr:
      return textbook_of(c);
    case Variant::tuned:
      return coloured_textbook_of(c, alignment, Boundary::apart);
    default:
      return in_hash_order(c);
  }
}

void expect_textbook(const Case& c) {
  SCOPED_TRACE(describe(c));
  const textbook::System expected = expected_of(c);
  const auto system = system_of(c);
  const auto backend = system->make_backend(c.problem.variant);
  expect_operations(c, *backend, expected, 1e-12);
  expect_same_residuals(history_of(*backend), history_of(c, expected));
  expect_same_solution(c, *backend, expected);
  expect_exaggerates(c, *backend, expected, 1e-12);
}

template <class Parameters>
class OnGpus : public ::testing::TestWithParam<Parameters> {
 protected:
  void SetUp() override {
    const std::string obstacle = obstacle_to(std::get<Way>(this->GetParam()));
    if (!obstacle.empty()) {
      GTEST_SKIP() << obstacle;
    }
    select(own_gpu());
  }
};

class HpcgMatricesOnGpus : public OnGpus<std::tuple<Way, TestMatrix, Grid3>> {};

TEST_P(HpcgMatricesOnGpus, AreSolvedAsByTheTextbook) {
  const auto& [way, matrix, local] = GetParam();
  expect_textbook(case_of(way, matrix, local));
}

/// The awkward grids, and one of which chunks have several tiles.
std::vector<Grid3> grids() {
  std::vector<Grid3> all = awkward_grids();
  all.push_back({24, 20, 28});
  return all;
}

std::string name_of_gpu_case(
    const ::testing::TestParamInfo<std::tuple<Way, TestMatrix, Grid3>>& parameter) {
  const auto& [way, matrix, local] = parameter.param;
  return name_of(way) + "_" + matrix.name + "_" + to_string(local);
}

INSTANTIATE_TEST_SUITE_P(All, HpcgMatricesOnGpus,
                         ::testing::Combine(::testing::ValuesIn(ways()),
                                            ::testing::ValuesIn(other_matrices()),
                                            ::testing::ValuesIn(grids())),
                         name_of_gpu_case);

class HpcgMatricesOnGrids : public OnGpus<std::tuple<Way, TestMatrix>> {};

TEST_P(HpcgMatricesOnGrids, AreSolvedAsByTheTextbookOnAsManyRanks) {
  const auto& [way, matrix] = GetParam();
  for (const Grid3& grid : process_grids(test_ranks().size())) {
    Case c = case_of(way, matrix, {9, 8, 10});
    c.problem.process_grid = grid;
    expect_textbook(c);
  }
}

std::string name_of_ranks_case(
    const ::testing::TestParamInfo<std::tuple<Way, TestMatrix>>& parameter) {
  const auto& [way, matrix] = parameter.param;
  return name_of(way) + "_" + matrix.name;
}

INSTANTIATE_TEST_SUITE_P(All, HpcgMatricesOnGrids,
                         ::testing::Combine(::testing::ValuesIn(ways()),
                                            ::testing::ValuesIn(other_matrices())),
                         name_of_ranks_case);

class HpcgProblemOnGpus : public OnGpus<std::tuple<Way>> {};

TEST_P(HpcgProblemOnGpus, IsTheBenchmarks) {
  for (const Grid3& grid : process_grids(test_ranks().size())) {
    Case c = case_of(std::get<Way>(GetParam()), {}, {16, 24, 40});
    c.problem.process_grid = grid;
    SCOPED_TRACE(describe(c));
    const auto system = system_of(c);
    EXPECT_EQ(system->wrong_rows(), 0);
    const auto backend = system->make_backend(c.problem.variant);
    EXPECT_EQ(wrong_products(*backend, site_of(*system, c.ranks)), 0);
  }
}

TEST_P(HpcgProblemOnGpus, IsNotTheBenchmarksWithOneValueAndOneColumnWrong) {
  Case c = case_of(std::get<Way>(GetParam()), {}, {16, 16, 16});
  const CpuExecutor executor(1);
  std::vector<HostCsr> matrices;
  for (const Level& level : make_levels(executor, c.problem, c.ranks.size(), c.ranks.rank())) {
    matrices.push_back(to_host(executor, level.matrix));
  }
  matrices.front().value[1] = -2.0;
  std::swap(matrices.back().column[0], matrices.back().column[1]);
  const auto system = make_system(c.problem, c.ranks, matrices);
  EXPECT_EQ(system->wrong_rows(), 2);
  const auto backend = system->make_backend(c.problem.variant);
  EXPECT_EQ(wrong_products(*backend, site_of(*system, c.ranks)), c.ranks.size());
}

std::string name_of_problem_case(const ::testing::TestParamInfo<std::tuple<Way>>& parameter) {
  return name_of(std::get<Way>(parameter.param));
}

INSTANTIATE_TEST_SUITE_P(All, HpcgProblemOnGpus, ::testing::Combine(::testing::ValuesIn(ways())),
                         name_of_problem_case);

}  // namespace
}  // namespace bankfull::hpcg
