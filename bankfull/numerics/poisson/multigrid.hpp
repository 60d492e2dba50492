#pragma once

#include "bankfull/numerics/poisson/poisson.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace bankfull::poisson {

/// Geometric multigrid: any numbers of cells, anisotropic cells, stretched axes.
///
/// The iterate and the right side are Real; each cycle finds a correction for the residual in fp32
/// (mixed-precision defect correction). The smoother is red-black Gauss-Seidel, over-relaxed after
/// I. Yavneh, "On red-black SOR smoothing in multigrid", SIAM J. Sci. Comput. 17 (1996) 180-192.
/// Where widths along an axis differ the cells of a level have many shapes, and the smoother serves
/// one of them. So where those along i or j differ more than one and a half times, whole lines
/// along this axis are relaxed at once, red and black in the plane across them (zebra relaxation).
///
/// A solve starts from solution(); where that is worse than zero, or after forget(), by full
/// multigrid from zero. It ends with converged = false after Stopping::max_cycles, or when the
/// residual no longer falls.
///
/// Results are bitwise the same for any number of threads.
template <class Real>
std::unique_ptr<Solver<Real>> make_cpu_multigrid(const Domain& domain, Stopping stopping,
                                                 int threads);

/// In builds with CUDA only.
template <class Real>
std::unique_ptr<Solver<Real>> make_cuda_multigrid(const Domain& domain, Stopping stopping,
                                                  const Stream& stream);

/// Whether the smoother contracts on all shapes of the domain's cells. Measured on one axis of 16
/// to 64 cells between walls, gathered by tanh(s stretching), with other axes of the same, a
/// quarter and four times the length, periodic or walls, and in planes, the residual after a
/// V-cycle over before, of points (two sweeps each way) and of lines along this axis:
///
///   stretching               0     1     1.5   2     2.5   3     3.5   5
///   ratio of widths          1     2.4   5.5   14    38    101   275   5500
///   points: the same cells  0.05  0.3   0.5   0.6   0.7   0.7   0.9   1.7
///   the worst shape         0.13  0.37  0.71  0.86  0.9   0.95  1.6   8
///   lines: the same cells   0.04  0.04  0.04  0.04  0.04  0.04  0.04  0.05
///   the worst shape         0.15  0.15  0.15  0.15  0.16  0.16  0.16  0.19
///
/// and of lines beside a second axis so stretched, on 16 and 32 cells:
///
///   second stretching        0     0.5   1     1.5   2     3
///   the worst shape         0.16  0.16  0.16  0.78  0.83  0.92
///
/// With all three stretched by 3 it was 0.97. Lines along k would be scattered in memory: the most
/// stretched axis of a domain should be i or j.
bool multigrid_serves(const Domain& domain);

/// The largest ratio of widths along an axis where there are no lines, and across lines.
inline constexpr double max_width_ratio = 105.0;
inline constexpr double max_width_ratio_beside_lines = 14.0;

/// All memory that a solver for fields of `element_bytes` an element takes, on its device.
std::int64_t multigrid_bytes(const Domain& domain, std::size_t element_bytes, bool on_gpu);

}  // namespace bankfull::poisson
