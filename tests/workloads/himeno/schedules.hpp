#pragma once

#include "bankfull/workloads/himeno/problem.hpp"
#include "bankfull/workloads/himeno/sweep.hpp"
#include "tests/alone.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace bankfull::himeno {

/// One combination that must give the same bits as the serial reference schedule.
struct ScheduleCase {
  Schedule schedule;
  Precision precision;
  GridSize grid;
  int threads;
  int iterations;
};

// GoogleTest looks for this name.
inline void PrintTo(  // NOLINT(readability-identifier-naming)
    const ScheduleCase& c, std::ostream* out) {
  *out << to_string(c.schedule) << ' ' << to_string(c.precision) << ' ' << name_of(c.grid) << " x"
       << c.threads << " threads, " << c.iterations << " iterations";
}

struct Outcome {
  std::vector<double> pressure;
  double gosa = 0.0;
};

inline int iterations_per_pass(const ScheduleCase& c, Device device) {
  Problem problem;
  problem.grid = c.grid;
  problem.precision = c.precision;
  problem.device = device;
  problem.threads = c.threads;
  return make_solver(make_plan(problem, alone()), alone())->facts(c.schedule).iterations_per_pass;
}

/// Iterates in two calls, so that a schedule must leave a state from which it can continue.
inline Outcome outcome_of(const ScheduleCase& c, Schedule schedule, Device device, int threads,
                          const InitialState& state) {
  Problem problem;
  problem.grid = c.grid;
  problem.precision = c.precision;
  problem.device = device;
  problem.threads = threads;
  const auto solver = make_solver(make_plan(problem, alone()), alone());
  solver->load(state);
  if (c.iterations > 1) {
    solver->iterate(schedule, c.iterations / 2);
  }
  const Sweeps sweeps = solver->iterate(schedule, c.iterations - c.iterations / 2);
  return {.pressure = solver->pressure(), .gosa = sweeps.gosa};
}

/// Compares with the serial reference schedule on the CPU: the field bit for bit, boundary
/// included, and gosa, whose terms are the same but whose order of summation is not.
inline void expect_same_as_reference(const ScheduleCase& requested, Device device) {
  const InitialState random{.kind = InitialState::Kind::random, .seed = 7};
  // Each of the two calls of a fused case holds a whole pass.
  ScheduleCase c = requested;
  const int per_pass = iterations_per_pass(c, device);
  if (c.iterations > 1 && per_pass > 1) {
    c.iterations = std::max(c.iterations, 2 * per_pass + 1);
  }
  const Outcome expected = outcome_of(c, Schedule::reference, Device::cpu(), 1, random);
  const Outcome got = outcome_of(c, c.schedule, device, c.threads, random);
  ASSERT_EQ(got.pressure.size(), expected.pressure.size());
  std::size_t different = 0;
  for (std::size_t n = 0; n < expected.pressure.size(); ++n) {
    different += got.pressure[n] == expected.pressure[n] ? 0U : 1U;
  }
  EXPECT_EQ(different, 0U) << "cells differ, of " << expected.pressure.size();
  const double tolerance = c.precision == Precision::fp32 ? 1e-6 : 1e-12;
  EXPECT_NEAR(got.gosa, expected.gosa, tolerance * expected.gosa);
}

/// Parts of the field, across the boundary and within, are what the whole field has there.
inline void expect_parts_of_the_pressure(Device device) {
  Problem problem;
  problem.grid = {9, 14, 45};
  problem.device = device;
  const auto solver = make_solver(make_plan(problem, alone()), alone());
  solver->load({.kind = InitialState::Kind::random, .seed = 5});
  solver->iterate(Schedule::tuned, 3);
  const std::vector<double> whole = solver->pressure();
  for (const Box& part :
       {Box{-1, 8, -1, 13, -1, 44}, Box{3, 4, 0, 12, 0, 43}, Box{0, 7, 5, 6, 1, 40},
        Box{0, 7, 0, 12, 42, 43}, Box{6, 7, 11, 12, 42, 43}}) {
    std::vector<double> expected;
    for (std::int64_t i = part.i0; i < part.i1; ++i) {
      for (std::int64_t j = part.j0; j < part.j1; ++j) {
        for (std::int64_t k = part.k0; k < part.k1; ++k) {
          const std::int64_t cell = ((i + 1) * problem.grid.j + j + 1) * problem.grid.k + k + 1;
          expected.push_back(whole[static_cast<std::size_t>(cell)]);
        }
      }
    }
    EXPECT_EQ(solver->pressure_in(part), expected);
  }
}

/// Shapes that are small, odd, unequal, one cell thin, and wider than any tile.
inline std::vector<GridSize> awkward_grids() {
  return {{3, 3, 3},    {3, 4, 5},   {5, 3, 19},   {7, 5, 4},     {4, 33, 3},
          {33, 19, 67}, {6, 37, 35}, {19, 8, 259}, {9, 129, 131}, {70, 6, 10}};
}

}  // namespace bankfull::himeno
