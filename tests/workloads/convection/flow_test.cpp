#include "bankfull/workloads/convection/flow.hpp"

#include "bankfull/core/base/error.hpp"
#include "tests/workloads/convection/cases.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bankfull::convection {
namespace {

Problem noisy_problem() {
  Problem problem =
      busy_problem({7, 6, 5}, {FlowEnds::no_slip, FlowEnds::periodic, FlowEnds::free_slip}, 1, 0);
  problem.noise = 0.1;
  problem.initial_velocity[1] = [](double x, double y, double z) { return x + 2.0 * y * z; };
  return problem;
}

TEST(InitialFlow, IsTheSameForAnyNumberOfThreads) {
  Problem problem = noisy_problem();
  const Grid grid(problem.axes);
  const FlowState serial = initial_state(problem, grid);
  for (const int threads : {2, 3, 64}) {
    problem.host_threads = threads;
    EXPECT_EQ(initial_state(problem, grid).fields, serial.fields) << threads << " threads";
  }
}

TEST(InitialFlow, PartsAreThoseOfTheWhole) {
  Problem problem = noisy_problem();
  problem.host_threads = 2;
  const Grid grid(problem.axes);
  const FlowState whole = initial_state(problem, grid);
  const InitialFlow initial(problem, grid);
  const KeptFlow kept(whole, grid);
  const Extents n = grid.extents();
  for (const Box& part : {Box{1, 3, 0, n.nj, 0, n.nk}, Box{0, n.ni, 2, 3, 1, n.nk - 1},
                          Box{0, 1, 0, 1, n.nk - 1, n.nk}, Box{2, 2, 0, n.nj, 0, n.nk}}) {
    for (int field = 0; field < static_cast<int>(whole.fields.size()); ++field) {
      std::vector<double> formed(static_cast<std::size_t>(part.extents().count()), -1.0);
      std::vector<double> found = formed;
      initial.read(field, part, formed.data());
      kept.read(field, part, found.data());
      EXPECT_EQ(formed, found);
    }
  }
}

TEST(InitialFlow, NamesTheFirstPlaceThatIsNotFinite) {
  Problem problem = noisy_problem();
  problem.scalars[0].initial = [](double x, double /*y*/, double /*z*/) {
    return x > 0.5 ? std::sqrt(-1.0) : x;
  };
  const Grid grid(problem.axes);
  std::string serial;
  for (const int threads : {1, 4}) {
    problem.host_threads = threads;
    try {
      initial_state(problem, grid);
      ADD_FAILURE() << "taken with " << threads << " threads";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("the initial " + problem.scalars[0].name));
      EXPECT_THAT(error.what(), testing::HasSubstr("nan at ("));
      serial = serial.empty() ? error.what() : serial;
      EXPECT_EQ(error.what(), serial);
    }
  }
}

std::string refusal_of_formulas(const Problem& problem) {
  try {
    require_finite_formulas(problem, Grid(problem.axes));
    return "";
  } catch (const UsageError& error) {
    return error.setting() + ": " + error.what();
  }
}

/// Works for any size, as quickly as for a small one.
TEST(InitialFlow, FormulasAreLookedAtWithoutAFlow) {
  Problem problem = noisy_problem();
  problem.axes[0] = {.lower = 0.0, .upper = 1.0, .cells = 1 << 20};
  problem.axes[1] = {.lower = -1.0, .upper = 1.0, .cells = 1 << 20};
  EXPECT_EQ(refusal_of_formulas(problem), "");
  const auto singular_at = [](std::size_t axis, double end) {
    return [=](double x, double y, double z) {
      return 1.0 / (std::abs(std::array{x, y, z}[axis] - end) < 1e-5 ? 0.0 : 1.0);
    };
  };
  for (const double end : {0.0, 1.0}) {
    Problem broken = problem;
    broken.scalars[0].initial = singular_at(0, end);
    EXPECT_THAT(refusal_of_formulas(broken),
                testing::StartsWith("initial." + problem.scalars[0].name + ": the initial " +
                                    problem.scalars[0].name + " is inf at ("));
    broken = problem;
    broken.force[1] = singular_at(0, end);
    EXPECT_THAT(refusal_of_formulas(broken),
                testing::StartsWith("forcing.acceleration: the acceleration along y is inf at ("));
    broken = problem;
    broken.scalars[0].source = singular_at(0, end);
    EXPECT_THAT(refusal_of_formulas(broken), testing::HasSubstr("the source of "));
    broken = problem;
    broken.initial_velocity[2] = singular_at(1, 2.0 * end - 1.0);
    EXPECT_THAT(refusal_of_formulas(broken),
                testing::HasSubstr("the initial velocity along z is inf at ("));
  }
  // A velocity is zero on a wall that it would go through.
  problem.initial_velocity[0] = [](double x, double /*y*/, double /*z*/) { return 1.0 / x; };
  EXPECT_EQ(refusal_of_formulas(problem), "");
}

TEST(InitialFlow, HandsOnWhatAFormulaThrows) {
  Problem problem = noisy_problem();
  problem.host_threads = 3;
  problem.scalars[0].initial = [](double /*x*/, double /*y*/, double /*z*/) -> double {
    throw UsageError("no such value");
  };
  EXPECT_THROW(initial_state(problem, Grid(problem.axes)), UsageError);
}

}  // namespace
}  // namespace bankfull::convection
