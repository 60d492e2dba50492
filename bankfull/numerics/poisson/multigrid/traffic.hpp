#pragma once

#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/numerics/poisson/multigrid/levels.hpp"

#include <cstddef>
#include <vector>

namespace bankfull::poisson::multigrid {

/// How a CPU goes from the finest level's way up to the next way down.
enum class Turn { in_one_pass, in_two_passes };

/// The traffic of one V-cycle with the outer residual, in which every pipeline reads and writes
/// each field once. A cell of the finest level moves
///
///   in one pass: e, r, p and f read; e, p and r written; 1/8 coarse e read, 1/8 coarse r written
///   way down alone, with the outer residual: p, f and e read; p, r and e written; 1/8 coarse r
///   way up alone: e and r read, e written; 1/8 coarse e read
///
/// and one of the others r read and e written on the way down. Without sweeps on the way down e is
/// not written there, nor read on the way up. The first way down of a solve and the last residual,
/// which have no other half, count as one together. The inverse diagonals, which rows with equal
/// coefficients beside them share, do not count, nor do the pivots of lines, which planes share.
/// Lines move the same bytes: what a plane's relaxation needs stays in the cache between the way up
/// the lines and the way back, where a plane of e, r and two fields of the thread's own fit there.
Traffic cycle_traffic(const std::vector<Level>& levels, std::size_t element_bytes, Turn turn);

// Cells of a level, and of the next, coarser one.
double cells_of(const Level& level);
double parents_of(const Level& level);

// Flops of the steps of a cycle, as counted on a CPU: red-black sweeps over all cells, from 0 or
// from what is there, the residual with its restriction, and the interpolation. GPUs do them twice
// where blocks overlap, which does not count.
double flops_of_sweeps(const Level& level, int sweeps);
double flops_of_sweeps_from_zero(const Level& level, int sweeps);
double restriction_flops(const Level& level);
double interpolation_flops(const Level& level);

/// The traffic of the finest level's way down with the outer residual, and of another level's, from
/// e = 0.
Traffic way_down_traffic(const Level& finest, std::size_t element_bytes);
Traffic inner_way_down_traffic(const Level& level);

/// The traffic of any level's way up.
Traffic way_up_traffic(const Level& level);

/// The traffic of the finest level's way up and next way down in one pass.
Traffic turn_traffic(const Level& finest, std::size_t element_bytes);

/// The traffic of solving the coarsest level where that is a line.
Traffic coarsest_traffic(const Level& line);

}  // namespace bankfull::poisson::multigrid
