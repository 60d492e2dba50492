#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/core/memory/memory.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"
#include "bankfull/numerics/poisson/multigrid/levels.hpp"
#include "bankfull/numerics/poisson/multigrid/reference.hpp"
#include "tests/numerics/poisson/domains.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace bankfull::poisson {
namespace {

Domain cube(std::int64_t cells, bool periodic) {
  return {uniform_axis(cells, false), uniform_axis(cells, periodic), uniform_axis(cells, periodic)};
}

/// Elements of a field from its first cell to its last.
template <class Real>
std::size_t span_of(const Domain& domain, const CellSlots<Real>& slots) {
  const Extents n = domain.extents();
  return static_cast<std::size_t>((n.ni - 1) * slots.plane_pitch + (n.nj - 1) * slots.row_pitch +
                                  n.nk);
}

/// A solver on the GPU with its stream, and the way there and back.
template <class Real>
class OnGpu {
 public:
  OnGpu(const Domain& domain, Stopping stopping)
      : domain_(domain),
        stream_(Device::cuda(0)),
        solver_(make_cuda_multigrid<Real>(domain, stopping, stream_)) {}

  [[nodiscard]] Solver<Real>& solver() const { return *solver_; }
  [[nodiscard]] const Stream& stream() const { return stream_; }

  void give(const Values& f) const { copy_to(f, solver_->right_side()); }
  void start_from(const Values& p) const { copy_to(p, solver_->solution()); }

  [[nodiscard]] Values solution() const {
    const CellSlots<Real> slots = solver_->solution();
    std::vector<Real> host = copy_of(slots);
    return take(domain_, on_host(slots, &host));
  }

  /// Gives, solves and returns the solution.
  [[nodiscard]] Values solve(const Values& f) const {
    give(f);
    solver_->solve();
    return solution();
  }

 private:
  static CellSlots<Real> on_host(CellSlots<Real> slots, std::vector<Real>* host) {
    slots.data = host->data();
    return slots;
  }

  [[nodiscard]] std::vector<Real> copy_of(const CellSlots<Real>& slots) const {
    std::vector<Real> host(span_of(domain_, slots));
    copy_bytes(host.data(), slots.data, host.size() * sizeof(Real), stream_);
    stream_.synchronize();
    return host;
  }

  /// What stands between rows stays as it is.
  void copy_to(const Values& values, const CellSlots<Real>& slots) const {
    std::vector<Real> host = copy_of(slots);
    put(domain_, values, on_host(slots, &host));
    copy_bytes(slots.data, host.data(), host.size() * sizeof(Real), stream_);
    stream_.synchronize();
  }

  Domain domain_;
  Stream stream_;
  std::unique_ptr<Solver<Real>> solver_;
};

std::vector<NamedDomain> small_domains() {
  std::vector<NamedDomain> result = uniform_shapes();
  for (const auto& more :
       {stretched_shapes(), all_boundaries({8, 12, 16}), all_boundaries({7, 11, 13})}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

/// Domains with several blocks along each axis, and with several levels that have kernels of their
/// own.
std::vector<NamedDomain> large_domains() {
  std::vector<NamedDomain> result = all_boundaries({67, 61, 127});
  for (const auto& more :
       {all_boundaries({70, 62, 130}),
        std::vector<NamedDomain>{
            {"flat", {uniform_axis(1, true), uniform_axis(200, false), uniform_axis(333, true)}},
            {"flat_k", {uniform_axis(150, false), uniform_axis(301, true), uniform_axis(1, true)}},
            {"line", {uniform_axis(9001, true), uniform_axis(1, true), uniform_axis(1, true)}},
            {"semi_i",
             {uniform_axis(90, true, 0.3), uniform_axis(99, false), uniform_axis(101, true)}},
            {"semi_j",
             {uniform_axis(33, true), uniform_axis(150, true, 0.2), uniform_axis(100, true)}}}}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

/// In which a residual must fall by 1e-9. Where cells have many shapes, smoothing one of them well
/// is smoothing another badly; along a line, cells have few neighbours.
int max_cycles(const Domain& domain) { return domain.i.uniform() ? 20 : 45; }

void expect_solutions(const std::vector<NamedDomain>& domains) {
  for (const NamedDomain& each : domains) {
    const Values f = random_right_side(each.domain, 31);
    const double tolerance = 1e-9 * largest(f);
    const OnGpu<double> gpu(each.domain, {tolerance, 60});
    const Values p = gpu.solve(f);
    const Outcome outcome = gpu.solver().outcome();
    EXPECT_TRUE(outcome.converged) << each.name;
    EXPECT_LE(outcome.cycles, max_cycles(each.domain)) << each.name;
    EXPECT_LE(residual(each.domain, p, f), 1.01 * tolerance) << each.name;
    EXPECT_NEAR(outcome.residual, residual(each.domain, p, f), 0.01 * tolerance) << each.name;
  }
}

TEST(MultigridCuda, SolvesSmallDomains) { expect_solutions(small_domains()); }

TEST(MultigridCuda, SolvesLargeDomains) { expect_solutions(large_domains()); }

TEST(MultigridCuda, ConvergesAlikeOnAllCubes) {
  for (const std::int64_t cells : {16, 32, 64, 128}) {
    for (const bool periodic : {false, true}) {
      const Domain domain = cube(cells, periodic);
      const Values f = random_right_side(domain, 32);
      const OnGpu<double> gpu(domain, {1e-10 * largest(f), 20});
      static_cast<void>(gpu.solve(f));
      const Outcome outcome = gpu.solver().outcome();
      const double factor = std::pow(outcome.residual / largest(f), 1.0 / outcome.cycles);
      EXPECT_LE(factor, 0.09) << cells << " periodic: " << periodic;
    }
  }
}

/// Adds, to the planes across axis i, what is the same in all of each.
void add_to_planes(const Domain& domain, std::uint64_t seed, double size, Values* f) {
  for_cells(domain, [&](std::int64_t i, std::int64_t /*j*/, std::int64_t /*k*/, std::size_t place) {
    (*f)[place] += size * random_symmetric(seed, static_cast<std::uint64_t>(i));
  });
  remove_mean(domain, f);
}

/// The weights of half-sweeps, how often levels are visited, and what a solve from nothing begins
/// with, decide by how much each cycle reduces the residual; corrections are fp32 here and fp64 in
/// the reference.
TEST(MultigridCuda, EachCycleReducesTheResidualAsTheReferenceDoes) {
  const Axis around = uniform_axis(64, true);
  const std::vector<NamedDomain> domains{
      {"cubes", cube(48, false)},
      {"layer", {uniform_axis(32, false), around, around}},
      {"narrow", {uniform_axis(64, false, 0.5), around, around}},
      {"squares", {uniform_axis(128, false), uniform_axis(1, true), uniform_axis(128, true)}}};
  for (const NamedDomain& each : domains) {
    Values f = random_right_side(each.domain, 43);
    std::vector<multigrid::Level> levels = multigrid::make_levels(each.domain);
    multigrid::set_short_cycle(&levels, 0);
    // Squares are the one plane of an axis of one cell, which is the first on GPUs.
    const auto beginning =
        each.name == "squares" ? multigrid::Beginning::zero : multigrid::Beginning::planes;
    if (beginning == multigrid::Beginning::planes) {
      add_to_planes(each.domain, 45, 10.0, &f);
    }
    Values p;
    const std::vector<double> residuals =
        multigrid::Reference(levels).solve(f, {0.0, 5}, &p, beginning);
    for (int cycles = 1; cycles <= 5; ++cycles) {
      const OnGpu<double> gpu(each.domain, {0.0, cycles});
      static_cast<void>(gpu.solve(f));
      const double expected = residuals[static_cast<std::size_t>(cycles)];
      EXPECT_NEAR(gpu.solver().outcome().residual / expected, 1.0, 0.05)
          << each.name << ", cycles: " << cycles;
    }
  }
}

/// Also of lines, along axes with walls and around, of cells of one width and of many. A cycle
/// shows that no more than rounding is left.
TEST(MultigridCuda, SolvesAtOnceWhatPlanesHaveInCommon) {
  std::vector<NamedDomain> domains = all_boundaries({40, 12, 66});
  for (const auto& more : {gathered_domains(LinesAlong::i_or_j), all_boundaries({9, 33, 7})}) {
    domains.insert(domains.end(), more.begin(), more.end());
  }
  for (const NamedDomain& each : domains) {
    if (multigrid::line_axis_of_schedules(each.domain) > 0 || each.domain.j.cells() == 1 ||
        each.domain.k.cells() == 1) {
      continue;  // other planes: i is not the first axis on GPUs
    }
    Values f(static_cast<std::size_t>(each.domain.extents().count()), 0.0);
    add_to_planes(each.domain, 46, 1.0, &f);
    const double tolerance = 1e-7 * largest(f);
    const OnGpu<double> gpu(each.domain, {tolerance, 40});
    // From nothing, and from what is worse.
    for (const bool from_nothing : {true, false}) {
      if (!from_nothing) {
        Values start = random_values(each.domain, 47);
        for (double& value : start) {
          value *= 1e6;
        }
        gpu.start_from(start);
      }
      const Values p = gpu.solve(f);
      EXPECT_TRUE(gpu.solver().outcome().converged) << each.name;
      EXPECT_EQ(gpu.solver().outcome().cycles, 1) << each.name;
      EXPECT_LE(residual(each.domain, p, f), 1.01 * tolerance) << each.name;
    }
  }
}

TEST(MultigridCuda, AgreesWithTheCpu) {
  for (const NamedDomain& each : small_domains()) {
    const Values f = random_right_side(each.domain, 33);
    const double tolerance = 1e-12 * largest(f);
    const OnGpu<double> gpu(each.domain, {tolerance, 100});
    Values of_gpu = gpu.solve(f);
    const auto cpu = make_cpu_multigrid<double>(each.domain, {tolerance, 100}, 1);
    put(each.domain, f, cpu->right_side());
    cpu->solve();
    Values of_cpu = take(each.domain, cpu->solution());
    // The solution is unique up to a constant.
    remove_mean(each.domain, &of_gpu);
    remove_mean(each.domain, &of_cpu);
    EXPECT_LE(largest_difference(of_gpu, of_cpu), 1e-9 * largest(of_cpu)) << each.name;
  }
}

TEST(MultigridCuda, EveryRunHasTheSameBits) {
  for (const NamedDomain& each : large_domains()) {
    const Values f = random_right_side(each.domain, 34);
    const OnGpu<double> first(each.domain, {1e-6 * largest(f), 40});
    const OnGpu<double> second(each.domain, {1e-6 * largest(f), 40});
    const Values p = first.solve(f);
    EXPECT_EQ(second.solve(f), p) << each.name;
    first.solver().forget();
    EXPECT_EQ(first.solve(f), p) << each.name;
    EXPECT_EQ(first.solver().outcome().residual, second.solver().outcome().residual);
  }
}

TEST(MultigridCuda, SinglePrecision) {
  for (const NamedDomain& each : large_domains()) {
    if (each.name == "line") {
      continue;  // so long that fp32 cannot hold its solution
    }
    const Values f = random_right_side(each.domain, 35);
    const double tolerance = 1e-3 * largest(f);
    const OnGpu<float> gpu(each.domain, {tolerance, 40});
    EXPECT_LE(residual(each.domain, gpu.solve(f), f), 1.1 * tolerance) << each.name;
    EXPECT_TRUE(gpu.solver().outcome().converged) << each.name;
  }
}

TEST(MultigridCuda, EndsWhereTheResidualNoLongerFalls) {
  const Domain domain = cube(48, false);
  const Values f = random_right_side(domain, 36);
  const OnGpu<float> gpu(domain, {0.0, 200});
  const Values p = gpu.solve(f);
  EXPECT_FALSE(gpu.solver().outcome().converged);
  EXPECT_LE(gpu.solver().outcome().cycles, 20);
  EXPECT_LE(residual(domain, p, f), 1e-3);
}

TEST(MultigridCuda, MeanOfTheRightSideIsSubtracted) {
  for (const NamedDomain& each : stretched_shapes()) {
    Values f = random_values(each.domain, 37);
    for (double& value : f) {
      value += 3.0;
    }
    const OnGpu<double> gpu(each.domain, {1e-8, 60});
    const Values p = gpu.solve(f);
    EXPECT_TRUE(gpu.solver().outcome().converged) << each.name;
    remove_mean(each.domain, &f);
    EXPECT_LE(residual(each.domain, p, f), 1.01e-8) << each.name;
  }
}

TEST(MultigridCuda, StartsFromTheLastSolution) {
  const Domain domain = cube(64, true);
  Values f = random_right_side(domain, 38);
  const OnGpu<double> gpu(domain, {1e-8, 40});
  const Values p = gpu.solve(f);
  const int cold = gpu.solver().outcome().cycles;
  EXPECT_EQ(gpu.solve(f), p);
  EXPECT_EQ(gpu.solver().outcome().cycles, 0);
  const Values change = random_right_side(domain, 39);
  for (std::size_t n = 0; n < f.size(); ++n) {
    f[n] += 1e-4 * change[n];
  }
  EXPECT_LE(residual(domain, gpu.solve(f), f), 1.01e-8);
  EXPECT_LT(gpu.solver().outcome().cycles, cold);
}

TEST(MultigridCuda, AStartWorseThanNothingIsForgotten) {
  const Domain domain = cube(40, false);
  const Values f = random_right_side(domain, 40);
  const OnGpu<double> gpu(domain, {1e-8, 40});
  const Values p = gpu.solve(f);
  const int cycles = gpu.solver().outcome().cycles;
  for (const double nonsense : {1e6, std::nan("")}) {
    Values start = random_values(domain, 41);
    for (double& value : start) {
      value *= nonsense;
    }
    gpu.start_from(start);
    EXPECT_EQ(gpu.solve(f), p);
    EXPECT_EQ(gpu.solver().outcome().cycles, cycles);
  }
}

TEST(MultigridCuda, BlownUpRightSidesEndTheSolveAndNotTheSolver) {
  const Domain domain = cube(40, true);
  const Values f = random_right_side(domain, 42);
  const OnGpu<double> gpu(domain, {1e-8, 40});
  const Values p = gpu.solve(f);
  Values broken = f;
  broken[1717] = std::nan("");
  static_cast<void>(gpu.solve(broken));
  EXPECT_FALSE(gpu.solver().outcome().converged);
  EXPECT_LE(gpu.solver().outcome().cycles, 2);
  gpu.solver().forget();
  EXPECT_EQ(gpu.solve(f), p);
}

TEST(MultigridCuda, AnyUnitsWillDo) {
  for (const double unit : {1e-60, 1e60}) {
    const Domain domain = cube(32, true);
    Values f = random_right_side(domain, 43);
    for (double& value : f) {
      value *= unit;
    }
    const OnGpu<double> gpu(domain, {1e-8 * unit, 40});
    EXPECT_LE(residual(domain, gpu.solve(f), f), 1.01e-8 * unit);
    EXPECT_TRUE(gpu.solver().outcome().converged);
  }
}

TEST(MultigridCuda, NothingToSolve) {
  const Domain domain = cube(20, true);
  const Values zero(8000, 0.0);
  const OnGpu<double> gpu(domain, {0.0, 40});
  EXPECT_EQ(gpu.solve(zero), zero);
  EXPECT_TRUE(gpu.solver().outcome().converged);
  EXPECT_EQ(gpu.solver().outcome().cycles, 0);
}

TEST(MultigridCuda, IsRecordedWithOtherWork) {
  const Domain domain = cube(64, true);
  const Values f = random_right_side(domain, 44);
  const OnGpu<double> alone(domain, {1e-8, 40});
  const Values p = alone.solve(f);
  const OnGpu<double> recorded(domain, {1e-8, 40});
  const Graph graph(recorded.stream(), [&] {
    recorded.solver().forget();
    recorded.solver().solve();
    recorded.solver().solve();  // finds nothing to do
  });
  recorded.give(f);
  for (int n = 0; n < 3; ++n) {
    graph.launch(recorded.stream());
    EXPECT_EQ(recorded.solver().outcome().cycles, 0);
    EXPECT_EQ(recorded.solution(), p);
  }
}

TEST(MultigridCuda, TakesTheMemoryItSays) {
  const Stream stream(Device::cuda(0));
  for (const Domain& domain : {cube(128, true), large_domains().front().domain}) {
    const MemoryWatch watch(MemorySpace::device);
    const auto solver = make_cuda_multigrid<double>(domain, {}, stream);
    EXPECT_LE(watch.max_bytes(), multigrid_bytes(domain, sizeof(double), true));
    EXPECT_GE(watch.max_bytes(), multigrid_bytes(domain, sizeof(double), true) * 9 / 10);
  }
}

/// Also of several blocks and several levels that kernels of their own do, and across seams.
std::vector<NamedDomain> domains_of_lines() {
  std::vector<NamedDomain> result = gathered_domains(LinesAlong::i_or_j);
  result.push_back({"large",
                    {gathered_axis(64, false, 5.0), uniform_axis(130, false, 0.01),
                     uniform_axis(126, true, 0.01)}});
  result.push_back({"large_around",
                    {uniform_axis(127, true, 0.01), gathered_axis(48, true, 3.0),
                     uniform_axis(75, true, 0.01)}});
  result.push_back(
      {"flat_k",
       {gathered_axis(40, false, 4.0), uniform_axis(301, true, 0.01), uniform_axis(1, true)}});
  result.push_back({"large_beside_others",
                    {gathered_axis(40, false, 4.0), gathered_axis(66, false, 1.0),
                     gathered_axis(70, false, 1.0)}});
  return result;
}

/// Where cells are thinnest the residual is what rounding of the correction leaves: from cycle to
/// cycle it falls unevenly.
TEST(MultigridCudaByLines, Converges) {
  constexpr double by_rounding = 1.05;
  for (const NamedDomain& each : domains_of_lines()) {
    const Values f = random_right_side(each.domain, 51);
    const auto outcome_of = [&](double part) {
      const OnGpu<double> gpu(each.domain, {part * largest(f), 20});
      const Values p = gpu.solve(f);
      EXPECT_LE(residual(each.domain, p, f), 1.01 * part * largest(f)) << each.name;
      return gpu.solver().outcome();
    };
    const Outcome start = outcome_of(0.5);
    const Outcome end = outcome_of(1e-6);
    EXPECT_TRUE(end.converged) << each.name;
    if (end.cycles > start.cycles) {
      EXPECT_LE(std::pow(end.residual / start.residual, 1.0 / (end.cycles - start.cycles)),
                by_rounding * left_by_lines(each.domain))
          << each.name;
    }
  }
}

/// A smooth right side, of which the first correction leaves more at thin cells than there was.
TEST(MultigridCudaByLines, IsNotStalledByTheRoundingOfThinCells) {
  const Domain domain{gathered_axis(128, false, 5.0), uniform_axis(32, true, 1.0 / 32),
                      uniform_axis(32, true, 1.0 / 32)};
  Values f(static_cast<std::size_t>(domain.extents().count()));
  double centre = -0.5;
  std::int64_t plane = 0;
  for_cells(domain, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t place) {
    if (i != plane) {
      centre += domain.i.distance(i);
      plane = i;
    }
    f[place] = std::sin(3.14 * centre) * (1.0 + 0.3 * std::cos(0.19635 * static_cast<double>(j)) *
                                                    std::sin(0.3927 * static_cast<double>(k)));
  });
  remove_mean(domain, &f);
  const OnGpu<double> gpu(domain, {1e-6 * largest(f), 20});
  static_cast<void>(gpu.solve(f));
  EXPECT_TRUE(gpu.solver().outcome().converged);
  EXPECT_LE(gpu.solver().outcome().cycles, 12);
}

TEST(MultigridCudaByLines, EveryRunHasTheSameBits) {
  for (const NamedDomain& each : domains_of_lines()) {
    const Values f = random_right_side(each.domain, 52);
    const OnGpu<double> first(each.domain, {1e-6 * largest(f), 20});
    const Values p = first.solve(f);
    EXPECT_EQ(OnGpu<double>(each.domain, {1e-6 * largest(f), 20}).solve(f), p) << each.name;
    Values broken = f;
    broken[f.size() / 2] = std::nan("");
    static_cast<void>(first.solve(broken));
    first.solver().forget();
    EXPECT_EQ(first.solve(f), p) << each.name << " after a solve that blew up";
  }
}

TEST(MultigridCudaByLines, AgreesWithTheCpu) {
  for (const NamedDomain& each : domains_of_lines()) {
    const Values f = random_right_side(each.domain, 53);
    const double tolerance = 1e-7 * largest(f);
    const OnGpu<double> gpu(each.domain, {tolerance, 40});
    Values of_gpu = gpu.solve(f);
    const auto cpu = make_cpu_multigrid<double>(each.domain, {tolerance, 40}, 1);
    put(each.domain, f, cpu->right_side());
    cpu->solve();
    Values of_cpu = take(each.domain, cpu->solution());
    remove_mean(each.domain, &of_gpu);
    remove_mean(each.domain, &of_cpu);
    EXPECT_LE(largest_difference(of_gpu, of_cpu), 1e-5 * largest(of_cpu)) << each.name;
    // A line has a plane for each cell, of which GPUs know the solution at once.
    const int more = each.name == "line" ? 0 : 1;
    EXPECT_LE(gpu.solver().outcome().cycles - cpu->outcome().cycles, more) << each.name;
    if (each.name != "line") {
      EXPECT_LE(cpu->outcome().cycles - gpu.solver().outcome().cycles, 1) << each.name;
    }
  }
}

TEST(MultigridCudaByLines, TakesTheMemoryItSays) {
  const Stream stream(Device::cuda(0));
  const std::vector<NamedDomain> domains = domains_of_lines();
  for (const std::size_t back : {1U, 3U, 4U}) {
    const Domain& domain = domains[domains.size() - back].domain;
    const MemoryWatch watch(MemorySpace::device);
    const auto solver = make_cuda_multigrid<double>(domain, {}, stream);
    EXPECT_LE(watch.max_bytes(), multigrid_bytes(domain, sizeof(double), true));
    EXPECT_GE(watch.max_bytes(), multigrid_bytes(domain, sizeof(double), true) * 9 / 10);
  }
}

TEST(MultigridCuda, ToleranceInUnitsOfAFactor) {
  const Domain domain = cube(32, true);
  const Values f = random_right_side(domain, 54);
  const Stream stream(Device::cuda(0));
  const Buffer<double> factor(MemorySpace::device, 1);
  const OnGpu<double> gpu(domain, {1e-6, 40, factor.data()});
  for (const double value : {1e-3, 0.1, 10.0, 1e3, 0.0}) {
    copy_bytes(factor.data(), &value, sizeof value, stream);
    stream.synchronize();
    gpu.solver().forget();
    static_cast<void>(gpu.solve(f));
    const double scale = value > 0.0 ? value : 1.0 / largest(f);
    EXPECT_TRUE(gpu.solver().outcome().converged);
    EXPECT_LE(gpu.solver().outcome().residual * scale, 1.01e-6);
    EXPECT_GE(gpu.solver().outcome().residual * scale, 1e-9);
  }
}

}  // namespace
}  // namespace bankfull::poisson
