#pragma once

#include "bankfull/core/comm/transport.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/numerics/poisson/sharing.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace bankfull::poisson {

/// Geometric multigrid: any numbers of cells, anisotropic cells, stretched axes.
///
/// The iterate and the right side are Real; each cycle finds a correction for the residual in fp32
/// (mixed-precision defect correction). The smoother is red-black Gauss-Seidel, over-relaxed after
/// I. Yavneh, "On red-black SOR smoothing in multigrid", SIAM J. Sci. Comput. 17 (1996) 180-192,
/// with weights of each half-sweep where cells are cubes, squares, or narrow along one axis
/// (set_short_cycle).
/// Where widths along an axis differ the cells of a level have many shapes, and the smoother serves
/// one of them. So where those along i or j differ more than one and a half times, whole lines
/// along this axis are relaxed at once, red and black in the plane across them (zebra relaxation).
///
/// A solve starts from solution(); where that is worse than zero, or after forget(), by full
/// multigrid from zero, on GPUs from what planes across an axis have in common
/// (multigrid/plane_start.hpp), where one cycle is done at least. It ends with converged = false
/// after Stopping::max_cycles, or when the residual no longer falls.
///
/// Results are bitwise the same for any number of threads and of ranks. On ranks making a solver,
/// and each solve, is collective; an axis with lines must not be cut: see uncut_axis.
///
/// Throws UsageError, as do all functions that make a multigrid solver or tell of one, unless each
/// axis has cells (see require_cells); and those that make one, if the ranks cannot share the
/// domain.
template <class Real>
std::unique_ptr<Solver<Real>> make_cpu_multigrid(const Domain& domain, Stopping stopping,
                                                 int threads, const Sharing& sharing = {});

/// The number of the axis along which multigrid relaxes lines, so that it cannot be cut; -1: none.
int uncut_axis(const Domain& domain);

/// How many levels the ranks share, the finest first; 0: the root solves all of it, which GPUs do
/// not offer.
int shared_levels(const Domain& domain, const Sharing& sharing, bool on_gpu);

/// Why the GPUs of ranks cannot share a domain; empty if they can.
std::string gpu_sharing_obstacle(const Domain& domain, const Sharing& sharing);

/// The same on GPUs, in builds with CUDA only. Ranks can share a domain if gpu_sharing_obstacle is
/// empty. Throws UsageError if the transport is not available.
template <class Real>
std::unique_ptr<Solver<Real>> make_cuda_multigrid(const Domain& domain, Stopping stopping,
                                                  const Stream& stream, const Sharing& sharing = {},
                                                  Transport transport = Transport::automatic);

/// What keeps multigrid from converging on a domain. Widths are those of cells.
enum class MultigridLimit {
  none,
  shapes,  ///< `value`: how often the widths across the lines of relaxation differ, all axes
           ///< together
  range,   ///< `value`: the largest coefficient over the smallest eigenvalue, see below
};

/// How a domain stands to what multigrid serves.
struct MultigridFit {
  /// The one exceeded; none: multigrid converges.
  MultigridLimit limit = MultigridLimit::none;
  double value = 0.0;    ///< what exceeds `largest`: see MultigridLimit; 0 for none
  double largest = 0.0;  ///< value that is served
  int narrow = 0;        ///< number of the axis that has the thinnest cells, or the widths
  int other = 0;         ///< and of the longest axis, or of the second one with such widths
};

/// Whether multigrid converges on a domain, and if not why.
///
/// Shapes: measured on one axis of 16 to 64 cells between walls, gathered by tanh(s stretching),
/// with other axes of the same, a quarter and four times the length, periodic or walls, and in
/// planes, the residual after a V-cycle over before, of points (two sweeps each way) and of lines
/// along this axis:
///
///   stretching               0     1     1.5   2     2.5   3     3.5   5
///   ratio of widths          1     2.4   5.5   14    38    101   275   5500
///   points: the same cells  0.05  0.3   0.5   0.6   0.7   0.7   0.9   1.7
///   the worst shape         0.13  0.37  0.71  0.86  0.9   0.95  1.6   8
///   lines: the same cells   0.04  0.04  0.04  0.04  0.04  0.04  0.04  0.05
///   the worst shape         0.15  0.15  0.15  0.15  0.16  0.16  0.16  0.19
///
/// Where axes across lines are stretched, too, the smoother meets cells of any shape that these can
/// make: the ratio that counts is the product of theirs. Of 1000 boxes at random (12 to 50 cells
/// along an axis, lengths up to 40 times as different) the 351 within 3.5 took at most 51 cycles
/// from nothing to 1e-10, some of those within 4 more than 60. In a plane the lines are all that
/// differs across, and none of up to 14 took more than 19.
///
/// Range: corrections are fp32, and where the largest coefficient 1 / width^2 is too much larger
/// than the smallest eigenvalue, (pi / length)^2, what a correction says of thin cells is rounding.
/// Among 950 random boxes with lengths up to 1e5 times as different, the smallest ratio that did
/// not converge was 1e7, without lines or across them. Along lines, which are solved for, the
/// narrow cells count with the widest ones only: 1 / (width smallest width), and the lengths across
/// the lines; two left up to 5 times the rounding at 1.8e6 and 2.2e6, the others failed from 3.4e6
/// on.
///
/// Lines along k would be scattered in memory: the most stretched axis of a domain should be i or
/// j.
MultigridFit multigrid_fit(const Domain& domain);

/// Whether multigrid_fit finds no limit.
bool multigrid_serves(const Domain& domain);

/// The largest value of MultigridLimit::shapes that is served.
inline constexpr double max_ratio_of_shapes = 3.6;

/// The same where lines are relaxed and an axis across them has one cell.
inline constexpr double max_ratio_of_shapes_in_planes = 14.0;

/// The largest value of MultigridLimit::range that is served, without lines or across them.
inline constexpr double max_range = 8e6;

/// The same for the cells along lines.
inline constexpr double max_range_along_lines = 3e6;

/// All memory that a solver for fields of `element_bytes` per element takes, on its device; of this
/// rank's part.
std::int64_t multigrid_bytes(const Domain& domain, std::size_t element_bytes, bool on_gpu,
                             const Sharing& sharing = {});

}  // namespace bankfull::poisson
