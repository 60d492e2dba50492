#include "bankfull/workloads/himeno/verify.hpp"

#include "bankfull/core/base/nan.hpp"
#include "bankfull/core/exec/for_each.hpp"
#include "bankfull/core/measure/perturbation.hpp"
#include "bankfull/workloads/himeno/block_reference.hpp"
#include "bankfull/workloads/himeno/cpu/plan.hpp"
#include "bankfull/workloads/himeno/cuda/fused_plan.hpp"
#include "bankfull/workloads/himeno/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

namespace bankfull::himeno {
namespace {

/// `iterations` serial fp64 sweeps on the CPU; the pressure with its boundary.
std::vector<double> reference_pressure(const GridSize& grid, const InitialState& state,
                                       int iterations) {
  Fields<double> fields(whole_domain(grid), Device::cpu());
  for_each(Team(1), fields.whole(), initialise(fields, state));
  for (int n = 0; n < iterations; ++n) {
    reference_sweep(fields, fields.interior());
    fields.advance();
  }
  const Box whole = owned_box(fields.domain());
  std::vector<double> pressure(static_cast<std::size_t>(whole.extents().count()));
  for_each(Team(1), whole, copy_pressures(fields, whole, pressure.data()));
  return pressure;
}

/// Odd, unequal dimensions, thick enough for the halos of as many ranks.
GridSize check_grid(const RankGrid& cuts) {
  const auto points = [](int ranks, int fewest) {
    constexpr int planes_per_rank = max_fused_sweeps + 1;
    return std::int64_t{2} + std::max(fewest, planes_per_rank * ranks + 1);
  };
  return {points(cuts.i, 35), points(cuts.j, 27), points(cuts.k, 73)};
}

/// Largest difference relative to the largest magnitude; NaN where a value is NaN.
double field_deviation(const std::vector<double>& values, const std::vector<double>& reference) {
  double largest = 0.0;
  double difference = 0.0;
  for (std::size_t n = 0; n < reference.size(); ++n) {
    largest = std::max(largest, std::abs(reference[n]));
    difference = larger_or_nan(difference, std::abs(values[n] - reference[n]));
  }
  return difference / largest;
}

constexpr InitialState random_state{.kind = InitialState::Kind::random, .seed = 2010};

/// NaN differs.
std::int64_t differences(const std::vector<double>& values, const std::vector<double>& reference) {
  return std::inner_product(reference.begin(), reference.end(), values.begin(), std::int64_t{0},
                            std::plus<>(), std::not_equal_to<>());
}

/// Points of this rank whose pressure is wrong, in `blocks` of its own numbering.
std::int64_t wrong_points(const Solver& solver, const Problem& problem,
                          const std::vector<Box>& blocks, int iterations) {
  std::vector<std::vector<double>> values;
  values.reserve(blocks.size());
  for (const Box& block : blocks) {
    values.push_back(solver.pressure_in(block));
  }
  const auto count = static_cast<std::int64_t>(blocks.size());
  std::int64_t wrong = 0;
#pragma omp parallel for num_threads(problem.threads) schedule(dynamic) reduction(+ : wrong)
  for (std::int64_t n = 0; n < count; ++n) {
    const auto index = static_cast<std::size_t>(n);
    const Box block = solver.domain().in_whole_grid(blocks[index]);
    wrong += differences(values[index], reference_block(problem.precision, problem.grid,
                                                        random_state, block, iterations));
  }
  return wrong;
}

/// The maximum over the schedules.
int iterations_per_pass(const Problem& problem, const Decomposition& decomposition, int ghosts) {
  if (!fuses(problem)) {
    return 1;
  }
  if (problem.device.is_cuda()) {
    return fused_iterations;
  }
  return ghosts > 1 ? ghosts : fused_sweeps_on_cpu(problem, decomposition, max_fused_sweeps);
}

/// Runs the schedule on a small grid of odd, unequal dimensions with every field random, and
/// compares the whole pressure field with a serial fp64 reference. Collective.
Check check_field(const Plan& plan, Schedule schedule, const Communicator& ranks) {
  const RankGrid cuts = plan.decomposition().grid();
  const GridSize grid = check_grid(cuts);
  Problem small = plan.problem;
  small.grid = grid;
  small.rank_grid = cuts;
  const auto solver = make_solver(make_plan(small, ranks), ranks);
  // Whole passes of a fused schedule, and one iteration that does not fill a pass.
  const int iterations = 2 * solver->facts(schedule).iterations_per_pass + 1;
  solver->load(random_state);
  solver->iterate(schedule, iterations);
  const std::vector<double> pressure = solver->pressure();
  double deviation = 0.0;
  if (ranks.is_root()) {
    deviation = field_deviation(pressure, reference_pressure(grid, random_state, iterations));
  }
  ranks.broadcast(&deviation, sizeof(deviation), 0);
  return {.name = "pressure field, random coefficients, " + to_string(schedule),
          .value = deviation,
          .tolerance = small.precision == Precision::fp32 ? 1e-5 : 1e-13,
          .source = "serial fp64 reference on " + name_of(grid) + ", " +
                    std::to_string(iterations) + " iterations"};
}

}  // namespace

double closed_form_gosa(const GridSize& grid) {
  const auto top = static_cast<double>(grid.i - 1);
  return static_cast<double>(grid.updated_points()) / (9.0 * std::pow(top, 4));
}

template <class T>
double plane_by_plane_gosa(const GridSize& grid) {
  const InitialValue value(InitialState{}, grid);
  std::array<T, coefficient_count> coefficients{};
  for (int n = 0; n < coefficient_count; ++n) {
    coefficients[static_cast<std::size_t>(n)] = static_cast<T>(value.coefficient(n, 0, 0, 0));
  }
  double gosa = 0.0;
  for (std::int64_t i = 0; i < grid.i - 2; ++i) {
    // A cube of 3 x 3 x 3 pressures that vary along i only.
    std::array<T, 27> cube{};
    for (std::size_t n = 0; n < cube.size(); ++n) {
      cube[n] = static_cast<T>(value.pressure(i - 1 + static_cast<std::int64_t>(n / 9), 0, 0));
    }
    const auto ss = static_cast<double>(
        residual(CoefficientsAt<T>{coefficients.data(), 1}, PressuresAt<T>{&cube[13], 9, 3}));
    gosa += ss * ss;
  }
  const Extents n = grid.interior();
  return gosa * static_cast<double>(n.nj * n.nk);
}

template double plane_by_plane_gosa<float>(const GridSize&);
template double plane_by_plane_gosa<double>(const GridSize&);

std::vector<Check> check_gosa(Solver& solver, const Problem& problem, Schedule schedule) {
  const bool single = problem.precision == Precision::fp32;
  const std::string suffix = ", " + to_string(schedule);
  const auto gosa_after = [&](int iterations, Schedule by) {
    solver.load({});
    return solver.iterate(by, iterations).gosa;
  };
  std::vector<Check> checks;
  checks.push_back({.name = "gosa after 1 iteration" + suffix,
                    .value = gosa_after(1, schedule),
                    .reference = single ? plane_by_plane_gosa<float>(problem.grid)
                                        : closed_form_gosa(problem.grid),
                    .tolerance = single ? 1e-5 : 1e-9,
                    .source = single ? "closed form, plane by plane in fp32"
                                     : "closed form (I-2)(J-2)(K-2) / (9 (I-1)^4)"});
  if (const StandardSize* standard = find_standard(problem.grid)) {
    checks.push_back(
        {.name = "gosa after 4 iterations" + suffix,
         .value = gosa_after(4, schedule),
         .reference = single ? standard->gosa_4_fp32 : standard->gosa_4_fp64,
         .tolerance = single ? 5e-3 : 1e-9,
         .source = "serial " + to_string(problem.precision) + " run, size " + standard->name});
  }
  const int per_pass = solver.facts(schedule).iterations_per_pass;
  if (per_pass > 1) {
    // The counts above may not fill a pass; this one does, on the problem's own grid.
    checks.push_back({.name = "gosa after a whole pass" + suffix,
                      .value = gosa_after(per_pass, schedule),
                      .reference = gosa_after(per_pass, Schedule::tuned),
                      .tolerance = single ? 1e-5 : 1e-12,
                      .source = "the same " + std::to_string(per_pass) + " iterations unfused"});
  }
  return checks;
}

Check check_own_grid(Solver& solver, const Problem& problem, Schedule schedule,
                     const Communicator& ranks) {
  const int iterations = solver.facts(schedule).iterations_per_pass + 1;
  solver.load(random_state);
  solver.iterate(schedule, iterations);
  const std::vector<Box> blocks = sampled_blocks(solver.domain().interior());
  const std::int64_t wrong = ranks.sum(wrong_points(solver, problem, blocks, iterations));
  const std::int64_t compared = ranks.sum(points_of(blocks));
  return {.name = "wrong pressures, random coefficients, own grid, " + to_string(schedule),
          .value = static_cast<double>(wrong),
          .source = "serial " + to_string(problem.precision) + " reference, bit for bit, " +
                    std::to_string(iterations) + " iterations, " + std::to_string(compared) +
                    " of " + std::to_string(problem.grid.updated_points()) + " points"};
}

WorkBytes verification_bytes(const Problem& problem, const Decomposition& decomposition,
                             int ghosts) {
  // check_field: the small grid, its reference, and their pressures.
  const GridSize small = check_grid(decomposition.grid());
  const std::int64_t fields = memory_bytes(small.interior(), ghosts, problem.precision);
  const std::int64_t reference = memory_bytes(small, Precision::fp64) +
                                 std::int64_t{3 * sizeof(double)} * small.i * small.j * small.k;
  // check_own_grid: pressures in fp64, and the arrays in which a thread computes a block.
  const int layers = iterations_per_pass(problem, decomposition, ghosts) + 1;
  const std::int64_t compared = 8 * points_of(sampled_blocks(decomposition.largest_block())) +
                                std::int64_t{problem.threads} * field_count *
                                    max_block_cells(layers) * bytes_of(problem.precision);
  if (problem.device.is_cuda()) {
    return {.device = fields, .host = std::max(reference, compared)};
  }
  // The fields of the problem are first touched after the first check_field.
  const bool only_one = problem.schedules.size() == 1;
  const std::int64_t untouched =
      only_one ? memory_bytes(decomposition.largest_block(), ghosts, problem.precision) : 0;
  return {.device = std::max(fields + reference - untouched, compared)};
}

std::vector<Check> verify(Solver& solver, const Plan& plan, const RunContext& context) {
  const Problem& problem = plan.problem;
  std::vector<Check> checks;
  const auto total = static_cast<double>(problem.schedules.size());
  for (std::size_t n = 0; n < problem.schedules.size(); ++n) {
    const Schedule schedule = problem.schedules[n];
    context.begin("verifying " + to_string(schedule), static_cast<double>(n), total);
    checks.push_back(check_field(plan, schedule, context.ranks));
    checks.push_back(check_own_grid(solver, problem, schedule, context.ranks));
    for (Check& check : check_gosa(solver, problem, schedule)) {
      checks.push_back(std::move(check));
    }
  }
  add_perturbation(problem.perturbation, checks);
  return checks;
}

}  // namespace bankfull::himeno
