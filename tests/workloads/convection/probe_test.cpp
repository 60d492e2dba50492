#include "bankfull/workloads/convection/run_probes.hpp"
#include "tests/workloads/convection/kept_state.hpp"
#include "tests/workloads/convection/probe_points.hpp"
#include "tests/workloads/convection/profile_samples.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace bankfull::convection {
namespace {

class ProbeCase : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Cases, ProbeCase, testing::ValuesIn(all_cases()), case_name);

TEST_P(ProbeCase, ReadsWhatTheReferenceReads) {
  const std::vector<double> expected = readings_after_a_step(by_reference(GetParam().problem));
  Problem tuned = GetParam().problem;
  tuned.threads = 2;
  const auto expect_same = [&](const std::vector<double>& found, double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    const double size = largest_of(expected, 1.0);
    for (std::size_t n = 0; n < expected.size(); ++n) {
      ASSERT_NEAR(found[n], expected[n], tolerance * size) << "value " << n;
    }
  };
  expect_same(readings_after_a_step(tuned), 1e-11);
  tuned.precision = Precision::fp32;
  tuned.divergence = 1e-4;
  expect_same(readings_after_a_step(tuned), 2e-4);
}

/// Between walls, along an axis of which some cells are narrow.
Problem tank() {
  Problem problem;
  problem.axes[0] = {.lower = -1.0, .upper = 2.0, .cells = 5, .stretching = 1.4};
  problem.axes[1] = {.lower = 0.0, .upper = 1.0, .cells = 6, .periodic = true};
  problem.axes[2] = {.lower = 0.5, .upper = 1.5, .cells = 9, .stretching = 0.8};
  problem.scalars.emplace_back();
  problem.scalars[0].diffusivity = 0.1;
  problem.time_step.fixed = 1e-4;
  problem.steps = 1;
  return problem;
}

std::unique_ptr<Integrator> flow_in_tank(const Problem& problem) {
  std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  flow->load(initial_state(problem, Grid(problem.axes)));
  return flow;
}

/// A linear scalar is what it is at any point, up to the walls, which fix its value.
TEST(Probe, ReadsALinearScalarExactly) {
  Problem problem = tank();
  problem.scalars[0].initial = [](double x, double /*y*/, double z) { return 2.0 * x - 3.0 * z; };
  problem.scalars[0].walls[0] = {WallScalar::fixed(-2.0, {0.0, 0.0, -3.0}),
                                 WallScalar::fixed(4.0, {0.0, 0.0, -3.0})};
  problem.scalars[0].walls[2] = {WallScalar::fixed(-1.5, {2.0, 0.0, 0.0}),
                                 WallScalar::fixed(-4.5, {2.0, 0.0, 0.0})};
  const std::vector<Vector> points = points_of(problem);
  const std::vector<double> found = readings_of(*flow_in_tank(problem), points);
  for (std::size_t n = 0; n < points.size(); ++n) {
    EXPECT_NEAR(found[4 * n + 3], 2.0 * points[n][0] - 3.0 * points[n][2], 1e-13) << n;
  }
}

/// On a wall that moves the fluid moves with it, and through none does it go.
TEST(Probe, MeetsTheWalls) {
  Problem problem = tank();
  problem.viscosity = 0.1;
  problem.initial_velocity = {uneven(0.5, 0.1), uneven(0.4, 1.0), uneven(0.3, 2.0)};
  problem.walls[2][1].velocity = {0.4, -0.7, 0.0};
  problem.scalars[0].walls[2] = {WallScalar::fixed(301.0), WallScalar::fixed(300.0)};
  problem.scalars[0].initial = [](double /*x*/, double /*y*/, double z) { return 301.5 - z; };
  const std::unique_ptr<Integrator> flow = flow_in_tank(problem);
  const std::vector<double> on_wall = readings_of(*flow, {{0.3, 0.21, 1.5}});
  EXPECT_NEAR(on_wall[0], 0.4, 1e-14);
  EXPECT_NEAR(on_wall[1], -0.7, 1e-14);
  EXPECT_EQ(on_wall[2], 0.0);
  EXPECT_NEAR(on_wall[3], 300.0, 1e-12) << "though it is stored less a reference";
  EXPECT_NEAR(readings_of(*flow, {{0.3, 0.21, 0.5}})[3], 301.0, 1e-12);
  EXPECT_EQ(readings_of(*flow, {{2.0, 0.21, 0.9}})[0], 0.0);
}

/// Where a value lies it is read as it is: velocities on faces, the last one before the end the
/// first one again where the axis is periodic.
TEST(Probe, ReadsElementsWhereTheyLie) {
  Problem problem = tank();
  problem.initial_velocity = {uneven(0.5, 0.1), uneven(0.4, 1.0), uneven(0.3, 2.0)};
  problem.scalars[0].initial = uneven(1.0, 0.4);
  const std::unique_ptr<Integrator> flow = flow_in_tank(problem);
  const Grid& grid = flow->plan().grid();
  const FlowState state = flow->state();
  const Extents n = grid.extents();
  for (int field = 0; field < 4; ++field) {
    const Vector along_storage = grid.place(field, 2, 3, 1);
    const auto at = static_cast<std::size_t>((2 * n.nj + 3) * n.nk + 1);
    const double found = readings_of(
        *flow, {along_storage})[static_cast<std::size_t>(field < 3 ? grid.physical(field) : field)];
    EXPECT_NEAR(found, state.fields[static_cast<std::size_t>(field)][at], 1e-14) << field;
  }
  const std::vector<double> first = readings_of(*flow, {{0.2, 0.0, 0.7}});
  const std::vector<double> last = readings_of(*flow, {{0.2, 1.0, 0.7}});
  for (std::size_t field = 0; field < first.size(); ++field) {
    EXPECT_NEAR(first[field], last[field], 1e-14);
  }
}

TEST(Probe, CountsNothingThatLiesBeyondAnEdge) {
  const Grid grid(tank().axes);
  for (const Vector& point : points_of(tank())) {
    for (int field = 0; field < 4; ++field) {
      const Neighbourhood around = neighbourhood_of(grid, field, point);
      EXPECT_NEAR(std::accumulate(around.weights.begin(), around.weights.end(), 0.0), 1.0, 1e-15);
      std::vector<double> elements(8, 1.0);
      for (std::size_t n = 0; n < elements.size(); ++n) {
        const FieldElement& one = around.elements[n];
        EXPECT_GE(std::min({one.i, one.j, one.k}), -1);
        EXPECT_LE(one.i, grid.extents().ni);
        EXPECT_LE(one.j, grid.extents().nj);
        EXPECT_LE(one.k, grid.extents().nk);
        if (around.weights[n] == 0.0) {
          elements[n] = std::numeric_limits<double>::quiet_NaN();
        }
      }
      EXPECT_NEAR(interpolated(around, elements.data()), 1.0, 1e-15);
    }
  }
}

TEST(RunProbes, AreReadAtMultiplesOfStepsAndOfTime) {
  const Plan plan(tank());
  const std::vector<ProbeRequest> requests{
      {.name = "a", .points = {{0.0, 0.0, 1.0}}, .fields = {3}, .every = 4},
      {.name = "b", .points = {{0.0, 0.0, 1.0}}, .fields = {3}, .time = 0.25}};
  RunProbes probes(plan, requests);
  const std::unique_ptr<Integrator> flow = flow_in_tank(tank());
  probes.prepare(*flow);
  std::vector<std::vector<std::int64_t>> read(2);
  const auto note = [&](const ProbeReading& one) { read[one.probe].push_back(one.step); };
  probes.record_all(0, 0.0, *flow, note);
  EXPECT_EQ(probes.next_step(), 4);
  EXPECT_NEAR(probes.next_time(), 0.25, 1e-9);
  KeptState state;
  for (std::int64_t step = 1; step <= 12; ++step) {
    const double time = 0.1 * static_cast<double>(step);
    if (step == 7) {  // another process goes on
      probes.save(state);
      probes.begin(step, time);
      probes.restore(state);
    }
    if (probes.due(step, time)) {
      probes.record_due(step, time, *flow, note);
    }
  }
  EXPECT_EQ(read[0], (std::vector<std::int64_t>{0, 4, 8, 12}));
  EXPECT_EQ(read[1], (std::vector<std::int64_t>{0, 3, 5, 8, 10}));
}

TEST(RunProbes, OfARunThatHadNoneBeginWhereItGoesOn) {
  const std::vector<ProbeRequest> requests{
      {.name = "new", .points = {{0.0, 0.0, 1.0}}, .fields = {0}, .every = 5, .time = 2.0}};
  const Plan plan(tank());
  RunProbes probes(plan, requests);
  probes.begin(7, 3.1);
  probes.restore(KeptState());
  EXPECT_FALSE(probes.due(7, 3.1));
  EXPECT_EQ(probes.next_step(), 10);
  EXPECT_NEAR(probes.next_time(), 4.0, 1e-8);
}

}  // namespace
}  // namespace bankfull::convection
