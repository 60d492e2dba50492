#include "bankfull/workloads/convection/integrator.hpp"
#include "tests/workloads/convection/agreement.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/implicit_cases.hpp"
#include "tests/workloads/convection/probe_points.hpp"
#include "tests/workloads/convection/profile_samples.hpp"
#include "tests/workloads/convection/spectra_of_cases.hpp"
#include "tests/workloads/convection/steps.hpp"
#include "tests/workloads/convection/warmer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace bankfull::convection {
namespace {

Problem on_gpu(const Case& one, PressureSolver solver) {
  Problem problem = one.problem;
  problem.device = Device::cuda(0);
  problem.solver = solver;
  return problem;
}

constexpr double to_rounding = 1e-12;
constexpr double to_single_rounding = 3e-5;

Problem in_single_precision(const Case& one) {
  Problem problem = on_gpu(one, PressureSolver::automatic);
  problem.precision = Precision::fp32;
  problem.divergence = 1e-4;
  return problem;
}

/// By every solver and in both precisions in one test: the reference takes its time.
void expect_agreement_on_gpu(const Case& one) {
  for (const PressureSolver solver : {PressureSolver::automatic, PressureSolver::multigrid}) {
    expect_agreement(one, on_gpu(one, solver), to_rounding);
  }
  expect_agreement(one, in_single_precision(one), to_single_rounding);
}

void expect_same_variation_on_gpu(const Case& one) {
  expect_same_variation(on_gpu(one, PressureSolver::automatic), to_rounding);
  expect_same_variation(in_single_precision(one), to_single_rounding);
}

class CudaIntegrator : public testing::TestWithParam<Case> {};

TEST_P(CudaIntegrator, AgreesWithTheReference) { expect_agreement_on_gpu(GetParam()); }

TEST_P(CudaIntegrator, ChoosesTheStepsOfTheReference) {
  expect_same_steps(on_gpu(GetParam(), PressureSolver::automatic), to_rounding);
}

TEST_P(CudaIntegrator, HasTheProfilesOfTheReference) {
  const std::vector<ProfileSample> expected = samples_of(by_reference(GetParam().problem));
  const Problem problem = on_gpu(GetParam(), PressureSolver::automatic);
  const std::vector<ProfileSample> found = samples_of(problem);
  expect_same_samples(found, expected, 1e-11);
  expect_same_samples(samples_of(in_single_precision(GetParam())), expected, 1e-4);
  const std::vector<ProfileSample> again = samples_of(problem);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(again[axis].means, found[axis].means) << "other bits in another run";
  }
}

TEST_P(CudaIntegrator, HasTheProbesOfTheReference) {
  const std::vector<double> expected = readings_after_a_step(by_reference(GetParam().problem));
  const auto expect_same = [&](const std::vector<double>& found, double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t n = 0; n < expected.size(); ++n) {
      ASSERT_NEAR(found[n], expected[n], tolerance * largest_of(expected, 1.0)) << "value " << n;
    }
  };
  expect_same(readings_after_a_step(on_gpu(GetParam(), PressureSolver::automatic)), 1e-11);
  expect_same(readings_after_a_step(in_single_precision(GetParam())), 2e-4);
}

TEST_P(CudaIntegrator, HasTheSpectraOfTheReference) {
  const std::vector<std::vector<double>> expected =
      spectra_after_a_step(by_reference(GetParam().problem));
  const std::vector<std::vector<double>> found =
      spectra_after_a_step(on_gpu(GetParam(), PressureSolver::automatic));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t n = 0; n < found.size(); ++n) {
    for (std::size_t k = 0; k < found[n].size(); ++k) {
      ASSERT_NEAR(found[n][k], expected[n][k], 1e-11 * largest_of(expected[n], 0.05))
          << "spectrum " << n << " at " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, CudaIntegrator, testing::ValuesIn(all_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Bounded, CudaIntegrator, testing::ValuesIn(bounded_cases(all_cases())),
                         case_name);

class CudaIntegratorStretchedStrongly : public testing::TestWithParam<Case> {};

TEST_P(CudaIntegratorStretchedStrongly, AgreesWithTheReference) {
  expect_agreement(GetParam(), on_gpu(GetParam(), PressureSolver::direct),
                   rounding_of_strong_stretching);
}

INSTANTIATE_TEST_SUITE_P(Cases, CudaIntegratorStretchedStrongly,
                         testing::ValuesIn(strongly_stretched_cases(all_cases())), case_name);

class CudaIntegratorVarying : public testing::TestWithParam<Case> {};

TEST_P(CudaIntegratorVarying, AgreesWithTheReference) { expect_same_variation_on_gpu(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Cases, CudaIntegratorVarying, testing::ValuesIn(varying_cases()),
                         case_name);

class CudaIntegratorSchedule : public testing::TestWithParam<Case> {};

TEST_P(CudaIntegratorSchedule, TheSameBitsEveryTime) {
  for (const PressureSolver solver : {PressureSolver::automatic, PressureSolver::multigrid}) {
    const Reached once = reached(on_gpu(GetParam(), solver), 4);
    const Reached again = reached(on_gpu(GetParam(), solver), 4);
    EXPECT_EQ(again.state.fields, once.state.fields);
    EXPECT_EQ(again.diagnosis.kinetic_energy, once.diagnosis.kinetic_energy);
    EXPECT_EQ(again.diagnosis.scalars.front().corrected_variance,
              once.diagnosis.scalars.front().corrected_variance);
  }
}

TEST_P(CudaIntegratorSchedule, TimedStagesAreTheSameStages) {
  const Problem problem = on_gpu(GetParam(), PressureSolver::automatic);
  const FlowState start = initial_state(problem, Grid(problem.axes));
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  const std::unique_ptr<Integrator> timed = make_integrator(Plan(problem));
  flow->load(start);
  timed->load(start);
  for (int n = 0; n < 3; ++n) {
    const Stage stage{.gamma = problem.time_step.fixed, .zeta = n * 1e-4};
    flow->advance(stage);
    const StageSeconds seconds = timed->advance_timed(stage);
    EXPECT_GT(seconds[static_cast<std::size_t>(StagePart::advance)], 0.0);
  }
  EXPECT_EQ(timed->state().fields, flow->state().fields);
}

TEST_P(CudaIntegratorSchedule, LoadingForgetsWhatWasBefore) {
  const Problem problem = on_gpu(GetParam(), PressureSolver::automatic);
  const FlowState start = initial_state(problem, Grid(problem.axes));
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  const double dt = problem.time_step.fixed;
  flow->load(start);
  advance_steps(*flow, problem.scheme, {dt, dt});
  const FlowState once = flow->state();
  flow->load(start);
  advance_steps(*flow, problem.scheme, {dt, dt});
  EXPECT_EQ(flow->state().fields, once.fields);
}

INSTANTIATE_TEST_SUITE_P(Cases, CudaIntegratorSchedule, testing::ValuesIn(larger_cases()),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Bounded, CudaIntegratorSchedule,
                         testing::ValuesIn(bounded_cases(larger_cases())), case_name);

class ImplicitDiffusionOnGpu : public testing::TestWithParam<Case> {};

TEST_P(ImplicitDiffusionOnGpu, AgreesWithTheReference) { expect_agreement_on_gpu(GetParam()); }

TEST_P(ImplicitDiffusionOnGpu, ChoosesTheStepsOfTheReference) {
  expect_same_steps(on_gpu(GetParam(), PressureSolver::automatic), to_rounding);
}

TEST_P(ImplicitDiffusionOnGpu, LoadingForgetsWhatWasBefore) {
  const Problem problem = on_gpu(GetParam(), PressureSolver::automatic);
  const FlowState start = initial_state(problem, Grid(problem.axes));
  const double dt = problem.time_step.fixed;
  const FlowState once = reached(problem, 2).state;
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  for (const std::vector<double>& steps : {std::vector<double>{}, {dt}, {dt, dt}}) {
    flow->load(start);
    advance_steps(*flow, problem.scheme, steps);
  }
  flow->load(start);
  advance_steps(*flow, problem.scheme, {dt, 0.8 * dt});
  EXPECT_EQ(flow->state().fields, once.fields);
}

INSTANTIATE_TEST_SUITE_P(Cases, ImplicitDiffusionOnGpu,
                         testing::ValuesIn(cases_with_implicit_diffusion()), case_name);

class ImplicitDiffusionBesideVaryingWallsOnGpu : public testing::TestWithParam<Case> {};

TEST_P(ImplicitDiffusionBesideVaryingWallsOnGpu, AgreesWithTheReference) {
  expect_same_variation_on_gpu(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Cases, ImplicitDiffusionBesideVaryingWallsOnGpu,
                         testing::ValuesIn(varying_cases_with_implicit_diffusion()), case_name);

/// The same problem on the CPU and on a GPU, and how far apart their states may be.
struct OnBothDevices {
  Problem cpu;
  Problem gpu;
  double tolerance;
};

OnBothDevices on_both_devices(Problem problem, Precision precision) {
  problem.threads = 2;
  problem.precision = precision;
  OnBothDevices both{problem, problem,
                     precision == Precision::fp64 ? to_rounding : to_single_rounding};
  both.gpu.device = Device::cuda(0);
  return both;
}

class ImplicitDiffusionInWideLayers : public testing::TestWithParam<Case> {};

/// The reference would take too long.
TEST_P(ImplicitDiffusionInWideLayers, AgreesWithTheCpu) {
  for (const Precision precision : {Precision::fp64, Precision::fp32}) {
    auto [cpu, gpu, tolerance] = on_both_devices(GetParam().problem, precision);
    EXPECT_LE(relative_difference(reached(gpu, 3).state, reached(cpu, 3).state), tolerance);
    let_vary(cpu);
    let_vary(gpu);
    // By the clock, which chooses the steps and forms what the lines multiply by on the GPU.
    cpu.time_step = gpu.time_step = {.courant = 0.3, .longest = 1e-3};
    EXPECT_LE(relative_difference(reached_by_clock(gpu, 5).state, reached_by_clock(cpu, 5).state),
              tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ImplicitDiffusionInWideLayers,
                         testing::ValuesIn(wide_layers_with_implicit_diffusion()), case_name);

class CudaIntegratorFarFromZero : public testing::TestWithParam<Case> {};

TEST_P(CudaIntegratorFarFromZero, IsTheSameFlow) {
  const Case falling = GetParam();
  expect_same_but_for(300.0, falling.problem, on_gpu(falling, PressureSolver::automatic),
                      rounding_of_300);
  const Case cold{falling.name, without_falling(falling.problem), falling.number};
  expect_same_but_for(far_in_single_precision, cold.problem, in_single_precision(cold),
                      to_single_rounding);
}

INSTANTIATE_TEST_SUITE_P(Cases, CudaIntegratorFarFromZero, testing::ValuesIn(cases_to_warm()),
                         case_name);

/// With several fields, scalars with references among them, in both precisions; another thread
/// reads while steps are running.
TEST_P(CudaIntegratorSchedule, CopiesStayWhileTheFlowGoesOn) {
  const int count = 3 + static_cast<int>(GetParam().problem.scalars.size());
  std::vector<int> copied{0, 2};
  for (int field = 3; field < count; ++field) {
    copied.push_back(field);
  }
  for (const Problem& problem :
       {on_gpu(GetParam(), PressureSolver::automatic), in_single_precision(GetParam())}) {
    const Plan plan(problem, CeilingRule::none, {.host = 0, .fields = copied});
    ASSERT_EQ(plan.copied_fields(), copied);
    const std::unique_ptr<Integrator> flow = make_integrator(plan);
    flow->load(initial_state(problem, plan.grid()));
    const double dt = problem.time_step.fixed;
    for (int turn = 0; turn < 3; ++turn) {
      advance_steps(*flow, problem.scheme, {dt});
      const FlowState before = flow->state();
      flow->copy_fields();
      advance_steps(*flow, problem.scheme, {dt, dt});
      const CopiedFlow copies(*flow);
      std::thread([&] {
        const Extents n = plan.grid().extents();
        std::vector<double> values(static_cast<std::size_t>(n.count()));
        for (const int field : copied) {
          copies.read(field, box_of(n), values.data());
          EXPECT_EQ(values, before.fields[static_cast<std::size_t>(field)]);
        }
      }).join();
    }
  }
}

/// One scalar, no rotation, no forces, cells that are alike within planes: rows of an even number
/// of cells and of an odd one, shorter and longer than a block's, with every combination of walls.
std::vector<Case> usual_cases() {
  constexpr std::array<std::array<std::int64_t, 3>, 11> sizes{{{6, 5, 8},
                                                               {68, 5, 4},
                                                               {67, 9, 4},
                                                               {4, 9, 3},
                                                               {8, 66, 5},
                                                               {2, 2, 2},
                                                               {12, 1, 7},
                                                               {10, 20, 3},
                                                               {1, 5, 4},
                                                               {8, 6, 33},
                                                               {7, 13, 6}}};
  std::vector<Case> all;
  for (std::size_t n = 0; n < 64; ++n) {
    const std::array<FlowEnds, 3> ends{all_flow_ends[n / 16], all_flow_ends[n / 4 % 4],
                                       all_flow_ends[n % 4]};
    Problem problem = busy_problem(sizes[n % sizes.size()], ends, 1, n);
    if (!problem.axes[2].periodic && n % 3 == 0) {
      stretch(problem, 2, 1.5);
    }
    problem.time_step.fixed =
        std::min(0.01, 0.5 * longest_diffusive_step(problem, Grid(problem.axes)));
    problem.name = name_of(ends[0]) + name_of(ends[1]) + name_of(ends[2]) + "Usual";
    all.push_back({problem.name, problem, n});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Usual, CudaIntegrator, testing::ValuesIn(usual_cases()), case_name);

/// Explicit ones of so many tiles that they go up the planes in two groups, of slabs of which the
/// last is thinner. The latter two have rows of an even number of cells.
std::vector<Case> wide_layers() {
  std::vector<Case> layers = wide_layers_with_implicit_diffusion();
  layers.resize(2);
  for (const FlowEnds ends : {FlowEnds::periodic, FlowEnds::no_slip}) {
    Case& even = layers.emplace_back(layers.front());
    even.problem.axes[0].cells = 600;
    even.problem.axes[1].cells = 256;
    even.problem.axes[2].cells = 14;
    set_flow_ends(even.problem, 0, ends);
    set_flow_ends(even.problem, 1, ends);
    even.name += name_of(ends) + "Even";
  }
  for (Case& one : layers) {
    Problem& problem = one.problem;
    problem.implicit_diffusion = ImplicitDiffusion::none;
    problem.time_step.fixed =
        std::min(1e-3, 0.5 * longest_diffusive_step(problem, Grid(problem.axes)));
    one.name += "Explicit";
  }
  return layers;
}

class CudaIntegratorOfWideLayers : public testing::TestWithParam<Case> {};

/// The reference would take too long.
TEST_P(CudaIntegratorOfWideLayers, AgreesWithTheCpu) {
  for (const Precision precision : {Precision::fp64, Precision::fp32}) {
    const auto [cpu, gpu, tolerance] = on_both_devices(GetParam().problem, precision);
    EXPECT_LE(relative_difference(reached(gpu, 3).state, reached(cpu, 3).state), tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, CudaIntegratorOfWideLayers, testing::ValuesIn(wide_layers()),
                         case_name);

/// Layers for whose rows the solver takes the divergence of a velocity, but where a stage ends with
/// the solves of implicit diffusion.
std::vector<Case> layers_of_long_rows() {
  std::vector<Case> layers;
  for (const ImplicitDiffusion diffusion : {ImplicitDiffusion::none, ImplicitDiffusion::walls}) {
    Case& one = layers.emplace_back();
    one.problem =
        busy_problem({64, 64, 32}, {FlowEnds::periodic, FlowEnds::periodic, FlowEnds::mixed_moving},
                     1, layers.size());
    one.problem.axes[2].stretching = 1.5;
    one.problem.implicit_diffusion = diffusion;
    one.problem.time_step.fixed = 0.0004;
    one.name = diffusion == ImplicitDiffusion::none ? "Explicit" : "Implicit";
    one.number = layers.size() - 1;
  }
  return layers;
}

class CudaIntegratorOfLongRows : public testing::TestWithParam<Case> {};

TEST_P(CudaIntegratorOfLongRows, AgreesWithTheReference) {
  expect_agreement(GetParam(), on_gpu(GetParam(), PressureSolver::direct), 10.0 * to_rounding);
  expect_agreement(GetParam(), in_single_precision(GetParam()), 3.0 * to_single_rounding);
}

/// A divergence that begins the solve moves as much as one that is stored, and saves its reading.
TEST_P(CudaIntegratorOfLongRows, SaysWhatItMoves) {
  const std::unique_ptr<Integrator> flow =
      make_integrator(Plan(on_gpu(GetParam(), PressureSolver::direct)));
  const StageWork work = flow->work();
  const Work& pressure = work[static_cast<std::size_t>(StagePart::pressure)];
  if (pressure.model.find("three passes") == std::string::npos) {
    GTEST_SKIP() << "this GPU has no clusters of blocks";
  }
  const bool begins =
      pressure.model.find("of which the divergence is the first") != std::string::npos;
  EXPECT_EQ(begins, GetParam().problem.implicit_diffusion == ImplicitDiffusion::none);
  const double words = begins ? 4.0 : 6.0;
  EXPECT_EQ(pressure.traffic.bytes(), words * 8.0 * 64.0 * 64.0 * 32.0);
}

INSTANTIATE_TEST_SUITE_P(Layers, CudaIntegratorOfLongRows, testing::ValuesIn(layers_of_long_rows()),
                         case_name);

TEST(CudaIntegratorDiagnosis, AFlowThatIsNotFiniteIsSeen) {
  const Problem problem = on_gpu(larger_cases().front(), PressureSolver::automatic);
  FlowState start = initial_state(problem, Grid(problem.axes));
  start.fields.back()[start.fields.back().size() / 2] = HUGE_VAL;
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  flow->load(start);
  EXPECT_FALSE(flow->diagnose().finite());
}

}  // namespace
}  // namespace bankfull::convection
