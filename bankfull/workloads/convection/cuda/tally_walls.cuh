#pragma once

#include "bankfull/workloads/convection/cuda/tally_march.cuh"
#include "bankfull/workloads/convection/drive.hpp"

#include <cstdint>

namespace bankfull::convection::detail {

/// What lies on walls, an element of a face each, in patches of a block's threads. Wall 2 n + s is
/// that at the lower (0) or upper (1) end of storage axis n.
struct WallPatches {
  static constexpr int walls = 6;

  int first[walls + 1];  ///< patches of the walls before

  static WallPatches of(const WallFaces& faces, const int (&cells)[3]) {
    WallPatches patches{};
    for (int wall = 0; wall < walls; ++wall) {
      const int axis = wall / 2;
      const std::int64_t elements = std::int64_t{cells[(axis + 1) % 3]} * cells[(axis + 2) % 3];
      const auto of_wall = static_cast<int>((elements + tally_threads - 1) / tally_threads);
      patches.first[wall + 1] = patches.first[wall] + (faces.at_end(axis, wall % 2) ? of_wall : 0);
    }
    return patches;
  }

  struct Range {
    int begin;
    int end;
  };

  /// Those of a wall that are a block's, counted from the wall's first.
  [[nodiscard]] __device__ Range of_block(int wall, unsigned block) const {
    const std::int64_t all = first[walls];
    const auto begin = static_cast<int>(all * block / gridDim.x);
    const auto end = static_cast<int>(all * (block + 1) / gridDim.x);
    return {max(begin, first[wall]) - first[wall], min(end, first[wall + 1]) - first[wall]};
  }
};

/// Of the velocity: its work and dissipation; of a scalar: the same, what flows in, and twice the
/// value on the wall times the wall's area.
template <bool Velocity, bool Scalar>
using WallNumbers = ThreadTally<(Velocity ? 2 : 0) + (Scalar ? 4 : 0), 0>;

struct Diffusivities {
  double viscosity;
  double of_scalar;
};

/// Adds what is through the face of one element.
template <int B, class Real, bool Velocity, bool Scalar>
__device__ __forceinline__ void count_beside_wall(const MarchArguments<Real>& arguments,
                                                  const Diffusivities& diffusivity, int side,
                                                  const int (&index)[3],
                                                  WallNumbers<Velocity, Scalar>& numbers) {
  constexpr int C = (B + 1) % 3;
  constexpr int D = (B + 2) % 3;
  const PointStencil<Real> stencil = arguments.flow.template stencil<InPlane::stretched>(
      arguments.fields, index[0], index[1], index[2]);
  const LineWeights<Real>& along_c = arguments.weights[C][index[C]];
  const LineWeights<Real>& along_d = arguments.weights[D][index[D]];
  const auto count_velocity = [&](const auto& wall) {
    numbers.of[0] += wall.work;
    numbers.of[1] += wall.dissipation;
  };
  if constexpr (Velocity) {
    const double per_volume = diffusivity.viscosity * arguments.per_volume;
    count_velocity(
        through_wall<B>(stencil, C, per_volume * (along_c.distance * along_d.width), side));
    count_velocity(
        through_wall<B>(stencil, D, per_volume * (along_c.width * along_d.distance), side));
  }
  if constexpr (Scalar) {
    constexpr int n = Velocity ? 2 : 0;
    const double area = along_c.width * along_d.width * arguments.per_volume;
    const auto wall =
        through_wall<B>(stencil, 3 + arguments.scalar, diffusivity.of_scalar * area, side);
    numbers.of[n] += wall.work;
    numbers.of[n + 1] += wall.dissipation;
    numbers.of[n + 2] += wall.inflow;
    numbers.of[n + 3] += area * wall.value;
  }
}

/// The patches of a wall normal to storage axis B.
template <int B, class Real, bool Velocity, bool Scalar>
__device__ void count_wall(const MarchArguments<Real>& arguments, const Diffusivities& diffusivity,
                           int side, const WallPatches::Range& patches,
                           WallNumbers<Velocity, Scalar>& numbers) {
  constexpr int outer = B == 0 ? 1 : 0;
  constexpr int inner = B == 2 ? 1 : 2;
  const int(&cells)[3] = arguments.flow.cells;
  const int thread = thread_of_tally();
  for (int patch = patches.begin; patch < patches.end; ++patch) {
    const std::int64_t element = std::int64_t{patch} * tally_threads + thread;
    int index[3];
    index[B] = side == 0 ? 0 : cells[B] - 1;
    index[outer] = static_cast<int>(element / cells[inner]);
    index[inner] = static_cast<int>(element % cells[inner]);
    if (index[outer] < cells[outer]) {
      count_beside_wall<B, Real, Velocity, Scalar>(arguments, diffusivity, side, index, numbers);
    }
  }
}

}  // namespace bankfull::convection::detail
