#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace bankfull::poisson::multigrid {

/// What a rank has of an axis that several ranks share; see rank_levels.hpp. By default all of it.
struct AxisPart {
  Range own = {0, 0};          ///< cells that are not copies of other ranks'; all of them: {0, 0}
  bool goes_on_below = false;  ///< the first cell is none at a wall
  bool goes_on_above = false;
  std::int64_t first_parent = 0;  ///< of the first cell, in what the rank has of the next level
};

/// One axis on one level, and its way to the next, coarser one. See point.hpp for how the numbers
/// are used; vectors have one element per cell. A single periodic cell counts as between walls.
struct AxisLevel {
  std::int64_t cells = 1;
  bool periodic = false;
  bool coarsened = false;     ///< the next level has half the cells (rounded up), else as many
  std::vector<double> lower;  ///< 1 / (width distance to the cell before); 0 at walls
  std::vector<double> upper;  ///< 1 / (width distance to the cell after); 0 at walls
  std::vector<double> restriction_weight;    ///< of the parent's width: the weight in restriction
  std::vector<double> interpolation_weight;  ///< the parent's weight in interpolation, >= 1/2
  std::vector<double> widths;
  AxisPart part = {};
};

/// What a relaxation solves for at once: the cells of one colour one by one, or whole lines of them
/// along the axis that is stretched the most. Lines are coloured like cells of the plane across
/// them.
enum class Smoother { points, lines };

struct Level {
  AxisLevel i;
  AxisLevel j;
  AxisLevel k;
  double omega = 1.0;  ///< of the over-relaxation, where half-sweeps have one weight
  /// The same half-sweep by half-sweep, red and black: of each sweep before the correction, and of
  /// the two after it. Lines have one weight.
  std::array<double, 2> omega_before = {1.0, 1.0};
  std::array<double, 4> omega_after = {1.0, 1.0, 1.0, 1.0};
  int sweeps_before = 1;  ///< red-black sweeps before the coarse-grid correction
  int sweeps_after = 1;   ///< and after it
  /// The sweeps of full multigrid between the interpolation to this level and a correction, where a
  /// V-cycle from zero has none; 0: only the sweeps after a correction follow.
  int sweeps_of_start = 0;
  /// The number of the axis along which lines are relaxed, which is never coarsened; -1: cells are.
  /// The coarsest level then is one line, which is solved.
  int line_axis = -1;

  [[nodiscard]] int sweeps_interpolated() const {
    return sweeps_before > 0 ? sweeps_before : sweeps_of_start;
  }

  [[nodiscard]] bool has_lines() const { return line_axis >= 0; }
  [[nodiscard]] const AxisLevel& along_lines() const {
    return line_axis == 0 ? i : (line_axis == 1 ? j : k);
  }

  [[nodiscard]] Extents extents() const { return {i.cells, j.cells, k.cells}; }
};

/// The levels of a domain, the finest first, down to a single cell, on which the correction is 0.
///
/// From level to level pairs of cells merge along those axes whose spacing is within `isotropy` of
/// the smallest one (semi-coarsening), so that coarse cells become less anisotropic than fine ones.
/// The coarse operator is the discretisation on the merged cells.
///
/// Point relaxation smooths well where the cells of a level have one shape, or nearly so: see
/// multigrid_serves(). With lines the shapes along them do not matter: for each of their modes
/// what is left is the equation of a plane of uniform cells. Domains of uniform axes have no lines.
/// A domain that is one line has it twice, so that there is always a coarser level.
std::vector<Level> make_levels(const Domain& domain, Smoother smoother = Smoother::points);

/// The same with lines along the axis of this number, or with points: -1.
std::vector<Level> make_levels_along(const Domain& domain, int line_axis);

/// Gives levels of cubes, of squares, and of cells much narrower along one axis, fewer sweeps with
/// weights of each half-sweep: none before the finest level's correction, one before the others'
/// and two after all. Leaves other levels. `sweeps_of_start`: of the finest level, see Level. With
/// one the first cycle leaves 0.05 of noise in place of 0.27. CPUs have it; GPUs have no pass for
/// it.
void set_short_cycle(std::vector<Level>* levels, int sweeps_of_start);

/// The number of the axis along which schedules relax lines: i or j, whichever is stretched more,
/// if it is by more than points take well; -1 where they relax points. Lines along k would be
/// scattered in memory.
int line_axis_of_schedules(const Domain& domain);

/// Beyond this ratio of an axis' widths lines are faster than points.
inline constexpr double max_width_ratio_of_points = 1.5;

/// Axes are coarsened together when their smallest spacings differ by less than this factor. Cells
/// of sqrt(2) or more would be nearer to cubes with only the smaller one coarsened.
inline constexpr double isotropy = 1.5;

/// The best over-relaxation of red-black Gauss-Seidel as a smoother: 2 / (1 + sqrt(1 - g^2)) with g
/// the largest eigenvalue of Jacobi's iteration among those modes of which neither they nor their
/// alternating partners are seen on the coarse grid (Yavneh 1996): 1 - smallest / sum, where
/// `smallest` is the smallest 1 / spacing^2 of the coarsened axes and `sum` that of all axes with
/// neighbours. 1.146 for cubes.
double best_omega(double smallest, double sum);

}  // namespace bankfull::poisson::multigrid
