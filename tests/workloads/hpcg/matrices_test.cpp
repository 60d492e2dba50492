#include "bankfull/workloads/hpcg/cpu/slices.hpp"
#include "bankfull/workloads/hpcg/cuda/variants/ell.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/hpcg/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// Backends on the CPU, and the layouts that backends on a GPU keep, with matrices in which no two
// entries are alike.
namespace bankfull::hpcg {
namespace {

using MatrixCase = std::tuple<CpuVariant, TestMatrix, Grid3>;

class CpuOnMatrices : public ::testing::TestWithParam<MatrixCase> {
 protected:
  CpuOnMatrices() {
    const auto& [kind, matrix, local] = GetParam();
    case_.problem.columns = kind.columns;
    case_.matrix = matrix;
    system_ = system_of(case_);
    backend_ = system_->make_backend(kind.variant);
    expected_ = kind.variant == Variant::reference
                    ? textbook_of(case_)
                    : coloured_textbook_of(case_, cpu::slice_height, Boundary::among);
  }

  Case case_{small_problem(std::get<2>(GetParam()), 2), alone()};
  std::unique_ptr<System> system_;
  std::unique_ptr<CgBackend> backend_;
  textbook::System expected_{{2, 2, 2}, {1, 1, 1}};
};

TEST_P(CpuOnMatrices, DoTheOperationsOfTheTextbook) {
  expect_operations(case_, *backend_, expected_, 1e-13);
}

TEST_P(CpuOnMatrices, HaveTheResidualsOfTheTextbook) {
  expect_same_residuals(history_of(*backend_), history_of(case_, expected_));
  expect_same_solution(case_, *backend_, expected_);
}

TEST_P(CpuOnMatrices, ExaggerateTheDiagonalThatIsStored) {
  expect_exaggerates(case_, *backend_, expected_, 1e-13);
}

std::string matrix_case_name(const ::testing::TestParamInfo<MatrixCase>& parameter) {
  const auto& [kind, matrix, local] = parameter.param;
  return kind.name + "_" + matrix.name + "_" + to_string(local);
}

INSTANTIATE_TEST_SUITE_P(All, CpuOnMatrices,
                         ::testing::Combine(::testing::ValuesIn(cpu_variants()),
                                            ::testing::ValuesIn(other_matrices()),
                                            ::testing::ValuesIn(awkward_grids())),
                         matrix_case_name);

/// The matrix and the threads.
using ThreadsCase = std::tuple<TestMatrix, int>;

class ReferenceOnThreads : public ::testing::TestWithParam<ThreadsCase> {
 protected:
  /// Results of cycles of which each begins with what the one before it left: of each level's first
  /// sweeps one is done by one thread, and others by all.
  static std::vector<std::vector<double>> cycles_of(const Grid3& local, int threads) {
    const Case c{small_problem(local, threads), alone(), std::get<0>(GetParam())};
    const auto system = system_of(c);
    const auto backend = system->make_backend(Variant::reference);
    std::vector<std::vector<double>> results{random_rows(textbook_of(c), 9)};
    for (int n = 0; n < 3; ++n) {
      results.push_back(backend->apply(Operation::mg, results.back()));
    }
    return results;
  }
};

TEST_P(ReferenceOnThreads, HasTheBitsOfOneThread) {
  for (const Grid3& local : {Grid3{24, 16, 8}, Grid3{9, 12, 17}}) {
    EXPECT_EQ(cycles_of(local, std::get<1>(GetParam())), cycles_of(local, 1)) << to_string(local);
  }
}

std::string threads_case_name(const ::testing::TestParamInfo<ThreadsCase>& parameter) {
  const auto& [matrix, threads] = parameter.param;
  return matrix.name + "_" + std::to_string(threads);
}

INSTANTIATE_TEST_SUITE_P(All, ReferenceOnThreads,
                         ::testing::Combine(::testing::ValuesIn(all_matrices()),
                                            ::testing::Values(2, 7, 16)),
                         threads_case_name);

/// A perturbation scales what was given, whatever its pattern, and leaves no trace.
TEST_P(CpuOnMatrices, ArePerturbedAsTheyWereGiven) {
  const std::vector<double> x = random_rows(expected_, 5);
  const auto product = [&] {
    backend_ = system_->make_backend(std::get<0>(GetParam()).variant);
    const std::vector<double> found = backend_->apply(Operation::spmv, x);
    backend_.reset();
    return found;
  };
  const std::vector<double> before = product();
  system_->perturb(1.0);
  const std::vector<double> doubled = product();
  system_->perturb(0.0);
  EXPECT_EQ(product(), before);
  ASSERT_EQ(doubled.size(), before.size());
  for (std::size_t n = 0; n < before.size(); ++n) {
    EXPECT_EQ(doubled[n], 2.0 * before[n]) << "row " << n;
  }
}

/// The property on which the comparison relies: distinct values.
class TestMatrices : public ::testing::TestWithParam<TestMatrix> {};

TEST_P(TestMatrices, AreSymmetricDominatedByTheDiagonalAndNeverRepeatAValueInARow) {
  const textbook::System system({9, 8, 10}, {2, 1, 1}, GetParam().of_level);
  for (std::size_t n = 0; n < level_count; ++n) {
    const textbook::Matrix& matrix = system.level(n).entries;
    std::map<std::pair<std::size_t, std::size_t>, double> values;
    for (std::size_t row = 0; row < matrix.size(); ++row) {
      ASSERT_LE(matrix[row].size(), static_cast<std::size_t>(max_entries));
      std::set<double> seen;
      double others = 0.0;
      double diagonal = 0.0;
      for (const textbook::Entry& entry : matrix[row]) {
        values[{row, entry.column}] = entry.value;
        EXPECT_TRUE(seen.insert(entry.value).second);
        (entry.column == row ? diagonal : others) += std::fabs(entry.value);
      }
      EXPECT_GT(diagonal, others);
    }
    for (const auto& [place, value] : values) {
      EXPECT_EQ((values.at({place.second, place.first})), value);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, TestMatrices, ::testing::ValuesIn(other_matrices()),
                         [](const auto& parameter) { return parameter.param.name; });

/// The orders and formats of the paper's versions, which are built by the same code on a GPU.
class PermutedMatrices : public ::testing::TestWithParam<TestMatrix> {
 protected:
  using Row = std::map<std::int32_t, double>;

  static CpuExecutor executor() { return CpuExecutor(2); }

  Csr matrix_ =
      load_csr(executor(), matrices_of({small_problem({9, 12, 17}), alone(), GetParam()}).front());

  /// Every seventh row, then what follows these, and so on.
  [[nodiscard]] PermutedLevel scattered_order() const {
    PermutedLevel order{.rows = matrix_.rows, .columns = matrix_.columns};
    order.new_of = executor().make<std::int32_t>(order.rows);
    order.old_of = executor().make<std::int32_t>(order.rows);
    std::int32_t place = 0;
    for (std::int32_t first = 0; first < 7; ++first) {
      for (std::int32_t row = first; row < order.rows; row += 7) {
        order.old_of.data()[place] = row;
        order.new_of.data()[row] = place++;
      }
    }
    return order;
  }

  /// A row of the natural order with its columns in another one.
  [[nodiscard]] Row expected_row(std::int64_t row, const PermutedLevel& order) const {
    const CsrView view = matrix_.view();
    Row entries;
    for (std::int64_t n = view.start[row]; n < view.start[row + 1]; ++n) {
      entries[order.new_of.data()[view.column[n]]] = view.value[n];
    }
    return entries;
  }
};

TEST_P(PermutedMatrices, HaveTheSameEntriesAsCsr) {
  const PermutedLevel order = scattered_order();
  const Csr permuted = permuted_csr(executor(), matrix_, order, Columns::all);
  const CsrView view = permuted.view();
  ASSERT_EQ(permuted.entries, matrix_.entries);
  for (std::int64_t row = 0; row < matrix_.rows; ++row) {
    Row entries;
    for (std::int64_t n = view.start[row]; n < view.start[row + 1]; ++n) {
      entries[view.column[n]] = view.value[n];
    }
    EXPECT_EQ(entries, expected_row(order.old_of.data()[row], order));
  }
}

TEST_P(PermutedMatrices, HaveTheSameEntriesAsEllpack) {
  const PermutedLevel order = scattered_order();
  std::vector<std::int32_t> some{5, 6, 40, 1000};
  const Ell all = make_ell(executor(), matrix_, order, matrix_.rows, {});
  const Ell listed = make_ell(executor(), matrix_, order, 4, {some.data()});
  const auto expect_row = [&](const Ell& ell, std::int64_t at, std::int64_t row) {
    Row entries;
    for (int slot = 0; slot < max_entries; ++slot) {
      const std::int32_t column = ell.column.data()[ell.view().at(slot, at)];
      if (column != no_column) {
        entries[column] = ell.value.data()[ell.view().at(slot, at)];
      }
    }
    EXPECT_EQ(entries, expected_row(order.old_of.data()[row], order));
  };
  for (std::int64_t row = 0; row < matrix_.rows; ++row) {
    expect_row(all, row, row);
  }
  for (std::size_t n = 0; n < some.size(); ++n) {
    expect_row(listed, static_cast<std::int64_t>(n), some[n]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PermutedMatrices, ::testing::ValuesIn(other_matrices()),
                         [](const auto& parameter) { return parameter.param.name; });

}  // namespace
}  // namespace bankfull::hpcg
