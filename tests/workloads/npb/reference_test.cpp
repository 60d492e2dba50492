#include "bankfull/workloads/npb/cg/cg.hpp"
#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/ft/ft.hpp"
#include "bankfull/workloads/npb/is/is.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/npb/verification.hpp"
#include "tests/workloads/npb/whole_matrix.hpp"

#include <cmath>
#include <vector>

namespace bankfull::npb {
namespace {

/// Row after row, zeros included.
std::vector<double> sum_of_products(Class size) {
  const auto rows = static_cast<std::size_t>(cg_parameters(size).rows);
  const cg::SparseVectors x = cg::draw_vectors(size);
  std::vector<double> sum(rows * rows, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    const double weight = cg::vector_weight(size, static_cast<std::int64_t>(i));
    for (auto n = static_cast<std::size_t>(x.starts[i]);
         n < static_cast<std::size_t>(x.starts[i + 1]); ++n) {
      for (auto m = static_cast<std::size_t>(x.starts[i]);
           m < static_cast<std::size_t>(x.starts[i + 1]); ++m) {
        sum[static_cast<std::size_t>(x.indices[n]) * rows +
            static_cast<std::size_t>(x.indices[m])] += weight * x.values[n] * x.values[m];
      }
    }
    sum[i * rows + i] += cg::diagonal_shift(size);
  }
  return sum;
}

TEST(CgReference, ReproducesClassS) { expect_verified(*cg::make_reference(Class::s)); }

TEST(CgReference, IsIndependentOfRunsBefore) {
  const auto benchmark = cg::make_reference(Class::s);
  benchmark->warm_up();
  expect_verified(*benchmark);
  expect_verified(*benchmark);
}

TEST(EpReference, ReproducesClassS) {
  expect_passed(ep::checks_of(ep::tally_serially(Class::s), Class::s));
}

TEST(FtReference, ReproducesClassS) { expect_verified(*ft::make_reference(Class::s)); }

TEST(IsReference, ReproducesClassS) { expect_verified(*is::make_reference(Class::s)); }

TEST(IsReference, IsIndependentOfRunsBefore) {
  const auto benchmark = is::make_reference(Class::s);
  benchmark->warm_up();
  expect_verified(*benchmark);
  expect_verified(*benchmark);
}

TEST(MgReference, ReproducesClassS) {
  const auto benchmark = mg::make_reference(Class::s);
  benchmark->warm_up();
  expect_verified(*benchmark);
  expect_verified(*benchmark);
}

TEST(MgCharges, AreThoseOfNpbWhateverTheThreads) {
  for (const int threads : {1, 2, 3}) {
    const mg::Charges charges = mg::find_charges(Class::s, threads, alone());
    EXPECT_EQ(charges.positive.front(), (mg::Point{7, 1, 20}));
    EXPECT_EQ(charges.positive.back(), (mg::Point{17, 26, 17}));
    EXPECT_EQ(charges.negative.front(), (mg::Point{0, 11, 2}));
    EXPECT_EQ(charges.negative.back(), (mg::Point{7, 14, 26}));
  }
}

TEST(CgMatrix, RowsInParallelEqualTheSumOfProducts) {
  constexpr double rounding = 1e-13;
  const std::vector<double> sum = sum_of_products(Class::s);
  for (const int threads : {1, 3}) {
    const cg::Matrix matrix = whole_matrix(Class::s, threads);
    EXPECT_EQ(matrix.nonzeros(), cg_parameters(Class::s).nonzeros);
    std::vector<double> difference = sum;
    for (std::size_t row = 0; row + 1 < matrix.starts.size(); ++row) {
      for (auto n = static_cast<std::size_t>(matrix.starts[row]);
           n < static_cast<std::size_t>(matrix.starts[row + 1]); ++n) {
        difference[row * static_cast<std::size_t>(matrix.rows()) +
                   static_cast<std::size_t>(matrix.columns[n])] -= matrix.values[n];
      }
    }
    for (const double element : difference) {
      ASSERT_LE(std::abs(element), rounding);
    }
  }
}

}  // namespace
}  // namespace bankfull::npb
