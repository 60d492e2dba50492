#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/validation/field_norms.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/tendency.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <initializer_list>

namespace bankfull::convection {
namespace {

constexpr double to_rounding = 1e-12;

/// A sum of terms that is `expected`, to a part of the largest of them. In boxes one cell wide the
/// fluid may be unable to move: then all is rounding.
void expect_balance(double sum, double expected, std::initializer_list<double> terms) {
  double most = std::abs(expected);
  for (const double term : terms) {
    most = std::max(most, std::abs(term));
  }
  constexpr double of_fluid_at_rest = 1e-17;
  EXPECT_LE(std::abs(sum - expected), to_rounding * most + of_fluid_at_rest);
}

class BudgetCase : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Cases, BudgetCase, testing::ValuesIn(all_cases()), case_name);

/// d(u^2 / 2)/dt = u . G, G the projected tendency of a stage: pressure, advection and rotation do
/// no work.
TEST_P(BudgetCase, TheEnergyChangesByItsTerms) {
  const Tendency found = tendency_of(GetParam().problem);
  const Diagnosis terms = started(GetParam().problem)->diagnose();
  const double rate = velocity_product(found.grid, found.state, found.rate) / found.grid.volume();
  expect_balance(terms.energy_rate(), rate,
                 {terms.dissipation, terms.buoyancy_work, terms.wall_work, terms.force_work});
  EXPECT_GT(terms.dissipation, 0.0);
}

TEST_P(BudgetCase, TheVarianceOfScalarsChangesByItsTerms) {
  const Tendency found = tendency_of(GetParam().problem);
  const Diagnosis flow = started(GetParam().problem)->diagnose();
  for (std::size_t s = 0; s < flow.scalars.size(); ++s) {
    const Diagnosis::OfScalar& terms = flow.scalars[s];
    const double rate =
        inner_product(found.grid, 3, found.state.fields[3 + s], found.rate.fields[3 + s]) /
        found.grid.volume();
    expect_balance(terms.variance_rate(), rate,
                   {terms.dissipation, terms.wall_production, terms.source_production});
    EXPECT_GT(terms.dissipation, 0.0);
  }
}

/// The energy of the series is the form whose change the budget is, also where cells are stretched.
TEST_P(BudgetCase, TheEnergyIsTheSumOverTheFaces) {
  const std::unique_ptr<Integrator> flow = started(GetParam().problem);
  const Grid grid(GetParam().problem.axes);
  const FlowState state = flow->state();
  const Diagnosis found = flow->diagnose();
  const double energy = 0.5 * velocity_product(grid, state, state) / grid.volume();
  EXPECT_NEAR(found.kinetic_energy, energy, 1e-14 * energy);
  for (std::size_t s = 0; s < found.scalars.size(); ++s) {
    const std::vector<double>& values = state.fields[3 + s];
    const double square = inner_product(grid, 3, values, values) / grid.volume();
    EXPECT_NEAR(found.scalars[s].mean_square, square, 1e-14 * square);
  }
}

}  // namespace
}  // namespace bankfull::convection
