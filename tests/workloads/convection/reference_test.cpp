#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/validation/field_norms.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/steps.hpp"
#include "tests/workloads/convection/symmetry.hpp"
#include "tests/workloads/convection/tendency.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <numbers>
#include <numeric>

namespace bankfull::convection {
namespace {

/// The cosine of the angle between velocity and its tendency: the work done, in units of its
/// largest possible value.
double work_of(const Tendency& found) {
  return velocity_product(found.grid, found.state, found.rate) /
         std::sqrt(velocity_product(found.grid, found.state, found.state) *
                   velocity_product(found.grid, found.rate, found.rate));
}

constexpr double rounding = 1e-13;

class ReferenceCase : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Cases, ReferenceCase, testing::ValuesIn(cases()), case_name);

TEST_P(ReferenceCase, IsFreeOfDivergenceAndWithinWalls) {
  const Case& one = GetParam();
  const std::unique_ptr<Integrator> flow = started(one.problem);
  advance_steps(*flow, one.problem.scheme, {0.01, 0.008});
  const Diagnosis found = flow->diagnose();
  ASSERT_TRUE(std::isfinite(found.kinetic_energy));
  EXPECT_LT(found.divergence, 1e-12);
  const Grid grid(one.problem.axes);
  const FlowState state = flow->state();
  const Extents n = grid.extents();
  for (const int field : storage_axes) {
    for (std::int64_t element = 0; element < n.count(); ++element) {
      const std::int64_t i = element / (n.nj * n.nk);
      if (lies_on_wall(grid, field, i, element / n.nk % n.nj, element % n.nk)) {
        EXPECT_EQ(state.fields[static_cast<std::size_t>(field)][static_cast<std::size_t>(element)],
                  0.0);
      }
    }
  }
}

/// An element of a flow's image, and the sign that it has there.
struct ImageElement {
  std::size_t component;
  std::array<std::int64_t, 3> index;
  double sign = 1.0;
};

/// Two steps of a problem and of its image: the largest difference between an element and its own
/// in the image, image_of(component, index).
template <class ImageOf>
double largest_difference_from(const Problem& problem, const Problem& image,
                               const ImageOf& image_of) {
  const std::unique_ptr<Integrator> flow = started(problem);
  const std::unique_ptr<Integrator> other = started(image);
  advance_steps(*flow, problem.scheme, {0.01, 0.008});
  advance_steps(*other, problem.scheme, {0.01, 0.008});
  const Grid grid(problem.axes);
  const Grid image_grid(image.axes);
  const FlowState state = flow->state();
  const FlowState image_state = other->state();
  const PhysicalView here(grid, state);
  const PhysicalView there(image_grid, image_state);
  const std::int64_t ny = problem.axes[1].cells;
  const std::int64_t nz = problem.axes[2].cells;
  double worst = 0.0;
  for (std::size_t component = 0; component < state.fields.size(); ++component) {
    for (std::int64_t element = 0; element < problem.cells(); ++element) {
      const std::array<std::int64_t, 3> index{element / (ny * nz), element / nz % ny, element % nz};
      const ImageElement at = image_of(component, index);
      worst = worse_of(worst,
                       std::abs(here(component, index) - at.sign * there(at.component, at.index)));
    }
  }
  return worst;
}

TEST_P(ReferenceCase, NoDirectionIsSpecial) {
  constexpr std::array<AxisOrder, 5> orders{AxisOrder{1, 2, 0}, AxisOrder{2, 0, 1},
                                            AxisOrder{0, 2, 1}, AxisOrder{2, 1, 0},
                                            AxisOrder{1, 0, 2}};
  const Case& one = GetParam();
  const AxisOrder& order = orders[(one.number + 1) % orders.size()];
  const auto renamed = [&](std::size_t component, const std::array<std::int64_t, 3>& index) {
    ImageElement at{component, {}};
    for (std::size_t a = 0; a < 3; ++a) {
      at.index[a] = index[order[a]];
      if (order[a] == component) {
        at.component = a;
      }
    }
    return at;
  };
  EXPECT_LT(largest_difference_from(reordered(one.problem, {0, 1, 2}),
                                    reordered(one.problem, order), renamed),
            1e-12);
}

TEST_P(ReferenceCase, TheMirrorShowsTheMirroredFlow) {
  const Case& one = GetParam();
  const std::size_t axis = (one.number + 1) % 3;
  const std::int64_t count = one.problem.axes[axis].cells;
  const auto seen = [&](std::size_t component, const std::array<std::int64_t, 3>& index) {
    const bool through = component == axis;
    ImageElement at{component, index, through ? -1.0 : 1.0};
    // Face n becomes face count - n, cell n becomes cell count - 1 - n.
    at.index[axis] = through ? (count - index[axis]) % count : count - 1 - index[axis];
    return at;
  };
  EXPECT_LT(
      largest_difference_from(reordered(one.problem, {0, 1, 2}), mirrored(one.problem, axis), seen),
      1e-12);
}

TEST_P(ReferenceCase, AdvectionAndRotationDoNoWork) {
  Case one = GetParam();
  Problem& problem = one.problem;
  problem.viscosity = 0.0;
  problem.scalars.clear();
  problem.force = {};
  problem.noise = 0.5;
  problem.rotation = {0.7, -0.3, 1.1};
  for (auto& walls : problem.walls) {
    for (WallMotion& wall : walls) {
      wall.velocity = {};
    }
  }
  if (problem.cells() < 10) {
    return;  // hardly anything moves
  }
  EXPECT_LT(std::abs(work_of(tendency_of(problem))), rounding);
}

TEST(Reference, ViscosityTakesEnergy) {
  Problem problem =
      busy_problem({6, 5, 7}, {FlowEnds::no_slip, FlowEnds::no_slip, FlowEnds::periodic}, 0, 0);
  problem.viscosity = 0.0;
  const double without = work_of(tendency_of(problem));
  problem.viscosity = 0.1;
  EXPECT_LT(work_of(tendency_of(problem)), without - 0.01);
}

TEST_P(ReferenceCase, AdvectionKeepsTheVarianceOfScalars) {
  Case one = GetParam();
  Problem& problem = one.problem;
  if (problem.scalars.empty()) {
    return;
  }
  for (Scalar& scalar : problem.scalars) {
    scalar.diffusivity = 1e-100;
    scalar.source = {};
    scalar.walls = {};
  }
  const Tendency found = tendency_of(problem);
  for (std::size_t field = 3; field < found.rate.fields.size(); ++field) {
    const auto& values = found.state.fields[field];
    const auto& rate = found.rate.fields[field];
    const double product = inner_product(found.grid, 3, values, rate);
    const double sizes = std::sqrt(inner_product(found.grid, 3, values, values) *
                                   inner_product(found.grid, 3, rate, rate));
    EXPECT_LE(std::abs(product), rounding * sizes + 1e-15);
  }
}

TEST_P(ReferenceCase, BuoyancyDoesTheWorkThatTheFlowCarries) {
  Problem with = GetParam().problem;
  Problem without = with;
  for (Scalar& scalar : without.scalars) {
    scalar.buoyancy = {};
  }
  const Tendency forced = tendency_of(with);
  const FlowState by_buoyancy = difference(forced.rate, tendency_of(without).rate);
  const double work =
      velocity_product(forced.grid, forced.state, by_buoyancy) / forced.grid.volume();
  const Diagnosis found = started(with)->diagnose();
  double carried = 0.0;
  for (std::size_t s = 0; s < with.scalars.size(); ++s) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      carried += with.scalars[s].buoyancy[axis] * found.scalars[s].transport[axis];
    }
  }
  EXPECT_NEAR(work, carried, 1e-14);
}

/// What flows in through the walls and from sources, for each volume.
double supply(const Problem& problem, const Grid& grid, std::size_t s, const Diagnosis& found) {
  double rate = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto& inflow = found.scalars[s].inflow[axis];
    rate += (inflow[0] + inflow[1]) / (problem.axes[axis].upper - problem.axes[axis].lower);
  }
  const std::vector<double> source = steady_sources(problem, grid)[3 + s];
  if (!source.empty()) {
    const std::vector<double> ones(source.size(), 1.0);
    rate += inner_product(grid, 3, source, ones) / grid.volume();
  }
  return rate;
}

TEST_P(ReferenceCase, EveryScalarIsConservedToItsBudget) {
  const Case& one = GetParam();
  const Problem& problem = one.problem;
  const Grid grid(problem.axes);
  const std::unique_ptr<Integrator> flow = started(problem);
  constexpr double dt = 0.01;
  for (int step = 0; step < 3; ++step) {
    const Diagnosis before = flow->diagnose();
    flow->advance({.gamma = dt});
    const Diagnosis after = flow->diagnose();
    for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
      const double gained = after.scalars[s].mean - before.scalars[s].mean;
      EXPECT_NEAR(gained, dt * supply(problem, grid, s, before), 1e-14);
    }
  }
}

TEST(Reference, FixedFluxesAreWhatFlowsIn) {
  for (const FlowEnds ends : all_flow_ends) {
    Problem problem = busy_problem({6, 5, 7}, {ends, FlowEnds::no_slip, ends}, 1, 0);
    Scalar& scalar = problem.scalars.front();
    scalar.walls = {};
    scalar.walls[1] = {WallScalar::heated(0.3), WallScalar::heated(-0.1)};
    const std::unique_ptr<Integrator> flow = started(problem);
    const double before = flow->diagnose().scalars.front().mean;
    advance_steps(*flow, problem.scheme, {0.01, 0.008, 0.012, 0.01});
    const Diagnosis found = flow->diagnose();
    const double width = problem.axes[1].upper - problem.axes[1].lower;
    EXPECT_NEAR(found.scalars.front().mean - before, 0.04 * 0.2 / width, 1e-14);
    EXPECT_NEAR(found.scalars.front().inflow[1][0], 0.3, 1e-14);
    EXPECT_NEAR(found.scalars.front().inflow[1][1], -0.1, 1e-14);
    EXPECT_NEAR(found.scalars.front().inflow[0][0], 0.0, 1e-14);
  }
}

TEST(Reference, StratifiedFluidStaysAtRest) {
  for (std::size_t n = 0; n < 27; ++n) {
    const std::array<FlowEnds, 3> ends{all_flow_ends[n % 3], all_flow_ends[n / 3 % 3],
                                       all_flow_ends[n / 9]};
    Problem problem = busy_problem(shapes()[n % shapes().size()], ends, 1, n);
    Scalar& scalar = problem.scalars.front();
    Vector slope{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      problem.initial_velocity[axis] = {};
      slope[axis] = problem.axes[axis].periodic ? 0.0 : 0.4 + 0.3 * static_cast<double>(axis);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if ((n % 3 == axis || n % 5 == 0) && !problem.axes[axis].periodic) {
        problem.axes[axis].stretching = 1.2;
      }
    }
    problem.noise = 0.0;
    scalar.buoyancy = slope;
    scalar.initial = [slope](double x, double y, double z) {
      return 0.2 + slope[0] * x + slope[1] * y + slope[2] * z;
    };
    for (auto& walls : scalar.walls) {
      walls.fill(WallScalar::fixed(0.2, slope));
    }
    const std::unique_ptr<Integrator> flow = started(problem);
    const FlowState before = flow->state();
    advance_steps(*flow, problem.scheme, {0.01, 0.01, 0.01});
    EXPECT_LT(flow->diagnose().fastest, 1e-14) << n;
    EXPECT_LT(largest_difference(flow->state().fields[3], before.fields[3]), 1e-13) << n;
  }
}

/// Taylor and Green's vortices in the plane of axes a and b, which satisfy the discrete equations
/// too: their decay is known to rounding.
Problem vortices(std::size_t a, std::size_t b, FlowEnds ends, std::int64_t cells) {
  Problem problem;
  problem.steps = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    problem.axes[axis].periodic = true;
    problem.axes[axis].cells = 1;
  }
  for (const std::size_t axis : {a, b}) {
    problem.axes[axis] = {.lower = 0.0, .upper = 2.0, .cells = cells};
    set_flow_ends(problem, axis, ends);
  }
  problem.viscosity = 0.05;
  const auto component = [a, b](std::size_t sine, std::size_t cosine, double sign) {
    return [sine, cosine, sign](double x, double y, double z) {
      const Vector place{x, y, z};
      return sign * std::sin(std::numbers::pi * place[sine]) *
             std::cos(std::numbers::pi * place[cosine]);
    };
  };
  problem.initial_velocity[a] = component(a, b, 1.0);
  problem.initial_velocity[b] = component(b, a, -1.0);
  return problem;
}

TEST(Reference, TaylorGreenVorticesDecayAtTheDiscreteRate) {
  constexpr std::int64_t cells = 12;
  constexpr double dt = 0.02;
  constexpr int steps = 10;
  constexpr double h = 2.0 / cells;
  const double wave = 2.0 / h * std::sin(0.5 * std::numbers::pi * h);
  for (const FlowEnds ends : {FlowEnds::periodic, FlowEnds::free_slip}) {
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t b = (a + 1) % 3;
      const Problem problem = vortices(a, b, ends, cells);
      const std::unique_ptr<Integrator> flow = started(problem);
      const FlowState before = flow->state();
      advance_steps(*flow, TimeScheme::runge_kutta, std::vector<double>(steps, dt));
      const double z = -dt * problem.viscosity * 2.0 * wave * wave;
      const double factor = std::pow(1.0 + z + z * z / 2.0 + z * z * z / 6.0, steps);
      const FlowState after = flow->state();
      for (std::size_t field = 0; field < 3; ++field) {
        for (std::size_t n = 0; n < before.fields[field].size(); ++n) {
          EXPECT_NEAR(after.fields[field][n], factor * before.fields[field][n], 1e-13);
        }
      }
    }
  }
}

/// Observed order of the error against steps half as long.
double order_of(double error, double error_of_half) { return std::log2(error / error_of_half); }

FlowState state_at_end(const Problem& problem, TimeScheme scheme,
                       const std::vector<double>& steps) {
  const std::unique_ptr<Integrator> flow = started(problem);
  advance_steps(*flow, scheme, steps);
  return flow->state();
}

/// `count` steps of unequal lengths over [0, end], each pattern of which is the same.
std::vector<double> unequal_steps(double end, std::size_t count) {
  constexpr std::array<double, 4> pattern{1.0, 1.4, 0.6, 1.0};
  std::vector<double> steps;
  for (std::size_t n = 0; n < count; ++n) {
    steps.push_back(end / static_cast<double>(count) * pattern[n % pattern.size()]);
  }
  return steps;
}

TEST(Reference, AdamsBashforthIsOfSecondOrderAndRungeKuttaOfThird) {
  Problem problem = busy_problem(
      {6, 5, 7}, {FlowEnds::mixed_moving, FlowEnds::no_slip, FlowEnds::periodic}, 2, 0);
  problem.axes[0].stretching = 1.0;
  problem.rotation = {0.7, -0.3, 1.1};
  problem.force = {uneven(0.3, 1.0), {}, uneven(0.2, 4.0)};
  constexpr double end = 0.4;
  const FlowState exact = state_at_end(problem, TimeScheme::runge_kutta, unequal_steps(end, 320));
  for (const TimeScheme scheme : {TimeScheme::adams_bashforth, TimeScheme::runge_kutta}) {
    const double expected = scheme == TimeScheme::adams_bashforth ? 2.0 : 3.0;
    const double coarse =
        relative_difference(state_at_end(problem, scheme, unequal_steps(end, 40)), exact);
    const double fine =
        relative_difference(state_at_end(problem, scheme, unequal_steps(end, 80)), exact);
    EXPECT_NEAR(order_of(coarse, fine), expected, 0.1) << to_string(scheme);
  }
}

TEST(Reference, FirstStepIsOfSecondOrder) {
  // One step errs by dt^3 where it is of second order.
  const Problem problem =
      busy_problem({6, 5, 7}, {FlowEnds::no_slip, FlowEnds::no_slip, FlowEnds::periodic}, 1, 0);
  const auto error = [&](double dt) {
    return relative_difference(
        state_at_end(problem, TimeScheme::adams_bashforth, {dt}),
        state_at_end(problem, TimeScheme::runge_kutta, std::vector<double>(32, dt / 32)));
  };
  EXPECT_NEAR(order_of(error(0.01), error(0.005)), 3.0, 0.1);
}

TEST(Reference, EnergyWithoutViscosityErrsByTheTimeSchemeAlone) {
  Problem problem =
      busy_problem({6, 5, 7}, {FlowEnds::no_slip, FlowEnds::free_slip, FlowEnds::periodic}, 0, 0);
  problem.viscosity = 0.0;
  const auto drift = [&](std::int64_t steps) {
    const std::unique_ptr<Integrator> flow = started(problem);
    const double before = flow->diagnose().kinetic_energy;
    advance_to(*flow, TimeScheme::runge_kutta, 0.4, steps);
    return std::abs(flow->diagnose().kinetic_energy / before - 1.0);
  };
  const double coarse = drift(20);
  EXPECT_LT(coarse, 1e-4);
  EXPECT_LT(drift(40), coarse / 7.0);
}

}  // namespace
}  // namespace bankfull::convection
