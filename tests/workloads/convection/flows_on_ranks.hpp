#pragma once

#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "bankfull/workloads/convection/state.hpp"
#include "tests/mpi_main.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/implicit_cases.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

// Flows of several ranks beside those of one.
namespace bankfull::convection {

/// All that is known of a flow after some steps, as bits: -0 is not 0.
struct Found {
  std::vector<std::vector<std::uint64_t>> fields;
  std::vector<std::uint64_t> diagnosis;
  std::vector<std::uint64_t> clock;
  int cycles = 0;
};

inline std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  std::ranges::transform(values, std::back_inserter(bits),
                         [](double value) { return std::bit_cast<std::uint64_t>(value); });
  return bits;
}

inline Found found_in(Integrator& flow) {
  Found found;
  for (const std::vector<double>& field : flow.state().fields) {
    found.fields.push_back(bits_of(field));
  }
  PackedNumbers numbers;
  numbers.add(flow.diagnose());
  found.diagnosis = bits_of(numbers.values());
  const StepState clock = flow.progress();
  found.clock = bits_of({clock.time, clock.dt, clock.rates.advection, clock.rates.buoyancy,
                         clock.rates.exchange, clock.largest_courant, clock.largest_courant_at_end,
                         clock.min_margin});
  found.cycles = flow.pressure_outcome().cycles;
  return found;
}

/// After steps of the flow's own choice.
inline Found after_steps(const Problem& problem, int steps, const poisson::Sharing& sharing) {
  const Plan plan(problem, CeilingRule::none, {}, sharing);
  const std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->load(InitialFlow(plan.problem(), plan.grid()));
  flow->set_rule(step_rule(plan.problem(), plan.grid(), flow->diagnose()));
  for (int n = 0; n < steps; ++n) {
    flow->step();
  }
  return found_in(*flow);
}

inline void expect_same(const Found& found, const Found& expected) {
  ASSERT_EQ(found.fields.size(), expected.fields.size());
  for (std::size_t field = 0; field < expected.fields.size(); ++field) {
    EXPECT_TRUE(found.fields[field] == expected.fields[field]) << "field " << field;
  }
  EXPECT_EQ(found.diagnosis, expected.diagnosis);
  EXPECT_EQ(found.clock, expected.clock);
  EXPECT_EQ(found.cycles, expected.cycles);
}

/// The largest difference of two flows, relative to the largest value of all fields: some of them
/// have nothing but rounding. Some flows are at rest.
inline double largest_difference(const Found& found, const Found& expected) {
  double scale = 1e-2;
  double largest = 0.0;
  for (std::size_t field = 0; field < expected.fields.size(); ++field) {
    for (std::size_t n = 0; n < expected.fields[field].size(); ++n) {
      const auto value = std::bit_cast<double>(expected.fields[field][n]);
      const auto other = std::bit_cast<double>(found.fields[field][n]);
      scale = std::max(scale, std::abs(value));
      largest = std::max(largest, std::abs(other - value));
    }
  }
  return largest / scale;
}

/// Many ranks share few cores, so each number of ranks tests different cases.
inline bool is_for_this_many_ranks(const Case& one) {
  constexpr std::size_t shares = 4;
  const auto ranks = static_cast<std::size_t>(test_ranks().size());
  return ranks <= 3 || one.number % shares == ranks % shares;
}

inline std::vector<ProfileSample> samples_after_steps(const Problem& problem,
                                                      const poisson::Sharing& sharing) {
  const Plan plan(problem, CeilingRule::none, {}, sharing);
  const std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->load(InitialFlow(plan.problem(), plan.grid()));
  flow->set_rule(step_rule(plan.problem(), plan.grid(), flow->diagnose()));
  flow->step();
  flow->step();
  std::vector<ProfileSample> samples;
  for (const int axis : storage_axes) {
    samples.push_back(flow->sample(axis));
  }
  return samples;
}

/// Grids that ranks share with multigrid, too.
inline std::vector<Case> shared_cases() {
  constexpr std::array<std::array<std::int64_t, 3>, 4> sizes{
      {{6, 48, 64}, {48, 5, 40}, {64, 34, 6}, {26, 40, 30}}};
  std::vector<Case> all;
  for (std::size_t n = 0; n < 16; ++n) {
    const std::array<FlowEnds, 3> ends{all_flow_ends[n % 4], all_flow_ends[n / 4],
                                       all_flow_ends[(n + n / 4 + 1) % 4]};
    Problem problem = busy_problem(sizes[n % sizes.size()], ends, 1 + n % 2, n);
    problem.rotation = {0.7, -0.3, 1.1};
    problem.force[1] = uneven(0.3, 1.0);
    problem.scheme = n % 3 == 0 ? TimeScheme::runge_kutta : problem.scheme;
    if (n % 5 == 2) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!problem.axes[axis].periodic) {
          stretch(problem, axis, 1.8);
          break;
        }
      }
    }
    problem.time_step.fixed =
        std::min(0.01, 0.5 * longest_diffusive_step(problem, Grid(problem.axes)));
    problem.name =
        "Shared" + std::to_string(n) + name_of(ends[0]) + name_of(ends[1]) + name_of(ends[2]);
    all.push_back({problem.name, problem, n});
  }
  return all;
}

/// Layers between walls along one axis, which alone is implicit.
inline std::vector<Case> shared_implicit_cases() {
  std::vector<Case> all;
  for (std::size_t n = 0; n < 6; ++n) {
    const FlowEnds walls = all_flow_ends[1 + n % 3];
    Problem problem =
        busy_problem({40, 32, 20}, {FlowEnds::periodic, FlowEnds::periodic, walls}, 1 + n % 2, n);
    if (n % 2 == 0) {
      stretch(problem, 2, 1.8);
    }
    if (n > 2) {
      let_vary(problem);
    }
    problem.scheme = n % 3 == 1 ? TimeScheme::runge_kutta : problem.scheme;
    problem.name = "Layer" + std::to_string(n) + name_of(walls);
    all.push_back({problem.name, problem, n});
  }
  return with_implicit_diffusion(all);
}

}  // namespace bankfull::convection
