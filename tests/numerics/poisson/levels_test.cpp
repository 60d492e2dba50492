#include "bankfull/numerics/poisson/multigrid/levels.hpp"

#include "bankfull/numerics/poisson/multigrid/point.hpp"
#include "tests/numerics/poisson/domains.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull::poisson::multigrid {
namespace {

std::vector<NamedDomain> every_domain() {
  std::vector<NamedDomain> result = uniform_shapes();
  for (const auto& more : {stretched_shapes(), all_boundaries({6, 5, 7})}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

TEST(MultigridLevels, EndWithASingleCellAndHalveWhatIsCoarsened) {
  for (const NamedDomain& each : every_domain()) {
    const std::vector<Level> levels = make_levels(each.domain);
    EXPECT_EQ(levels.front().extents(), each.domain.extents()) << each.name;
    EXPECT_EQ(levels.back().extents(), (Extents{1, 1, 1})) << each.name;
    for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
      const auto next_cells = [](const AxisLevel& axis) {
        return axis.coarsened ? (axis.cells + 1) / 2 : axis.cells;
      };
      EXPECT_LT(levels[l + 1].extents().count(), levels[l].extents().count()) << each.name;
      EXPECT_EQ(levels[l + 1].extents(), (Extents{next_cells(levels[l].i), next_cells(levels[l].j),
                                                  next_cells(levels[l].k)}))
          << each.name;
    }
  }
}

/// Coarse axis on which the centres of all cells, and a straight line over them, are known.
TEST(MultigridLevels, InterpolationKeepsStraightLinesAwayFromTheEnds) {
  const Domain domain{stretched_axis(13, false, 1.2), uniform_axis(1, true), uniform_axis(1, true)};
  const std::vector<Level> levels = make_levels(domain);
  const AxisLevel& fine = levels[0].i;
  const auto centres = [](const std::vector<double>& widths) {
    std::vector<double> result;
    double face = 0.0;
    for (const double width : widths) {
      result.push_back(face + 0.5 * width);
      face += width;
    }
    return result;
  };
  std::vector<double> coarse_widths;
  for (std::size_t n = 0; n < 13; n += 2) {
    coarse_widths.push_back(domain.i.widths[n] + (n < 12 ? domain.i.widths[n + 1] : 0.0));
  }
  const std::vector<double> x = centres(domain.i.widths);
  const std::vector<double> coarse_x = centres(coarse_widths);
  for (std::int64_t n = 1; n < 13; ++n) {
    const auto parent = static_cast<std::size_t>(parent_of(n, true));
    const auto other = static_cast<std::size_t>(other_parent_of(n, true, 7, false));
    const auto cell = static_cast<std::size_t>(n);
    EXPECT_NEAR(interpolated(fine.interpolation_weight[cell], coarse_x[parent], coarse_x[other]),
                x[cell], 1e-12);
    EXPECT_NEAR(fine.restriction_weight[cell] * coarse_widths[parent], domain.i.widths[cell],
                1e-12);
  }
}

TEST(MultigridLevels, NeighboursBeyondTheEnds) {
  EXPECT_EQ(other_parent_of(0, true, 4, true), 3);
  EXPECT_EQ(other_parent_of(7, true, 4, true), 0);
  EXPECT_EQ(other_parent_of(0, true, 4, false), 0);
  EXPECT_EQ(other_parent_of(7, true, 4, false), 3);
  EXPECT_EQ(other_parent_of(2, true, 4, false), 0);
  EXPECT_EQ(other_parent_of(3, true, 4, false), 2);
  EXPECT_EQ(other_parent_of(3, false, 4, false), 3);
}

TEST(MultigridLevels, CellsBecomeLessAnisotropic) {
  const Domain domain{uniform_axis(16, false, 0.1), uniform_axis(16, true, 0.4),
                      uniform_axis(16, true, 0.45)};
  const std::vector<Level> levels = make_levels(domain);
  for (std::size_t l = 0; l < 2; ++l) {
    EXPECT_TRUE(levels[l].i.coarsened);
    EXPECT_FALSE(levels[l].j.coarsened);
    EXPECT_FALSE(levels[l].k.coarsened);
  }
  EXPECT_EQ(levels[2].extents(), (Extents{4, 16, 16}));
  EXPECT_TRUE(levels[2].i.coarsened && levels[2].j.coarsened && levels[2].k.coarsened);
}

TEST(MultigridLevels, LinesRunAlongTheMostStretchedAxisOfEachLevel) {
  const Domain domain{uniform_axis(9, true), gathered_axis(12, false, 2.0),
                      gathered_axis(10, false, 3.0)};
  const std::vector<Level> levels = make_levels(domain, Smoother::lines);
  for (const Level& level : levels) {
    EXPECT_EQ(level.line_axis, 2);
    EXPECT_EQ(level.k.cells, 10);
  }
  EXPECT_EQ(levels.back().extents(), (Extents{1, 1, 10}));
  EXPECT_EQ(levels.front().sweeps_before, 1);
  EXPECT_FALSE(make_levels(uniform_shapes().front().domain, Smoother::lines).front().has_lines());
}

/// Coefficients of a level are those of the equation.
TEST(MultigridLevels, CoefficientsAreTheDiscreteLaplacian) {
  for (const NamedDomain& each : every_domain()) {
    const Level level = make_levels(each.domain).front();
    const Extents n = each.domain.extents();
    const Values p = random_values(each.domain, 7);
    const Values expected = laplacian(each.domain, p);
    const auto at = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      return p[static_cast<std::size_t>((((i + n.ni) % n.ni) * n.nj + (j + n.nj) % n.nj) * n.nk +
                                        (k + n.nk) % n.nk)];
    };
    for_cells(each.domain, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t place) {
      const auto of = [](const std::vector<double>& values, std::int64_t cell) {
        return values[static_cast<std::size_t>(cell)];
      };
      const Faces<double> a{of(level.i.lower, i), of(level.i.upper, i), of(level.j.lower, j),
                            of(level.j.upper, j), of(level.k.lower, k), of(level.k.upper, k)};
      const Faces<double> around{at(i - 1, j, k), at(i + 1, j, k), at(i, j - 1, k),
                                 at(i, j + 1, k), at(i, j, k - 1), at(i, j, k + 1)};
      const double scale = 1e-14 * (1.0 + diagonal(a));
      EXPECT_NEAR(laplacian(a, at(i, j, k), around), expected[place], scale) << each.name;
      EXPECT_NEAR(-inner_residual(diagonal(a), at(i, j, k), neighbour_sum(a, around), 0.0),
                  expected[place], 4.0 * scale)
          << each.name;
    });
  }
}

TEST(MultigridLevels, OverRelaxationAsPublished) {
  EXPECT_NEAR(best_omega(1.0, 3.0), 1.146, 5e-4);
  EXPECT_NEAR(best_omega(1.0, 2.0), 1.072, 5e-4);
  EXPECT_DOUBLE_EQ(best_omega(1.0, 1.0), 1.0);
}

TEST(MultigridLevels, HalfSweepsOfTheShortCycleHaveWeightsOfTheirOwn) {
  const auto have_weights = [](const Axis& i, const Axis& j, const Axis& k) {
    std::vector<Level> levels = make_levels({i, j, k});
    for (const Level& level : levels) {
      EXPECT_EQ(level.omega_before.back(), level.omega);
      EXPECT_EQ(level.omega_after.back(), level.omega);
    }
    set_short_cycle(&levels, 1);
    const Level& finest = levels.front();
    const Level& next = levels.at(1);
    const bool found = finest.omega_after.back() != finest.omega;
    EXPECT_EQ(finest.sweeps_before == 0, found);
    EXPECT_EQ(finest.sweeps_interpolated(), found ? 1 : finest.sweeps_before);
    EXPECT_EQ(next.sweeps_before == 1, found);
    EXPECT_EQ(next.omega_after.back() != next.omega, found);
    return found;
  };
  const Axis one = uniform_axis(16, true);
  const Axis wider = uniform_axis(16, false, 1.2);
  const Axis twice = uniform_axis(16, true, 2.0);
  const Axis none = uniform_axis(1, true);
  EXPECT_TRUE(have_weights(one, one, one));
  EXPECT_TRUE(have_weights(one, none, one));
  EXPECT_TRUE(have_weights(twice, one, twice));
  EXPECT_FALSE(have_weights(one, wider, one));
  EXPECT_FALSE(have_weights(none, wider, one));
  EXPECT_FALSE(have_weights(one, one, twice));
  EXPECT_FALSE(have_weights(one, stretched_axis(16, false, 1.2), one));
}

TEST(MultigridPoint, TheInverseOfNoDiagonalIsZero) {
  EXPECT_EQ(inverse_of(0.0), 0.0);
  EXPECT_EQ(inverse_of(4.0), 0.25);
}

}  // namespace
}  // namespace bankfull::poisson::multigrid
