#include "bankfull/numerics/poisson/multigrid.hpp"

#include "bankfull/core/memory/memory.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/cycle.hpp"
#include "bankfull/numerics/poisson/multigrid/reference.hpp"
#include "tests/numerics/poisson/domains.hpp"
#include "tests/refusal_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::poisson {
namespace {

using multigrid::Reference;

Domain cube(std::int64_t cells, bool periodic) {
  return {uniform_axis(cells, false), uniform_axis(cells, periodic), uniform_axis(cells, periodic)};
}

std::vector<NamedDomain> domains_of_all_kinds() {
  std::vector<NamedDomain> result = uniform_shapes();
  for (const auto& more :
       {stretched_shapes(), all_boundaries({8, 12, 16}), all_boundaries({7, 11, 13})}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

/// The mean of the factors by which the cycles after the first reduce the residual.
double convergence_factor(const std::vector<double>& residuals) {
  const auto cycles = static_cast<double>(residuals.size() - 2);
  return std::pow(residuals.back() / residuals[1], 1.0 / cycles);
}

/// In which a residual must fall by 1e-9. Where cells have many shapes, smoothing one of them well
/// is smoothing another badly.
int max_cycles(const Domain& domain) { return domain.i.uniform() ? 14 : 45; }

class MultigridOn : public testing::TestWithParam<NamedDomain> {};

INSTANTIATE_TEST_SUITE_P(AllKinds, MultigridOn, testing::ValuesIn(domains_of_all_kinds()),
                         domain_name);

TEST_P(MultigridOn, ReferenceSolves) {
  const Domain& domain = GetParam().domain;
  const Values f = random_right_side(domain, 11);
  Values p;
  const double tolerance = 1e-9 * largest(f);
  const std::vector<double> residuals =
      Reference(domain).solve(f, {tolerance, max_cycles(domain)}, &p);
  EXPECT_LE(residual(domain, p, f), tolerance);
  EXPECT_LE(residuals.back(), tolerance);
}

/// Of the short cycle.
TEST(Multigrid, WeightsOfHalfSweepsReduceResidualsFaster) {
  const Axis around = uniform_axis(32, true);
  for (const Domain& domain :
       {cube(32, false), Domain{uniform_axis(16, false), around, around},
        Domain{uniform_axis(32, false, 0.5), around, around},
        Domain{uniform_axis(64, false), uniform_axis(1, true), uniform_axis(64, true)}}) {
    const Values f = random_right_side(domain, 12);
    const auto factor = [&](const std::vector<multigrid::Level>& levels) {
      Values p;
      return convergence_factor(Reference(levels).solve(f, {0.0, 8}, &p));
    };
    std::vector<multigrid::Level> levels = multigrid::make_levels(domain);
    multigrid::set_short_cycle(&levels, 0);
    std::vector<multigrid::Level> with_one_weight = levels;
    for (multigrid::Level& level : with_one_weight) {
      level.omega_before.fill(level.omega);
      level.omega_after.fill(level.omega);
    }
    EXPECT_LT(factor(levels), 0.9 * factor(with_one_weight));
  }
}

/// The mean of each plane across axis i.
std::vector<double> means_of_planes(const Domain& domain, const Values& values) {
  const std::int64_t rows = domain.j.cells();
  const std::int64_t columns = domain.k.cells();
  std::vector<double> means(domain.i.widths.size(), 0.0);
  std::vector<double> areas = means;
  for_cells(domain, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t place) {
    const double area = domain.j.widths.at(static_cast<std::size_t>(j % rows)) *
                        domain.k.widths.at(static_cast<std::size_t>(k % columns));
    areas.at(static_cast<std::size_t>(i)) += area;
    means.at(static_cast<std::size_t>(i)) += area * values[place];
  });
  for (std::size_t n = 0; n < means.size(); ++n) {
    means[n] /= areas[n];
  }
  return means;
}

/// The residual with which a solve begins has no mean in any plane, p no mean at all.
TEST_P(MultigridOn, ReferenceBeginsWithWhatPlanesHaveInCommon) {
  const Domain& domain = GetParam().domain;
  Values f = random_right_side(domain, 13);
  for_cells(domain, [&](std::int64_t i, std::int64_t /*j*/, std::int64_t /*k*/, std::size_t n) {
    f[n] += random_symmetric(14, static_cast<std::uint64_t>(i));
  });
  remove_mean(domain, &f);
  Values p;
  const Reference reference(domain);
  static_cast<void>(reference.solve(f, {0.0, 0}, &p, multigrid::Beginning::planes));
  for (const double mean : means_of_planes(domain, reference.residual(p, f))) {
    EXPECT_NEAR(mean, 0.0, 1e-10);
  }
  Values without_mean = p;
  remove_mean(domain, &without_mean);
  EXPECT_LE(largest_difference(p, without_mean), 1e-12 * (1.0 + largest(p)));
}

/// Of a fluid at rest on a hot plate all is known at once; of waves in it, the waves are left.
TEST(Multigrid, BeginsALayerWithoutItsWalls) {
  constexpr std::int64_t cells = 32;
  const Axis around = uniform_axis(2 * cells, true);
  const Domain layer{uniform_axis(cells, false), around, around};
  const auto residuals_of = [&](double waves, multigrid::Beginning beginning) {
    Values f(static_cast<std::size_t>(layer.extents().count()));
    for_cells(layer, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t place) {
      const double at_walls = i == 0 || i + 1 == cells ? 0.5 * cells - 1.0 : -1.0;
      f[place] = at_walls + waves * std::sin(0.1 * static_cast<double>(i)) *
                                std::cos(std::numbers::pi / cells * static_cast<double>(j + 2 * k));
    });
    remove_mean(layer, &f);
    std::vector<multigrid::Level> levels = multigrid::make_levels(layer);
    multigrid::set_short_cycle(&levels, 0);
    Values p;
    return Reference(levels).solve(f, {0.0, 4}, &p, beginning);
  };
  EXPECT_LE(residuals_of(0.0, multigrid::Beginning::planes).front(), 1e-12);
  EXPECT_LE(residuals_of(1.0, multigrid::Beginning::planes).back(),
            0.04 * residuals_of(1.0, multigrid::Beginning::zero).back());
}

class MultigridByLinesOn : public testing::TestWithParam<NamedDomain> {};

INSTANTIATE_TEST_SUITE_P(Gathered, MultigridByLinesOn,
                         testing::ValuesIn(gathered_domains(LinesAlong::any_axis)), domain_name);

/// 0.05 to 0.19, whatever the stretching, and 0.26 where all axes are stretched; the point smoother
/// diverges on some of them.
TEST_P(MultigridByLinesOn, ReferenceConverges) {
  const Domain& domain = GetParam().domain;
  const Values f = random_right_side(domain, 31);
  Values p;
  const Reference by_lines(domain, multigrid::Smoother::lines);
  const std::vector<double> residuals = by_lines.solve(f, {1e-6 * largest(f), 12}, &p);
  EXPECT_LE(residuals.back(), 1e-6 * largest(f));
  if (residuals.size() > 2) {
    EXPECT_LE(convergence_factor(residuals), left_by_lines(domain));
  }
  EXPECT_NEAR(residual(domain, p, f), residuals.back(), 1e-6 * largest(f));
}

TEST(MultigridByLines, OfUniformAxesIsThatByPoints) {
  const Domain domain = cube(12, true);
  const Values f = random_right_side(domain, 32);
  EXPECT_EQ(Reference(domain, multigrid::Smoother::lines).v_cycle(f), Reference(domain).v_cycle(f));
}

TEST(Multigrid, SaysWhereItConverges) {
  const Axis uniform = uniform_axis(8, true);
  const Axis mild = gathered_axis(64, false, 0.7);
  const Axis strong = gathered_axis(64, false, 5.0);
  EXPECT_TRUE(multigrid_serves({uniform, gathered_axis(64, false, 3.0), uniform}));
  EXPECT_TRUE(multigrid_serves({strong, uniform, uniform}));
  EXPECT_TRUE(multigrid_serves({uniform, strong, uniform}));
  EXPECT_TRUE(multigrid_serves({mild, strong, mild}));
  EXPECT_FALSE(multigrid_serves({strong, uniform, gathered_axis(64, false, 2.5)}));
  EXPECT_FALSE(multigrid_serves({strong, strong, uniform}));
  EXPECT_FALSE(multigrid_serves({uniform, uniform, strong})) << "lines along k";
  const Axis twice = gathered_axis(24, false, 2.0);
  EXPECT_FALSE(multigrid_serves({twice, twice, twice}));
  EXPECT_FALSE(multigrid_serves({strong, twice, uniform}));
  EXPECT_TRUE(multigrid_serves({strong, twice, uniform_axis(1, true)})) << "a plane";
}

TEST(MultigridStretched, SaysWhatKeepsIt) {
  const auto length = [](double value) { return uniform_axis(24, false, value / 24.0); };
  const MultigridFit flat = multigrid_fit({length(1.0), length(1e4), length(1.0)});
  EXPECT_EQ(flat.limit, MultigridLimit::range);
  EXPECT_EQ(flat.other, 1);
  EXPECT_NEAR(flat.value, std::pow(24e4 / std::numbers::pi, 2), 1e-3 * flat.value);
  EXPECT_TRUE(multigrid_serves({length(1.0), length(100.0), length(1.0)}));

  const Axis strong = gathered_axis(24, false, 5.0);
  const Axis twice = gathered_axis(24, false, 2.0);
  const MultigridFit shapes = multigrid_fit({twice, strong, twice});
  EXPECT_EQ(shapes.limit, MultigridLimit::shapes);
  EXPECT_NEAR(shapes.value, std::pow(width_ratio(twice), 2), 1e-9 * shapes.value);
  EXPECT_EQ(shapes.other, 1);
  EXPECT_EQ(multigrid_fit({strong, length(100.0), length(1.0)}).limit, MultigridLimit::range);
}

/// A box of any lengths, stretched along any axes, the most along i: as flows are stored.
Domain random_box(std::uint64_t seed) {
  const auto random = [&](std::uint64_t n, double least, double most) {
    return least + (most - least) * 0.5 * (1.0 + random_symmetric(seed, n));
  };
  std::array<double, 3> stretching{};
  for (std::uint64_t n = 0; n < 3; ++n) {
    stretching.at(n) = random(n, 0.0, 1.0) < 0.4 ? 0.0 : random(n + 3, 0.2, n == 0 ? 5.0 : 1.5);
  }
  std::sort(stretching.rbegin(), stretching.rend());
  std::array<Axis, 3> axes;
  for (std::uint64_t n = 0; n < 3; ++n) {
    const auto cells = static_cast<std::int64_t>(random(n + 6, 10.0, 26.0));
    const bool periodic = stretching.at(n) == 0.0 && random(n + 9, 0.0, 1.0) < 0.5;
    axes.at(n) = gathered_axis(cells, periodic, stretching.at(n));
    const double length = std::pow(10.0, random(n + 12, -1.5, 1.5));
    for (double& width : axes.at(n).widths) {
      width *= length;
    }
  }
  return {axes[0], axes[1], axes[2]};
}

/// Whatever is served is solved for, to the tolerance or to the rounding of the largest
/// coefficients.
TEST(MultigridStretched, WhatIsServedConverges) {
  int served = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Domain domain = random_box(seed);
    if (!multigrid_serves(domain)) {
      continue;
    }
    ++served;
    const Values f = random_right_side(domain, seed);
    const auto solver = make_cpu_multigrid<double>(domain, {1e-9 * largest(f), 60}, 1);
    put(domain, f, solver->right_side());
    solver->solve();
    double coefficient = 0.0;
    double longest = 0.0;
    for (const Axis* axis : {&domain.i, &domain.j, &domain.k}) {
      const double narrowest = *std::min_element(axis->widths.begin(), axis->widths.end());
      coefficient += 4.0 / (narrowest * narrowest);
      longest = std::max(longest, std::accumulate(axis->widths.begin(), axis->widths.end(), 0.0));
    }
    const double rounding =
        std::numeric_limits<double>::epsilon() * coefficient * longest * longest * largest(f);
    EXPECT_LE(solver->outcome().residual, std::max(1e-9 * largest(f), rounding)) << seed;
  }
  EXPECT_GT(served, 60);
  EXPECT_LT(served, 190) << "some are refused";
}

/// A solver, and what its solve left.
template <class Real>
struct Solved {
  std::unique_ptr<Solver<Real>> solver;
  Values p;
  Outcome outcome;
};

template <class Real>
Solved<Real> solved(const Domain& domain, const Values& f, double tolerance, int threads = 1) {
  Solved<Real> result{make_cpu_multigrid<Real>(domain, {tolerance, 60}, threads), {}, {}};
  put(domain, f, result.solver->right_side());
  result.solver->solve();
  result.p = take(domain, result.solver->solution());
  result.outcome = result.solver->outcome();
  return result;
}

TEST_P(MultigridOn, CpuSolves) {
  const Domain& domain = GetParam().domain;
  const Values f = random_right_side(domain, 21);
  const double tolerance = 1e-10 * largest(f);
  const auto result = solved<double>(domain, f, tolerance);
  EXPECT_TRUE(result.outcome.converged);
  EXPECT_LE(result.outcome.cycles, max_cycles(domain) + 2);
  EXPECT_LE(residual(domain, result.p, f), 1.01 * tolerance);
  EXPECT_NEAR(result.outcome.residual, residual(domain, result.p, f), 0.01 * tolerance);
}

class MultigridByLinesOfSchedulesOn : public testing::TestWithParam<NamedDomain> {};

INSTANTIATE_TEST_SUITE_P(Gathered, MultigridByLinesOfSchedulesOn,
                         testing::ValuesIn(gathered_domains(LinesAlong::i_or_j)), domain_name);

/// Corrections are fp32: where cells are thinnest the residual is what their rounding leaves, which
/// depends on the right side and on the order of operations. So the bound is on the mean of
/// several.
TEST_P(MultigridByLinesOfSchedulesOn, CpuConverges) {
  const Domain& domain = GetParam().domain;
  double fallen = 0.0;  // logarithm
  int cycles = 0;
  for (const int seed : {31, 32, 33, 34, 35, 36, 37, 38}) {
    const Values f = random_right_side(domain, static_cast<std::uint64_t>(seed));
    const auto start = solved<double>(domain, f, 0.5 * largest(f));
    const auto end = solved<double>(domain, f, 1e-6 * largest(f));
    EXPECT_TRUE(end.outcome.converged);
    EXPECT_LE(residual(domain, end.p, f), 1.01e-6 * largest(f));
    if (end.outcome.cycles > start.outcome.cycles) {
      fallen += std::log(end.outcome.residual / start.outcome.residual);
      cycles += end.outcome.cycles - start.outcome.cycles;
    }
  }
  if (cycles > 0) {
    EXPECT_LE(std::exp(fallen / cycles), left_by_lines(domain));
  }
}

/// As the CPU has it, with lines along j.
Domain turned_for_cpu(const Domain& given) {
  return multigrid::line_axis_of_schedules(given) == 0 ? Domain{given.j, given.i, given.k} : given;
}

/// A field of a level in split rows.
template <class T>
void put_split(const Domain& domain, const Values& values, const multigrid::SplitField<T>& field) {
  for_cells(domain, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t place) {
    field.row(i, j).half(static_cast<int>(k % 2))[k / 2] = static_cast<T>(values[place]);
  });
}

template <class T>
Values take_split(const Domain& domain, const multigrid::SplitField<T>& field) {
  Values values(static_cast<std::size_t>(domain.extents().count()));
  for_cells(domain, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t place) {
    values[place] = static_cast<double>(field.row(i, j).half(static_cast<int>(k % 2))[k / 2]);
  });
  return values;
}

/// A V-cycle of the CPU's stages, one after the other, in fp64.
class StagesInDouble {
 public:
  explicit StagesInDouble(const std::vector<multigrid::Level>& levels) {
    for (const multigrid::Level& level : levels) {
      levels_.push_back(std::make_unique<Level>(level, Team(1)));
    }
    work_ = std::make_unique<multigrid::CpuWorkspaceOf<double>>(*levels_.front());
  }

  Values v_cycle(const Domain& domain, const Values& r) {
    put_split(domain, r, levels_.front()->r);
    improve(0);
    return take_split(domain, levels_.front()->e);
  }

 private:
  using Level = multigrid::CpuLevelOf<double>;
  using Colour = multigrid::Colour;
  using From = multigrid::From;

  template <class Stage>
  static void run(const Stage& stage) {
    const Range rows{0, stage.rows().count()};
    for (std::int64_t i = 0; i < stage.planes().count(); ++i) {
      stage(i, rows, rows);
    }
  }

  void sweep(const Level& level, From first) {
    const double omega = level.omega_before[0];
    run(multigrid::LineRelaxation<double>(level, *work_, {Colour::red, omega, first}));
    run(multigrid::LineRelaxation<double>(level, *work_,
                                          {Colour::black, omega, From::what_is_there}));
  }

  void improve(std::size_t l) {
    const Level& level = *levels_[l];
    sweep(level, From::zero);
    if (l + 1 == levels_.size()) {
      return;
    }
    for (int n = 1; n < level.sweeps_before; ++n) {
      sweep(level, From::what_is_there);
    }
    const Level& coarse = *levels_[l + 1];
    run(multigrid::Restriction<double>(level, coarse, *work_, From::what_is_there));
    improve(l + 1);
    run(multigrid::Interpolation<double>(level, coarse, *work_, From::what_is_there));
    for (int n = 0; n < level.sweeps_after; ++n) {
      sweep(level, From::what_is_there);
    }
  }

  std::vector<std::unique_ptr<Level>> levels_;
  std::unique_ptr<multigrid::CpuWorkspaceOf<double>> work_;
};

/// Whether on some level an axis across the lines goes round an odd number of cells: there two
/// neighbours have the same colour, and the order in which they are relaxed matters.
bool has_seams(const std::vector<multigrid::Level>& levels) {
  const auto goes_round_oddly = [](const multigrid::AxisLevel& axis) {
    return axis.periodic && axis.cells > 1 && axis.cells % 2 == 1;
  };
  return std::any_of(levels.begin(), levels.end(), [&](const multigrid::Level& level) {
    return goes_round_oddly(level.i) || goes_round_oddly(level.k);
  });
}

std::vector<NamedDomain> gathered_domains_without_seams() {
  std::vector<NamedDomain> result = gathered_domains(LinesAlong::i_or_j);
  std::erase_if(result, [](const NamedDomain& each) {
    return has_seams(multigrid::make_levels_along(turned_for_cpu(each.domain), 1));
  });
  return result;
}

class MultigridStagesOfLinesOn : public testing::TestWithParam<NamedDomain> {};

INSTANTIATE_TEST_SUITE_P(Gathered, MultigridStagesOfLinesOn,
                         testing::ValuesIn(gathered_domains_without_seams()), domain_name);

TEST_P(MultigridStagesOfLinesOn, DoWhatTheReferenceDoes) {
  const Domain domain = turned_for_cpu(GetParam().domain);
  const std::vector<multigrid::Level> levels = multigrid::make_levels_along(domain, 1);
  const Values r = random_right_side(domain, 33);
  Values found = StagesInDouble(levels).v_cycle(domain, r);
  Values expected = Reference(levels).v_cycle(r);
  // In a single line only differences are determined.
  remove_mean(domain, &found);
  remove_mean(domain, &expected);
  EXPECT_LE(largest_difference(found, expected), 1e-10 * largest(expected));
}

/// In fp32, in which differences of neighbours across thin cells are hardly seen.
TEST_P(MultigridByLinesOfSchedulesOn, CyclesOfTheCpuAreItsStages) {
  const Domain domain = turned_for_cpu(GetParam().domain);
  const std::vector<multigrid::Level> levels = multigrid::make_levels_along(domain, 1);
  const Values r = random_right_side(domain, 33);
  multigrid::CpuCycle cycle(levels, Team(2));
  put_split(domain, r, cycle.finest().r);
  cycle.v_cycle();
  Values found = take_split(domain, cycle.finest().e);
  Values expected = StagesInDouble(levels).v_cycle(domain, r);
  remove_mean(domain, &found);
  remove_mean(domain, &expected);
  EXPECT_LE(largest_difference(found, expected), 0.03 * largest(expected));
}

/// Large enough for pipelines in slabs, by several threads. Those of many planes turn in one pass
/// by one and by two threads, in two passes by three; the flat one is as thin as three threads can
/// share.
std::vector<NamedDomain> domains_of_many_rows() {
  return {
      {"even", {uniform_axis(40, true), uniform_axis(70, true), uniform_axis(38, true)}},
      {"odd", {uniform_axis(41, true), uniform_axis(71, true), uniform_axis(37, true)}},
      {"odd_walls", {uniform_axis(43, false), uniform_axis(71, false), uniform_axis(33, false)}},
      {"flat", {uniform_axis(24, true), uniform_axis(76, true), uniform_axis(76, true)}},
      {"many_planes", {uniform_axis(116, true), uniform_axis(34, true), uniform_axis(39, true)}},
      {"many_oblong",
       {uniform_axis(99, false), uniform_axis(37, false, 1.2), uniform_axis(46, true)}},
      {"many_shapes",
       {gathered_axis(163, false, 0.4), uniform_axis(28, true), uniform_axis(34, true)}},
      {"long_rows", {uniform_axis(33, true), uniform_axis(67, true), uniform_axis(801, false)}},
      {"semi_i", {uniform_axis(29, true, 0.3), uniform_axis(99, false), uniform_axis(401, true)}},
      {"semi_j", {uniform_axis(33, true), uniform_axis(97, true, 0.2), uniform_axis(201, true)}},
      {"lines_i",
       {gathered_axis(33, false, 5.0), uniform_axis(64, true, 0.02), uniform_axis(70, true, 0.02)}},
      {"lines_j",
       {uniform_axis(61, true, 0.02), gathered_axis(48, false, 3.0), uniform_axis(95, true, 0.02)}},
      {"lines_around",
       {gathered_axis(32, true, 3.0), uniform_axis(91, false, 0.02), uniform_axis(37, true, 0.02)}},
  };
}

class MultigridTeamOn : public testing::TestWithParam<NamedDomain> {};

INSTANTIATE_TEST_SUITE_P(ManyRows, MultigridTeamOn, testing::ValuesIn(domains_of_many_rows()),
                         domain_name);

TEST_P(MultigridTeamOn, ResultsDoNotDependOnTheNumberOfThreads) {
  const Domain& domain = GetParam().domain;
  const Values f = random_right_side(domain, 22);
  const double tolerance = 1e-4 * largest(f);
  const auto alone = solved<double>(domain, f, tolerance, 1);
  EXPECT_TRUE(alone.outcome.converged);
  EXPECT_LE(residual(domain, alone.p, f), 1.01 * tolerance);
  EXPECT_LE(alone.outcome.cycles, 6);
  for (const int threads : {2, 3}) {
    const auto shared = solved<double>(domain, f, tolerance, threads);
    EXPECT_EQ(shared.p, alone.p) << threads << " threads";
    EXPECT_EQ(shared.outcome.cycles, alone.outcome.cycles);
  }
}

std::vector<NamedDomain> cubes() {
  std::vector<NamedDomain> result;
  for (const std::int64_t cells : {16, 32, 64}) {
    result.push_back({"walls", cube(cells, false)});
    result.push_back({"periodic", cube(cells, true)});
  }
  return result;
}

class MultigridOnCube : public testing::TestWithParam<NamedDomain> {};

INSTANTIATE_TEST_SUITE_P(Cubes, MultigridOnCube, testing::ValuesIn(cubes()), domain_name);

/// The cycle that CPUs do.
std::vector<multigrid::Level> levels_of_cpus(const Domain& domain) {
  std::vector<multigrid::Level> levels = multigrid::make_levels(domain);
  multigrid::set_short_cycle(&levels, 1);
  return levels;
}

/// The reference converges alike on all cubes, and what runs on CPUs like the reference.
TEST_P(MultigridOnCube, Converges) {
  const Domain& domain = GetParam().domain;
  const Values f = random_right_side(domain, 12);
  const double tolerance = 1e-8 * largest(f);
  for (const auto& levels : {multigrid::make_levels(domain), levels_of_cpus(domain)}) {
    Values p;
    const auto residuals = Reference(levels).solve(f, {tolerance, 20}, &p);
    EXPECT_LE(convergence_factor(residuals), 0.07);
    EXPECT_LE(residuals[1] / residuals[0], 0.25);
    const auto result = solved<double>(domain, f, tolerance);
    EXPECT_LE(result.outcome.cycles, static_cast<int>(residuals.size() - 1));
    EXPECT_LE(result.outcome.residual, tolerance);
  }
}

/// Full multigrid, and cycles of which the last has no way down behind it; corrections are fp32
/// here and fp64 in the reference.
TEST(MultigridCpu, EachCycleReducesTheResidualAsTheReferenceDoes) {
  const Axis around = uniform_axis(48, true);
  const std::vector<NamedDomain> domains{
      {"cubes", cube(40, false)},
      {"layer", {uniform_axis(120, false), around, around}},
      {"narrow", {uniform_axis(48, false, 0.5), around, around}},
      {"squares", {uniform_axis(64, false), uniform_axis(1, true), uniform_axis(96, true)}},
      {"others", {uniform_axis(40, false), uniform_axis(40, true, 1.2), around}}};
  for (const NamedDomain& each : domains) {
    const Values f = random_right_side(each.domain, 43);
    Values p;
    const auto residuals = Reference(levels_of_cpus(each.domain)).solve(f, {0.0, 5}, &p);
    for (int cycles = 1; cycles <= 5; ++cycles) {
      for (const int threads : {1, 2, 3}) {
        const auto solver = make_cpu_multigrid<double>(each.domain, {0.0, cycles}, threads);
        put(each.domain, f, solver->right_side());
        solver->solve();
        const double expected = residuals[static_cast<std::size_t>(cycles)];
        EXPECT_NEAR(solver->outcome().residual / expected, 1.0, 0.05)
            << each.name << ", cycles: " << cycles << ", threads: " << threads;
      }
    }
  }
}

/// What rounding p to fp32 may change in L p.
double rounding_of_single_precision(const Domain& domain, const Values& p) {
  double coefficients = 0.0;
  for (const Axis* axis : {&domain.i, &domain.j, &domain.k}) {
    const double width = *std::min_element(axis->widths.begin(), axis->widths.end());
    coefficients += 4.0 / (width * width);
  }
  return 0x1p-24 * coefficients * largest(p);
}

TEST_P(MultigridOn, CpuInSinglePrecisionEndsAtItsRounding) {
  const Domain& domain = GetParam().domain;
  const Values f = random_right_side(domain, 23);
  const Values p = solved<double>(domain, f, 1e-8).p;
  const double bound = 1e-6 * largest(f) + 2.0 * rounding_of_single_precision(domain, p);
  const auto result = solved<float>(domain, f, bound);
  EXPECT_TRUE(result.outcome.converged) << result.outcome.residual;
  EXPECT_LE(residual(domain, result.p, f), 1.5 * bound);
  const auto asked_too_much = solved<float>(domain, f, 0.0);
  EXPECT_LE(residual(domain, asked_too_much.p, f), 2.0 * bound);
}

/// The bits of p and of e after two turns of a cycle on cores with such a second-level cache.
std::vector<double> turned_twice(const Domain& domain, std::int64_t second_level_bytes) {
  using namespace multigrid;
  std::vector<Level> levels = make_levels(domain);
  set_short_cycle(&levels, 1);
  const Team team(1);
  CpuCycle cycle(levels, team, second_level_bytes);
  CpuOuter<double> outer{CpuAxes<double>(levels.front()), CpuField<double>(domain.extents(), team),
                         CpuField<double>(domain.extents(), team)};
  const Extents n = domain.extents();
  const auto correct = [&](CpuWorkspace& work) {
    return Correction<double>(outer, cycle.finest(), work, 1.0, From::what_is_there);
  };
  const auto form = [&](CpuWorkspace& work) {
    return Defect<double>(outer, cycle.finest(), work, {0.0, 1.0}, From::what_is_there);
  };
  for_cells(domain, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t place) {
    outer.f.row(i, j)[k] = random_symmetric(4, place);
  });
  std::optional<From> way_up;
  for (int turn = 0; turn < 2; ++turn) {
    cycle.turn(way_up, true, correct, form);
    cycle.v_cycle_below();
    way_up = cycle.start_of_way_up(0);
  }
  cycle.turn(way_up, false, correct, form);
  EXPECT_EQ(cycle.kind_of_turn(), Turn::in_one_pass);
  std::vector<double> found;
  for_cells(domain, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t /*place*/) {
    found.push_back(outer.p.row(i, j)[k]);
    found.push_back(
        static_cast<double>(cycle.finest().e.row(i, j).half(k % 2 == 0 ? 0 : 1)[k / 2]));
  });
  EXPECT_EQ(found.size(), static_cast<std::size_t>(2 * n.count()));
  return found;
}

/// Of which the larger has three slabs where the smaller has one.
TEST(MultigridCpu, SlabsForAnyCacheHaveTheSameBits) {
  constexpr std::int64_t mebi = std::int64_t{1} << 20;
  for (const bool periodic : {false, true}) {
    const Domain domain{uniform_axis(56, false), uniform_axis(256, periodic),
                        uniform_axis(64, true)};
    const std::vector<double> of_small = turned_twice(domain, mebi / 2);
    EXPECT_TRUE(of_small == turned_twice(domain, 2 * mebi)) << periodic;
    EXPECT_GT(largest(of_small), 0.0);
  }
}

TEST(MultigridCpu, MeanOfTheRightSideIsSubtracted) {
  for (const NamedDomain& each : stretched_shapes()) {
    Values f = random_values(each.domain, 24);
    for (double& value : f) {
      value += 3.0;
    }
    const auto result = solved<double>(each.domain, f, 1e-8);
    EXPECT_TRUE(result.outcome.converged) << each.name;
    remove_mean(each.domain, &f);
    EXPECT_LE(residual(each.domain, result.p, f), 1.1e-8) << each.name;
  }
}

TEST(MultigridCpu, StartsFromTheLastSolution) {
  const Domain domain = cube(32, true);
  Values f = random_right_side(domain, 25);
  auto first = solved<double>(domain, f, 1e-8);
  first.solver->solve();
  EXPECT_EQ(first.solver->outcome().cycles, 0);
  EXPECT_EQ(take(domain, first.solver->solution()), first.p);
  const Values change = random_right_side(domain, 26);
  for (std::size_t n = 0; n < f.size(); ++n) {
    f[n] += 1e-4 * change[n];
  }
  put(domain, f, first.solver->right_side());
  first.solver->solve();
  EXPECT_LT(first.solver->outcome().cycles, first.outcome.cycles);
  EXPECT_LE(residual(domain, take(domain, first.solver->solution()), f), 1.01e-8);
}

TEST(MultigridCpu, AStartWorseThanNothingIsForgotten) {
  const Domain domain = cube(24, false);
  const Values f = random_right_side(domain, 27);
  auto first = solved<double>(domain, f, 1e-8);
  for (const double nonsense : {1e6, std::nan("")}) {
    Values p = random_values(domain, 28);
    for (double& value : p) {
      value *= nonsense;
    }
    put(domain, p, first.solver->solution());
    first.solver->solve();
    EXPECT_EQ(first.solver->outcome().cycles, first.outcome.cycles);
    EXPECT_EQ(take(domain, first.solver->solution()), first.p);
  }
  first.solver->forget();
  first.solver->solve();
  EXPECT_EQ(take(domain, first.solver->solution()), first.p);
}

TEST(MultigridCpu, BlownUpRightSidesEndTheSolveAndNotTheSolver) {
  const Domain domain = cube(16, true);
  const Values f = random_right_side(domain, 29);
  const auto first = solved<double>(domain, f, 1e-8);
  Values broken = f;
  broken[17] = std::nan("");
  put(domain, broken, first.solver->right_side());
  first.solver->solve();
  EXPECT_FALSE(first.solver->outcome().converged);
  EXPECT_LE(first.solver->outcome().cycles, 1);
  put(domain, f, first.solver->right_side());
  first.solver->forget();
  first.solver->solve();
  EXPECT_EQ(take(domain, first.solver->solution()), first.p);
}

TEST(MultigridCpu, AnyUnitsWillDo) {
  for (const double unit : {1e-60, 1e60}) {
    const Domain domain = cube(16, true);
    Values f = random_right_side(domain, 30);
    for (double& value : f) {
      value *= unit;
    }
    const auto result = solved<double>(domain, f, 1e-8 * unit);
    EXPECT_TRUE(result.outcome.converged);
    EXPECT_LE(residual(domain, result.p, f), 1.01e-8 * unit);
  }
}

/// The bound on the residual times a number that the solver looks at in each solve.
TEST(MultigridCpu, ToleranceInUnitsOfAFactor) {
  const Domain domain = cube(16, true);
  const Values f = random_right_side(domain, 34);
  double factor = 1e-3;
  const auto solver = make_cpu_multigrid<double>(domain, {1e-6, 60, &factor}, 1);
  for (factor = 1e-3; factor < 1e5; factor *= 100.0) {
    put(domain, f, solver->right_side());
    solver->forget();
    solver->solve();
    EXPECT_TRUE(solver->outcome().converged);
    EXPECT_LE(solver->outcome().residual * factor, 1e-6);
    EXPECT_GE(solver->outcome().residual * factor, 1e-9);
  }
  factor = 0.0;
  solver->forget();
  solver->solve();
  EXPECT_LE(solver->outcome().residual, 1e-6 * largest(f));
  EXPECT_GE(solver->outcome().residual, 1e-9 * largest(f));
}

TEST(MultigridCpu, RefusesDomainsWithoutCells) {
  for (const RefusedDomain& each : refused_domains()) {
    EXPECT_EQ(refusal_text([&] { make_cpu_multigrid<double>(each.domain, {}, 1); }), each.refusal);
    EXPECT_EQ(refusal_text([&] { static_cast<void>(multigrid_fit(each.domain)); }), each.refusal);
    EXPECT_EQ(refusal_text(
                  [&] { static_cast<void>(multigrid_bytes(each.domain, sizeof(double), false)); }),
              each.refusal);
  }
}

TEST(MultigridCpu, RefusesAGridOfRanksThatItCannotServe) {
  const Domain domain = cube(8, true);
  const auto refusal = [&](const RankGrid& grid) {
    return refusal_text([&] { make_cpu_multigrid<double>(domain, {}, 1, {.grid = grid}); });
  };
  EXPECT_EQ(refusal({2, 1, 1}),
            "a grid of 2x1x1 ranks cannot be that of a communicator of size 1; cut the domain for "
            "as many ranks as there are");
  EXPECT_EQ(refusal({1, 1, 1}), "");
}

TEST(MultigridCpu, NothingToSolve) {
  const Domain domain = cube(8, true);
  const auto result = solved<double>(domain, Values(512, 0.0), 0.0);
  EXPECT_TRUE(result.outcome.converged);
  EXPECT_EQ(result.outcome.cycles, 0);
  EXPECT_EQ(result.p, Values(512, 0.0));
}

TEST(MultigridCpu, ConstantRightSideHasNoSolutionButTheMean) {
  const Domain domain = cube(8, false);
  const auto result = solved<double>(domain, Values(512, 4.0), 1e-12);
  EXPECT_TRUE(result.outcome.converged);
  EXPECT_LE(largest(result.p), 1e-12);
}

TEST(MultigridCpu, TakesTheMemoryItSays) {
  for (const int threads : {1, 2}) {
    const Domain domain = cube(64, true);
    const MemoryWatch watch(MemorySpace::host);
    const auto solver = make_cpu_multigrid<double>(domain, {}, threads);
    EXPECT_LE(watch.max_bytes(), multigrid_bytes(domain, sizeof(double), false));
    EXPECT_GE(watch.max_bytes(), multigrid_bytes(domain, sizeof(double), false) * 9 / 10);
  }
}

}  // namespace
}  // namespace bankfull::poisson
