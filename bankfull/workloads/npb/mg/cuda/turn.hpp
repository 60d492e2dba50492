#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/workloads/npb/mg/cuda/grids.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"

namespace bankfull::npb::mg::cuda {

// The turn from one V-cycle to the next on the finest grid: the way up and the next way down in one
// march, which reads u and v once.
//
//   w = u + Q coarse   next = w + S (v - A w)   residual = P (v - A next)

/// Sides of grids on which one pass over the turn is faster than two: on smaller ones its regions,
/// which compute more than they finish, are too few.
inline constexpr int min_turn_side = 256;

struct TurnArguments {
  GridPair<Cube> grids;
  Weights smoother;
  const double* coarse;
  const double* u;
  const double* v;
  double* next;
  double* residual;  ///< coarse
  int plane_pairs;   ///< of a slab
};

/// Whether the GPU has enough shared memory.
bool has_turn(Device gpu);

/// Pairs of planes of a slab with which multiprocessors, with one block at a time, are done first.
int plan_turn(const Cube& grid, Device gpu);

void prepare_turn();

/// Where `prepare_turn` has been called. In slabs of `plane_pairs` of the arguments.
void queue_turn(const Stream& stream, const TurnArguments& arguments);

}  // namespace bankfull::npb::mg::cuda
