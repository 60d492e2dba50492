#pragma once

#include "bankfull/workloads/himeno/schedule_benchmark.hpp"
#include "tests/workloads/himeno/schedules.hpp"

#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

namespace bankfull::himeno {

/// A run with a given number of iterations, whose gosa must depend on nothing else.
struct ExactCase {
  Schedule schedule;
  std::int64_t iterations;
  int warmup;
  int repeats;
};

// GoogleTest looks for this name.
inline void PrintTo(  // NOLINT(readability-identifier-naming)
    const ExactCase& c, std::ostream* out) {
  *out << to_string(c.schedule) << ", " << c.iterations << " iterations, warm-up " << c.warmup
       << ", " << c.repeats << " repeats";
}

/// One iteration; fewer than a fused pass has, or one pass and some; more passes than a graph has.
inline std::vector<ExactCase> exact_cases(const std::vector<Schedule>& schedules) {
  std::vector<ExactCase> cases;
  for (const Schedule schedule : schedules) {
    for (const std::int64_t iterations : {1, 3, 4, 67}) {
      for (const int warmup : {0, 2}) {
        for (const int repeats : {1, 3}) {
          cases.push_back({schedule, iterations, warmup, repeats});
        }
      }
    }
  }
  return cases;
}

/// gosa of the serial reference after so many iterations from the official state.
inline double reference_gosa(const GridSize& grid, std::int64_t iterations) {
  Problem problem;
  problem.grid = grid;
  problem.precision = Precision::fp64;
  const auto solver = make_solver(make_plan(problem, alone()), alone());
  solver->load({});
  return solver->iterate(Schedule::reference, iterations).gosa;
}

/// A figure of a benchmark.
template <class T>
T figure_of(const Benchmark& benchmark, const std::string& name) {
  for (const Figure& figure : benchmark.figures()) {
    if (figure.name == name) {
      return std::get<T>(figure.value);
    }
  }
  ADD_FAILURE() << benchmark.name() << " has no " << name;
  return T{};
}

inline void expect_exact_gosa(const ExactCase& c, Problem problem, const Communicator& ranks) {
  problem.grid = {23, 19, 37};
  problem.precision = Precision::fp64;
  problem.schedules = {c.schedule};
  problem.iterations = c.iterations;
  problem.warmup = c.warmup;
  problem.repeats = c.repeats;
  const auto solver = make_solver(make_plan(problem, ranks), ranks);
  ScheduleBenchmark benchmark(*solver, problem, c.schedule);
  benchmark.rewind();
  benchmark.warm_up();
  for (int n = 0; n < c.repeats; ++n) {
    benchmark.rewind();
    benchmark.run();
  }
  const double expected = reference_gosa(problem.grid, c.iterations);
  EXPECT_NEAR(figure_of<double>(benchmark, "gosa"), expected, 1e-12 * expected);
  EXPECT_EQ(figure_of<std::int64_t>(benchmark, "gosa_iteration"), c.iterations);
}

}  // namespace bankfull::himeno
