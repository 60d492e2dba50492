#include "bankfull/workloads/npb/cg/cg.hpp"
#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/ft/ft.hpp"
#include "bankfull/workloads/npb/is/is.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"
#include "tests/workloads/npb/verification.hpp"

namespace bankfull::npb {
namespace {

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

TEST(FtReference, ReproducesClassesSAndW) {
  expect_verified(*ft::make_reference(Class::s));
  expect_verified(*ft::make_reference(Class::w));
}

TEST(IsReference, ReproducesClassesSAndW) {
  expect_verified(*is::make_reference(Class::s));
  expect_verified(*is::make_reference(Class::w));
}

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
    const mg::Charges charges = mg::find_charges(Class::s, threads);
    EXPECT_EQ(charges.positive.front(), (mg::Point{7, 1, 20}));
    EXPECT_EQ(charges.positive.back(), (mg::Point{17, 26, 17}));
    EXPECT_EQ(charges.negative.front(), (mg::Point{0, 11, 2}));
    EXPECT_EQ(charges.negative.back(), (mg::Point{7, 14, 26}));
  }
}

TEST(CgMatrix, RowsInParallelEqualTheSumOfProducts) {
  for (const int threads : {1, 3}) {
    const cg::Matrix matrix = cg::assemble(Class::s, Team(threads));
    EXPECT_EQ(matrix.nonzeros(), cg_parameters(Class::s).nonzeros);
  }
}

}  // namespace
}  // namespace bankfull::npb
