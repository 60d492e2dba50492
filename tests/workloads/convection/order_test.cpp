#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "bankfull/workloads/convection/validation/field_norms.hpp"
#include "bankfull/workloads/convection/validation/manufactured.hpp"
#include "tests/workloads/convection/steps.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

struct OrderCase {
  std::string name;
  ManufacturedEnds ends;
  std::vector<std::size_t> stretched;  ///< axes
};

void PrintTo(const OrderCase& one, std::ostream* out) { *out << one.name; }

/// Errors of velocity and of the scalar, root mean square, on a grid of `cells` along the axes but
/// y, which has one where it is periodic.
std::array<double, 2> errors(const OrderCase& one, std::int64_t cells) {
  std::array<AxisCells, 3> axes;
  axes[0] = {.lower = -0.3, .upper = 0.9, .cells = cells};
  axes[1] = {.lower = 0.0, .upper = 0.8, .cells = 1};
  axes[2] = {.lower = -0.5, .upper = 0.5, .cells = cells};
  for (const std::size_t axis : one.stretched) {
    axes[axis].stretching = 1.0;
  }
  const ManufacturedFlow known = manufactured_flow(axes, one.ends);
  Problem problem = known.problem;
  problem.steps = 1;  // its end does not matter here
  const Grid grid(problem.axes);
  const std::unique_ptr<Integrator> flow = make_reference_integrator(Plan(problem));
  const FlowState exact = initial_state(problem, grid);
  flow->load(exact);
  constexpr double end = 0.2;
  const double dt = 0.9 * longest_diffusive_step(problem, grid);
  advance_to(*flow, TimeScheme::adams_bashforth, end,
             static_cast<std::int64_t>(std::ceil(end / std::min(dt, 0.01))));
  const FlowState found = flow->state();
  return {velocity_distance(grid, found, exact), scalar_distance(grid, found, exact)};
}

class Order : public testing::TestWithParam<OrderCase> {};

TEST_P(Order, IsTwoInSpace) {
  const std::array<double, 2> coarse = errors(GetParam(), 20);
  const std::array<double, 2> fine = errors(GetParam(), 40);
  for (const std::size_t kind : {std::size_t{0}, std::size_t{1}}) {
    EXPECT_NEAR(std::log2(coarse[kind] / fine[kind]), 2.0, 0.05) << (kind == 0 ? "u" : "T");
  }
}

using F = EndsOfFlow;
using S = EndsOfScalar;

INSTANTIATE_TEST_SUITE_P(
    Ends, Order,
    testing::Values(
        OrderCase{
            "Periodic",
            {{F::periodic, F::periodic, F::periodic}, {S::periodic, S::periodic, S::periodic}}},
        OrderCase{"NoSlipFixed",
                  {{F::no_slip, F::periodic, F::no_slip}, {S::fixed, S::periodic, S::fixed}}},
        OrderCase{"FreeSlipInsulating",
                  {{F::free_slip, F::periodic, F::free_slip},
                   {S::insulating, S::periodic, S::insulating}}},
        OrderCase{"MovingFlux",
                  {{F::periodic, F::periodic, F::moving}, {S::periodic, S::periodic, S::flux}}},
        OrderCase{"MixedProfile",
                  {{F::no_slip, F::periodic, F::no_slip_below_free_slip},
                   {S::profile, S::periodic, S::fixed}}},
        OrderCase{"MixedHalfInsulating",
                  {{F::free_slip, F::periodic, F::no_slip_below_free_slip},
                   {S::insulating, S::periodic, S::fixed_below_insulating}}},
        OrderCase{"StretchedNoSlip",
                  {{F::no_slip, F::periodic, F::no_slip}, {S::insulating, S::periodic, S::fixed}},
                  {2}},
        OrderCase{"StretchedFreeSlip",
                  {{F::free_slip, F::periodic, F::no_slip}, {S::flux, S::periodic, S::insulating}},
                  {0}},
        OrderCase{"StretchedBothNoSlip",
                  {{F::no_slip, F::periodic, F::no_slip}, {S::fixed, S::periodic, S::flux}},
                  {0, 2}},
        OrderCase{"StretchedBothMoving",
                  {{F::free_slip, F::periodic, F::moving}, {S::insulating, S::periodic, S::fixed}},
                  {0, 2}}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace bankfull::convection
