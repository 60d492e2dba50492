#include "bankfull/numerics/poisson/direct/slabs.hpp"

#include "bankfull/numerics/poisson/direct/constant_mode.hpp"
#include "bankfull/numerics/poisson/direct/elimination.hpp"
#include "bankfull/numerics/poisson/direct/root_systems.hpp"
#include "tests/numerics/poisson/direct_cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

// The elimination of slabs to their roots, in plain fp64 loops over one mode, against a dense
// solution of its system; and RootSystems against those.
namespace bankfull::poisson {
namespace {

using Matrix = std::vector<std::vector<long double>>;

/// By Gauss' elimination with pivots. Its differences lose digits, of which it has some to spare.
Values dense_solution(Matrix a, const Values& right_side) {
  const std::size_t n = right_side.size();
  std::vector<long double> b(right_side.begin(), right_side.end());
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row) {
      pivot = std::abs(a[row][column]) > std::abs(a[pivot][column]) ? row : pivot;
    }
    std::swap(a[pivot], a[column]);
    std::swap(b[pivot], b[column]);
    for (std::size_t row = column + 1; row < n; ++row) {
      const long double factor = a[row][column] / a[column][column];
      for (std::size_t m = column; m < n; ++m) {
        a[row][m] -= factor * a[column][m];
      }
      b[row] -= factor * b[column];
    }
  }
  for (std::size_t row = n; row-- > 0;) {
    for (std::size_t m = row + 1; m < n; ++m) {
      b[row] -= a[row][m] * b[m];
    }
    b[row] /= a[row][row];
  }
  return {b.begin(), b.end()};
}

/// Adds a coupling between two unknowns, which may be the same: then it is none.
void couple(Matrix& a, std::size_t one, std::size_t other, double coupling) {
  if (one == other) {
    return;
  }
  a[one][one] += coupling;
  a[other][other] += coupling;
  a[one][other] -= coupling;
  a[other][one] -= coupling;
}

/// One mode's system along an axis.
struct ModeSystem {
  Axis axis;
  double decay = 0.0;

  [[nodiscard]] std::size_t cells() const { return axis.widths.size(); }
  [[nodiscard]] double dominance(std::size_t n) const { return decay * axis.widths[n]; }

  [[nodiscard]] Matrix matrix() const {
    Matrix a(cells(), std::vector<long double>(cells(), 0.0L));
    const AxisCouplings couplings(axis);
    for (std::size_t n = 0; n < cells(); ++n) {
      a[n][n] += dominance(n);
      if (n + 1 < cells()) {
        couple(a, n, n + 1, couplings.above[n]);
      }
    }
    couple(a, 0, cells() - 1, couplings.closing);
    return a;
  }
};

/// A slab eliminated to its root.
struct EliminatedSlab {
  Range cells;
  std::vector<Pivot<double>> pivots;
  Values particular;
  SlabCouplings<double> left{};
  double side = 0.0;        ///< of the root
  double side_below = 0.0;  ///< of the root below

  EliminatedSlab(const ModeSystem& system, Range of_cells, const Values& sides) : cells(of_cells) {
    const AxisCouplings couplings(system.axis);
    const auto at = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    LowerEnd<double> end{.closing = cells.begin > 0 ? couplings.above[at(cells.begin - 1)]
                                                    : couplings.closing};
    for (std::int64_t n = cells.begin; n + 1 < cells.end; ++n) {
      const double above = couplings.above[at(n)];
      const double right_side = side + sides[at(n)];
      pivots.push_back(
          Elimination<true>::eliminate(system.dominance(at(n)), above, end, left.gain));
      particular.push_back(pivots.back().inverse * right_side);
      side = above * particular.back();
      side_below += pivots.back().around * right_side;
    }
    left.dominance = end.dominance + system.dominance(at(cells.end - 1));
    left.closing = end.closing;
    side += sides[at(cells.end - 1)];
  }

  void substitute(double root, double root_below, Values& solution) const {
    double next = root;
    solution[static_cast<std::size_t>(cells.end - 1)] = root;
    for (std::size_t n = pivots.size(); n-- > 0;) {
      next = Elimination<true>::solution(pivots[n], particular[n], next, root_below);
      solution[static_cast<std::size_t>(cells.begin) + n] = next;
    }
  }
};

std::vector<EliminatedSlab> eliminated(const ModeSystem& system, const Values& sides, int ranks) {
  std::vector<EliminatedSlab> slabs;
  slabs.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    slabs.emplace_back(system, share(system.axis.cells(), rank, ranks), sides);
  }
  return slabs;
}

/// The solutions at the roots alone, by the equations in slabs.hpp.
Values roots_of(const std::vector<EliminatedSlab>& slabs) {
  const std::size_t ranks = slabs.size();
  Matrix a(ranks, std::vector<long double>(ranks, 0.0L));
  Values b(ranks, 0.0);
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::size_t below = (r + ranks - 1) % ranks;
    a[r][r] += slabs[r].left.dominance;
    a[below][below] += slabs[r].left.gain;
    b[r] += slabs[r].side;
    b[below] += slabs[r].side_below;
    couple(a, r, below, slabs[r].left.closing);
  }
  return dense_solution(a, b);
}

Values solution_by_slabs(const ModeSystem& system, const Values& sides, int ranks) {
  const std::vector<EliminatedSlab> slabs = eliminated(system, sides, ranks);
  const Values roots = roots_of(slabs);
  Values solution(sides.size());
  for (std::size_t r = 0; r < slabs.size(); ++r) {
    slabs[r].substitute(roots[r], roots[(r + slabs.size() - 1) % slabs.size()], solution);
  }
  return solution;
}

Values random_sides(std::size_t count, std::uint64_t seed) {
  Values sides(count);
  for (std::size_t n = 0; n < count; ++n) {
    sides[n] = random_symmetric(seed, n);
  }
  return sides;
}

/// Odd numbers of cells, few and many, uniform and stretched.
std::vector<Axis> axes_of_slabs(bool periodic) {
  return {uniform_axis(8, periodic), uniform_axis(13, periodic, 0.03),
          stretched_axis(9, periodic, 1.3), gathered_axis(31, periodic, 3.0),
          gathered_axis(64, periodic, 5.0)};
}

class Slabs : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Ranks, Slabs, testing::Values(2, 3, 4, 5, 7, 8),
                         testing::PrintToStringParamName());

TEST_P(Slabs, LeaveTheSolutionOfTheWholeColumn) {
  for (const bool periodic : {false, true}) {
    for (const Axis& axis : axes_of_slabs(periodic)) {
      for (const double decay : {0.1, 1.0, 1e3, 1e8}) {
        SCOPED_TRACE(std::to_string(axis.cells()) + (periodic ? " periodic, " : " walls, ") +
                     std::to_string(decay));
        const ModeSystem system{axis, decay};
        const Values sides = random_sides(system.cells(), 3);
        const Values whole = dense_solution(system.matrix(), sides);
        const Values found = solution_by_slabs(system, sides, GetParam());
        EXPECT_LE(largest_difference(found, whole), 1e-9 * largest(whole));
        const Values once = solution_by_slabs(system, sides, 1);
        EXPECT_LE(largest_difference(found, once), 1e-13 * largest(once));
      }
    }
  }
}

/// Its systems have no dominance, exactly.
TEST_P(Slabs, LeaveTheConstantModeWithoutDominance) {
  for (const bool periodic : {false, true}) {
    for (const Axis& axis : axes_of_slabs(periodic)) {
      for (const EliminatedSlab& slab :
           eliminated({axis, 0.0}, random_sides(axis.widths.size(), 4), GetParam())) {
        EXPECT_EQ(slab.left.dominance, 0.0);
        EXPECT_EQ(slab.left.gain, 0.0);
        EXPECT_EQ(slab.left.closing > 0.0, periodic || slab.cells.begin > 0);
      }
    }
  }
}

/// Four modes with decays of their own in each pair of columns, two amplitudes of the first two.
struct PairOfColumns {
  std::vector<std::vector<EliminatedSlab>> amplitudes;

  PairOfColumns(const Axis& axis, std::int64_t pair, int modes, int ranks) {
    for (int n = 0; n < RootBlocks::amplitudes; ++n) {
      const int mode = n * modes / RootBlocks::amplitudes;
      const double decay = std::pow(3.0, static_cast<double>(pair) - 5.0) + 0.1 * mode;
      const auto seed = static_cast<std::uint64_t>(10 * pair + n);
      amplitudes.push_back(
          eliminated({axis, decay}, random_sides(axis.widths.size(), seed), ranks));
    }
  }
};

/// As all ranks together do it.
void expect_same_roots(const Domain& domain, int modes, int ranks) {
  const RootBlocks blocks(domain, ranks, RootBlocks::Constant::column);
  for (int owner = 0; owner < ranks; ++owner) {
    const Range mine = blocks.share_of(owner);
    const RootSystems<double> systems(blocks, modes);
    Values sides(static_cast<std::size_t>(ranks * blocks.size()), 0.0);
    std::vector<PairOfColumns> pairs;
    for (std::int64_t pair = mine.begin; pair < mine.end; ++pair) {
      EXPECT_EQ(blocks.owner_of(pair), owner);
      pairs.emplace_back(domain.i, pair, modes, ranks);
      for (int slab = 0; slab < ranks; ++slab) {
        double* coupling = systems.couplings(slab) + (pair - mine.begin);
        double* side = sides.data() + slab * blocks.size() + (pair - mine.begin);
        for (int n = 0; n < RootBlocks::amplitudes; ++n) {
          const EliminatedSlab& each =
              pairs.back().amplitudes[static_cast<std::size_t>(n)][static_cast<std::size_t>(slab)];
          side[n * blocks.pitch] = each.side;
          side[(RootBlocks::amplitudes + n) * blocks.pitch] = each.side_below;
          if (n % (RootBlocks::amplitudes / modes) == 0) {
            for (const double value : {each.left.dominance, each.left.closing, each.left.gain}) {
              *coupling = value;
              coupling += blocks.pitch;
            }
          }
        }
      }
    }
    systems.factorise(mine.size());
    systems.solve(sides.data(), {0, mine.size() / 2});
    systems.solve(sides.data(), {mine.size() / 2, mine.size()});
    for (std::int64_t pair = 0; pair < mine.size(); ++pair) {
      for (int n = 0; n < RootBlocks::amplitudes; ++n) {
        const Values roots =
            roots_of(pairs[static_cast<std::size_t>(pair)].amplitudes[static_cast<std::size_t>(n)]);
        for (int slab = 0; slab < ranks; ++slab) {
          const double* at = sides.data() + slab * blocks.size() + n * blocks.pitch + pair;
          const auto own = static_cast<std::size_t>(slab);
          const auto below = static_cast<std::size_t>(slab > 0 ? slab - 1 : ranks - 1);
          EXPECT_NEAR(at[0], roots[own], 1e-12 * largest(roots));
          EXPECT_NEAR(at[RootBlocks::amplitudes * blocks.pitch], roots[below],
                      1e-12 * largest(roots));
        }
      }
    }
  }
}

TEST_P(Slabs, HaveTheirRootsFromRootSystems) {
  for (const bool periodic : {false, true}) {
    for (const int modes : {1, 2, 4}) {
      SCOPED_TRACE(std::to_string(modes) + (periodic ? " periodic" : " walls"));
      expect_same_roots(
          {stretched_axis(17, periodic, 1.2), uniform_axis(5, true), uniform_axis(6, false)}, modes,
          GetParam());
    }
  }
}

/// Four planes, some more where shares are not equal.
TEST_P(Slabs, ShareAllPairsAndSendFourPlanes) {
  const int ranks = GetParam();
  const Domain domain{uniform_axis(64, true), uniform_axis(101, true), uniform_axis(100, false)};
  const RootBlocks blocks(domain, ranks, RootBlocks::Constant::column);
  std::int64_t pairs = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const Range share = blocks.share_of(rank);
    EXPECT_EQ(share.begin, pairs);
    EXPECT_LE(share.size(), blocks.pitch);
    pairs = share.end;
  }
  EXPECT_EQ(pairs, 51 * 51);
  const double planes =
      static_cast<double>(blocks.sent_bytes(sizeof(double))) / (101.0 * 100.0 * sizeof(double));
  EXPECT_NEAR(planes, 4.0 * (ranks - 1) / ranks, 0.25);
}

TEST(ConstantModeOfSlabs, SolvesTheEquationAndHasNoMean) {
  for (const bool periodic : {false, true}) {
    for (const Axis& axis : axes_of_slabs(periodic)) {
      const Domain line{axis, uniform_axis(1, true), uniform_axis(1, true)};
      const Values f = random_right_side(line, 7);
      Values p = f;
      ConstantMode(axis).solve(p, 1.0);
      expect_solved<double>(line, p, f);
    }
  }
}

}  // namespace
}  // namespace bankfull::poisson
