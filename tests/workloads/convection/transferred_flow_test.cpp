#include "bankfull/workloads/convection/transferred_flow.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/scalar_reference.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/kept_state.hpp"
#include "tests/workloads/convection/restarts.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

constexpr double half_turn = std::numbers::pi;

/// Smooth flows between walls of all kinds, which these meet at them.
Problem smooth_problem(std::array<std::int64_t, 3> cells, double stretching_y,
                       double stretching_z) {
  Problem problem;
  problem.axes[0] = {.lower = -1.0, .upper = 1.0, .cells = cells[0], .periodic = true};
  problem.axes[1] = {.lower = 2.0, .upper = 3.0, .cells = cells[1], .stretching = stretching_y};
  problem.axes[2] = {.lower = 0.0, .upper = 1.0, .cells = cells[2], .stretching = stretching_z};
  for (WallMotion& wall : problem.walls[1]) {
    wall.free_slip = true;
  }
  problem.walls[2][1].velocity = {0.5, 0.0, 0.0};
  const auto y_of = [](double y) { return half_turn * (y - 2.0); };
  problem.initial_velocity = {
      [y_of](double x, double y, double z) {
        return 0.5 * z + std::sin(half_turn * x) * std::cos(y_of(y)) * std::sin(half_turn * z);
      },
      [y_of](double x, double y, double z) {
        return std::cos(half_turn * x) * std::sin(y_of(y)) * std::sin(half_turn * z);
      },
      [y_of](double x, double y, double z) {
        return std::sin(half_turn * x) * std::cos(y_of(y)) * std::sin(2.0 * half_turn * z);
      }};
  Scalar& temperature = problem.scalars.emplace_back();
  temperature.walls[2] = {WallScalar::fixed(1.0), WallScalar::fixed(0.0)};
  temperature.initial = [y_of](double x, double y, double z) {
    return 1.0 - z + std::cos(half_turn * x) * std::cos(y_of(y)) * std::sin(half_turn * z);
  };
  Scalar& salt = problem.scalars.emplace_back();
  salt.name = "salt";
  salt.diffusivity = 0.5;
  // kappa dT/dn = 1.5 and -1, of 300 + 3 - 3 z + 2 z^2 / 2 + ...
  salt.walls[2] = {WallScalar::heated(1.5), WallScalar::heated(-0.5)};
  salt.initial = [](double x, double /*y*/, double z) {
    return 303.0 - 3.0 * z + z * z + std::cos(half_turn * x) * std::cos(half_turn * z);
  };
  problem.time_step.fixed = 1e-4;
  problem.steps = 4;
  problem.divergence = 1e-10;
  return problem;
}

/// What a run that is at its initial flow, not made free of divergence, would save.
KeptState state_of(const Problem& problem) {
  const Grid grid(problem.axes);
  const Problem stepped = stepped_problem(problem);
  const InitialFlow flow(problem, grid);
  KeptState state;
  save(StepClock{}, state);
  save_references(stepped, state);
  for (int field = 0; field < 3 + static_cast<int>(problem.scalars.size()); ++field) {
    const double reference =
        field < 3 ? 0.0 : stepped.scalars[static_cast<std::size_t>(field - 3)].reference;
    state.cells("flow/" + name_of_field(stepped, grid, field), grid.extents(), Precision::fp64,
                [&](const Box& part, double* values) {
                  flow.read(field, part, values);
                  std::transform(values, values + part.extents().count(), values,
                                 [&](double value) { return value - reference; });
                });
  }
  return state;
}

/// Error, root of the mean square, of a field that comes from another grid.
double transfer_error(const Problem& other, const Problem& problem, int physical_field) {
  const KeptState saved = state_of(other);
  const Grid grid(problem.axes);
  const int field = physical_field < 3 ? grid.storage(physical_field) : physical_field;
  const TransferredFlow flow(problem, grid, other, saved);
  const FlowState found = flow.whole(grid, 5);
  const FlowState expected = initial_state(problem, grid);
  double squares = 0.0;
  const auto number = static_cast<std::size_t>(field);
  for (std::size_t n = 0; n < found.fields[number].size(); ++n) {
    squares += std::pow(found.fields[number][n] - expected.fields[number][n], 2);
  }
  return std::sqrt(squares / static_cast<double>(found.fields[number].size()));
}

class TransferredField : public testing::TestWithParam<int> {};

/// Planes of the one grid are along y, those of the other along z.
TEST_P(TransferredField, IsOfSecondOrder) {
  const Problem target = smooth_problem({17, 19, 23}, 1.3, 0.0);
  const double coarse = transfer_error(smooth_problem({8, 7, 9}, 0.5, 1.5), target, GetParam());
  const double middle = transfer_error(smooth_problem({32, 28, 36}, 0.5, 1.5), target, GetParam());
  const double fine = transfer_error(smooth_problem({64, 56, 72}, 0.5, 1.5), target, GetParam());
  EXPECT_LT(coarse, 0.2);
  EXPECT_GT(fine, 1e-5);
  // 4 where places lie anywhere between the other grid's; at these few not all distances occur.
  EXPECT_GT(middle / fine, 3.4);
  EXPECT_LT(middle / fine, 5.2);
}

INSTANTIATE_TEST_SUITE_P(Fields, TransferredField, testing::Range(0, 5));

TEST(TransferredFlow, IsTheSameOnTheSameGrid) {
  for (const Case& one : small_cases_to_restart()) {
    KeptState saved;
    run_to(one.problem, 2, saved);
    const std::unique_ptr<Integrator> run = make_integrator(Plan(one.problem));
    run->restore(saved);
    Problem problem = one.problem;
    problem.noise = 0.0;
    const Grid grid(problem.axes);
    const int fields = 3 + static_cast<int>(problem.scalars.size());
    const TransferredFlow flow(problem, grid, one.problem, saved);
    EXPECT_EQ(flow.whole(grid, fields).fields, run->state().fields) << one.name;
  }
}

TEST(TransferredFlow, IsReadInParts) {
  const Problem other = smooth_problem({8, 7, 9}, 0.5, 1.5);
  Problem problem = smooth_problem({6, 5, 11}, 0.0, 0.7);
  problem.host_threads = 3;
  const KeptState saved = state_of(other);
  const Grid grid(problem.axes);
  const TransferredFlow flow(problem, grid, other, saved);
  const FlowState whole = flow.whole(grid, 5);
  const KeptFlow kept(whole, grid);
  const Box part{1, 4, 2, 3, 1, 5};
  std::vector<double> expected(static_cast<std::size_t>(part.extents().count()));
  std::vector<double> found = expected;
  for (int field = 0; field < 5; ++field) {
    kept.read(field, part, expected.data());
    flow.read(field, part, found.data());
    EXPECT_EQ(found, expected);
  }
}

TEST(TransferredFlow, ScalarsGoByNameAndOthersBeginAsTheProblemSays) {
  const Problem other = smooth_problem({8, 7, 9}, 0.0, 0.0);
  Problem problem = other;
  std::swap(problem.scalars[0], problem.scalars[1]);
  problem.scalars.push_back({.name = "dye"});
  problem.scalars[2].initial = [](double x, double y, double z) { return x + y * z; };
  const KeptState saved = state_of(other);
  const Grid grid(problem.axes);
  const FlowState found = TransferredFlow(problem, grid, other, saved).whole(grid, 6);
  const FlowState expected = initial_state(problem, grid);
  EXPECT_EQ(found.fields[4], expected.fields[4]) << "temperature";
  EXPECT_EQ(found.fields[5], expected.fields[5]) << "dye";
  for (std::size_t n = 0; n < found.fields[3].size(); ++n) {
    ASSERT_NEAR(found.fields[3][n], expected.fields[3][n], 1e-12) << "salt, less its reference";
  }
}

/// A plane of one cell, or a box that lies elsewhere.
TEST(TransferredFlow, GoesFromAPlaneIntoABox) {
  Problem other = smooth_problem({1, 6, 9}, 0.0, 0.0);
  Problem problem = smooth_problem({4, 6, 9}, 0.0, 0.0);
  problem.axes[2].lower += 5.0;
  problem.axes[2].upper += 5.0;
  const KeptState saved = state_of(other);
  const Grid grid(problem.axes);
  const Grid other_grid(other.axes);
  const TransferredFlow flow(problem, grid, other, saved);
  const FlowState before = initial_state(other, other_grid);
  const int field = grid.storage(2);
  const FlowState found = flow.whole(grid, 5);
  for_cells(box_of(grid.extents()), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const std::array<std::int64_t, 3> index{i, j, k};
    std::array<std::int64_t, 3> from{};
    for (int axis = 0; axis < 3; ++axis) {
      const auto at = static_cast<std::size_t>(other_grid.storage(grid.physical(axis)));
      from[at] = grid.physical(axis) == 0 ? 0 : index[static_cast<std::size_t>(axis)];
    }
    const Extents n = grid.extents();
    const Extents m = other_grid.extents();
    ASSERT_NEAR(
        found.fields[static_cast<std::size_t>(field)]
                    [static_cast<std::size_t>((i * n.nj + j) * n.nk + k)],
        before.fields[static_cast<std::size_t>(other_grid.storage(2))]
                     [static_cast<std::size_t>((from[0] * m.nj + from[1]) * m.nk + from[2])],
        1e-12);
  });
}

std::string refusal_of_box(const Problem& problem, const Problem& other) {
  const KeptState saved = state_of(other);
  const Grid grid(problem.axes);
  try {
    const TransferredFlow flow(problem, grid, other, saved);
  } catch (const UsageError& error) {
    EXPECT_EQ(error.setting(), "initial.from");
    return error.what();
  }
  return "";
}

TEST(TransferredFlow, BoxesThatDoNotFitAreRefused) {
  const Problem other = smooth_problem({4, 4, 4}, 0.0, 0.0);
  Problem problem = other;
  problem.axes[0].upper = 2.0;
  EXPECT_NE(refusal_of_box(problem, other).find("is 2 long along x, and this one 3"),
            std::string::npos);
  problem = other;
  problem.axes[1].periodic = true;
  EXPECT_NE(refusal_of_box(problem, other).find("has walls along y, and this one is periodic"),
            std::string::npos);
}

TEST(TransferredFlow, IsFreeOfDivergenceOnceLoaded) {
  const Problem other = smooth_problem({8, 7, 9}, 0.0, 1.0);
  const Problem problem = smooth_problem({16, 12, 10}, 0.0, 1.5);
  const KeptState saved = state_of(other);
  const Plan plan(problem);
  const std::unique_ptr<Integrator> run = make_integrator(plan);
  run->load(TransferredFlow(problem, plan.grid(), other, saved));
  const Diagnosis found = run->diagnose();
  EXPECT_LT(found.divergence, 1e-9);
  EXPECT_GT(found.fastest, 0.5);
}

}  // namespace
}  // namespace bankfull::convection
