#pragma once

#include "bankfull/core/exec/cache_policy.cuh"
#include "bankfull/workloads/convection/cuda/flow.cuh"
#include "bankfull/workloads/convection/cuda/tally_numbers.cuh"

#include <cstdint>
#include <type_traits>

// The terms of tally.hpp's `count` away from walls, added up along columns of cells. They stand
// here once more because what makes them fast is not that of a cell: a thread knows the weights
// within a plane before it starts and reads those along the planes, so that a term costs one
// product beside its square; each velocity is counted with the volume around its own face, not by
// halves from the cells on both sides; and viscosity multiplies the sum of all gradients. A test
// compares both.

namespace bankfull::convection::detail {

/// Lengths at index n of an axis, which the terms of sums are weighted with. At walls they leave
/// out what lies on them and what diffuses through them: see tally_walls.cuh. Weights of 0 leave
/// out numbers only, so that the sums of a flow that is not finite on a wall are not either.
template <class Real>
struct alignas(16) LineWeights {
  double width;         ///< of cell n
  double per_width;     ///< 1 / that
  double distance;      ///< of the centres on both sides of face n; 0 on a wall
  double per_distance;  ///< 1 / that; 0 on a wall
  Real per_cell;        ///< 1 / width, as the scheme has it
  Real per_narrower;    ///< 1 / width of the narrower cell beside face n
};

/// Products of the lengths of a cell along rows (1) and within them (2), for columns of cells; for
/// gradients over the square of the distance. A face counts as long as the distance across it.
template <InPlane Widths>
struct InPlaneWeights;

/// In planes of equal cells without walls. What they have in common, the area of a cell, is left to
/// the end: the compiler drops products with 1.
template <>
struct InPlaneWeights<InPlane::uniform> {
  double per_square[3];  ///< 1 / width^2 along the axes

  __host__ __device__ constexpr double cell() const { return 1.0; }
  __host__ __device__ constexpr double face_1() const { return 1.0; }
  __host__ __device__ constexpr double face_2() const { return 1.0; }
  __device__ double cell_by_1() const { return per_square[1]; }
  __device__ double cell_by_2() const { return per_square[2]; }
  __device__ double face_1_by_1() const { return per_square[1]; }
  __device__ double face_1_by_2() const { return per_square[2]; }
  __device__ double face_2_by_1() const { return per_square[1]; }
  __device__ double face_2_by_2() const { return per_square[2]; }
};

template <>
struct InPlaneWeights<InPlane::stretched> {
  double of[9];

  template <class Real>
  __device__ static InPlaneWeights at(const LineWeights<Real>& row, const LineWeights<Real>& cell) {
    return {{row.width * cell.width, row.distance * cell.width, row.width * cell.distance,
             row.per_distance * cell.width, row.width * cell.per_distance,
             row.per_width * cell.width, row.distance * cell.per_distance,
             row.per_distance * cell.distance, row.width * cell.per_width}};
  }
  __device__ double cell() const { return of[0]; }
  __device__ double face_1() const { return of[1]; }
  __device__ double face_2() const { return of[2]; }
  __device__ double cell_by_1() const { return of[3]; }
  __device__ double cell_by_2() const { return of[4]; }
  __device__ double face_1_by_1() const { return of[5]; }
  __device__ double face_1_by_2() const { return of[6]; }
  __device__ double face_2_by_1() const { return of[7]; }
  __device__ double face_2_by_2() const { return of[8]; }
};

/// How the cells are cut into tiles, whose columns have `planes` cells.
struct TallyTiles {
  int columns;
  int rows;
  int slabs;
  int planes;

  [[nodiscard]] __host__ __device__ int count() const { return columns * rows * slabs; }
};

template <class Real>
struct MarchArguments {
  FlowOnGpu<Real> flow;
  const Real* fields;
  const Real*
      from_below[4];  ///< velocities and the scalar, from the plane below and the row before
  int scalar;
  const LineWeights<Real>* weights[3];  ///< along the storage axes
  LineWeights<Real> first[3];           ///< the first of them: of all where planes are uniform
  InPlaneWeights<InPlane::uniform> in_plane;  ///< there
  double per_volume;                          ///< 1 / that of the box
  double of_products;                         ///< what InPlaneWeights leave out, times that
  TallyTiles tiles;
};

/// What belongs to a column of cells.
template <class Real, InPlane Widths>
struct ColumnWeights {
  InPlaneWeights<Widths> in_plane;
  Real per_cell[3];      ///< along rows (1) and within them (2)
  Real per_narrower[3];  ///< likewise

  __device__ __forceinline__ static ColumnWeights at(const MarchArguments<Real>& arguments, int j,
                                                     int k) {
    ColumnWeights column;
    if constexpr (Widths == InPlane::uniform) {
      column.in_plane = arguments.in_plane;
      column.set(arguments.first[1], arguments.first[2]);
    } else {
      const LineWeights<Real>& row = arguments.weights[1][j];
      const LineWeights<Real>& cell = arguments.weights[2][k];
      column.in_plane = InPlaneWeights<Widths>::at(row, cell);
      column.set(row, cell);
    }
    return column;
  }

  __device__ __forceinline__ void set(const LineWeights<Real>& row, const LineWeights<Real>& cell) {
    per_cell[1] = row.per_cell;
    per_cell[2] = cell.per_cell;
    per_narrower[1] = row.per_narrower;
    per_narrower[2] = cell.per_narrower;
  }
};

/// Velocities on the lower faces of a cell, and around them.
template <class Real>
struct VelocityAround {
  Real here[3];
  Real above[3];       ///< each along its own axis
  double below[3][3];  ///< [a][b]: velocity a along another axis b
  double through[3];   ///< times the volume around its face

  /// What lies in the plane of cell `at`: value(field, cell, cells further along the row).
  template <class Value, class Number>
  __device__ __forceinline__ void load_in_plane(const Value& value, Number at, Number row) {
    above[1] = value(1, at + row, 0);
    above[2] = value(2, at, 1);
    below[0][1] = static_cast<double>(value(0, at - row, 0));
    below[0][2] = static_cast<double>(value(0, at, -1));
    below[1][2] = static_cast<double>(value(1, at, -1));
    below[2][1] = static_cast<double>(value(2, at - row, 0));
  }
};

/// What a thread has counted.
template <class Real, bool Velocity, bool Scalar>
class MarchTally {
 public:
  /// Of velocity: the squared gradient but at walls, twice the energy, the velocities. Of a scalar:
  /// it, its square, twice what velocities carry, its squared gradient.
  static constexpr int velocity_sums = Velocity ? 5 : 0;
  static constexpr int sums = velocity_sums + (Scalar ? 6 : 0);
  /// As in FlowTally and ScalarTally.
  static constexpr int velocity_extremes = Velocity ? 5 : 0;
  static constexpr int extremes = velocity_extremes + (Scalar ? 2 : 0);
  using Numbers = ThreadTally<sums, extremes>;

  template <InPlane Widths>
  __device__ __forceinline__ void add_velocity(const LineWeights<Real>& along,
                                               const ColumnWeights<Real, Widths>& column,
                                               const VelocityAround<Real>& velocity) {
    const Real(&here)[3] = velocity.here;
    const Real(&above)[3] = velocity.above;
    const double wide[3] = {static_cast<double>(here[0]), static_cast<double>(here[1]),
                            static_cast<double>(here[2])};
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      velocity_[a] += velocity.through[a];
      fastest_[a].raise(here[a]);
    }
    twice_energy_ =
        fma(velocity.through[0], wide[0],
            fma(velocity.through[1], wide[1], fma(velocity.through[2], wide[2], twice_energy_)));
    rate_.raise(
        fma(along.per_narrower, fabs(here[0]),
            fma(column.per_narrower[1], fabs(here[1]), column.per_narrower[2] * fabs(here[2]))));
    divergence_.raise(fma(
        along.per_cell, above[0] - here[0],
        fma(column.per_cell[1], above[1] - here[1], column.per_cell[2] * (above[2] - here[2]))));
    double d[3][3];
#pragma unroll
    for (int a = 0; a < 3; ++a) {
#pragma unroll
      for (int b = 0; b < 3; ++b) {
        d[a][b] = a == b ? static_cast<double>(above[a]) - wide[a] : wide[a] - velocity.below[a][b];
      }
    }
    const InPlaneWeights<Widths>& in_plane = column.in_plane;
    const double of_cells = fma(in_plane.face_1_by_1() * d[1][1], d[1][1],
                                fma(in_plane.face_1_by_2() * d[1][2], d[1][2],
                                    fma(in_plane.face_2_by_2() * d[2][2], d[2][2],
                                        in_plane.face_2_by_1() * d[2][1] * d[2][1])));
    const double of_faces =
        fma(in_plane.cell_by_1() * d[0][1], d[0][1], in_plane.cell_by_2() * d[0][2] * d[0][2]);
    const double across_faces =
        fma(in_plane.face_1() * d[1][0], d[1][0], in_plane.face_2() * d[2][0] * d[2][0]);
    gradient_ = fma(along.width, of_cells, gradient_);
    gradient_ = fma(along.distance, of_faces, gradient_);
    gradient_ = fma(along.per_distance, across_faces, gradient_);
    gradient_ = fma(along.per_width * in_plane.cell() * d[0][0], d[0][0], gradient_);
  }

  /// `below`: along the axes.
  template <InPlane Widths>
  __device__ __forceinline__ void add_scalar(const LineWeights<Real>& along,
                                             const ColumnWeights<Real, Widths>& column,
                                             const double (&through)[3], double here,
                                             const double (&below)[3]) {
    const InPlaneWeights<Widths>& in_plane = column.in_plane;
    const double content = along.width * in_plane.cell() * here;
    scalar_ += content;
    square_ = fma(content, here, square_);
    double d[3];
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      twice_carried_[a] = fma(through[a], below[a] + here, twice_carried_[a]);
      d[a] = here - below[a];
    }
    const double of_cells =
        fma(in_plane.cell_by_1() * d[1], d[1], in_plane.cell_by_2() * d[2] * d[2]);
    scalar_gradient_ = fma(along.width, of_cells, scalar_gradient_);
    scalar_gradient_ = fma(along.per_distance * in_plane.cell() * d[0], d[0], scalar_gradient_);
    most_ = here > most_ ? here : most_;
    least_ = here < least_ ? here : least_;
  }

  /// `factor`: of all sums.
  [[nodiscard]] __device__ __forceinline__ Numbers numbers(double factor) const {
    Numbers all;
    if constexpr (Velocity) {
      all.of[0] = factor * gradient_;
      all.of[1] = factor * twice_energy_;
      all.of[sums] = rate_.value();
      all.of[sums + 1] = divergence_.value();
#pragma unroll
      for (int a = 0; a < 3; ++a) {
        all.of[2 + a] = factor * velocity_[a];
        all.of[sums + 2 + a] = fastest_[a].value();
      }
    }
    if constexpr (Scalar) {
      all.of[velocity_sums] = factor * scalar_;
      all.of[velocity_sums + 1] = factor * square_;
      all.of[velocity_sums + 5] = factor * scalar_gradient_;
#pragma unroll
      for (int a = 0; a < 3; ++a) {
        all.of[velocity_sums + 2 + a] = factor * twice_carried_[a];
      }
      // Comparisons pass over NaN, the sum of squares does not.
      const bool is_broken = isnan(square_);
      all.of[sums + velocity_extremes] = is_broken ? square_ : most_;
      all.of[sums + velocity_extremes + 1] = is_broken ? square_ : -least_;
    }
    return all;
  }

 private:
  double gradient_ = 0.0;
  double twice_energy_ = 0.0;
  double velocity_[3] = {};
  LargestMagnitude<Real> rate_;
  LargestMagnitude<Real> divergence_;
  LargestMagnitude<Real> fastest_[3];
  double scalar_ = 0.0;
  double square_ = 0.0;
  double twice_carried_[3] = {};
  double scalar_gradient_ = 0.0;
  double most_ = lowest_number;
  double least_ = -lowest_number;
};

/// Of elements of a field: those of very large ones take the kernel of stretched planes.
template <InPlane Widths>
using MarchNumber = std::conditional_t<Widths == InPlane::uniform, unsigned, std::int64_t>;

/// Counts the cells of a column in planes [first, last). Fields are prefetched two planes ahead, so
/// that the way from L2 is left to wait for. Of stretched planes that is done a plane ahead: on an
/// H200 at 512^3 it takes 0.89 of the time there, and 1.04 where planes are uniform (fp64).
template <InPlane Widths, class Real, bool Velocity, bool Scalar>
__device__ __forceinline__ void march_column(const MarchArguments<Real>& arguments, int first,
                                             int last, int j, int k,
                                             MarchTally<Real, Velocity, Scalar>& tally) {
  const Real* const(&fields)[4] = arguments.from_below;
  using Number = MarchNumber<Widths>;
  constexpr int fields_of_flow = Scalar ? 4 : 3;
  constexpr int carried = Widths == InPlane::stretched ? fields_of_flow : 1;
  const auto row = static_cast<Number>(arguments.flow.strides.row);
  const auto plane = static_cast<Number>(arguments.flow.strides.plane);
  const auto column = ColumnWeights<Real, Widths>::at(arguments, j, k);
  const InPlaneWeights<Widths>& in_plane = column.in_plane;
  Number at = static_cast<Number>(first + 1) * plane + static_cast<Number>(j + 1) * row +
              static_cast<Number>(k);
  const auto value = [&](int field, Number n, int after = 0) {
    return __ldg(fields[field] + n + after);
  };
  double below[4] = {};  // in the plane below
  if constexpr (Velocity) {
    below[1] = static_cast<double>(value(1, at - plane));
    below[2] = static_cast<double>(value(2, at - plane));
  }
  if constexpr (Scalar) {
    below[3] = static_cast<double>(value(3, at - plane));
  }
  Real here[fields_of_flow];
#pragma unroll
  for (int field = 0; field < carried; ++field) {
    here[field] = value(field, at);
  }
#pragma unroll(Widths == InPlane::uniform ? 2 : 1)
  for (int i = first; i < last; ++i, at += plane) {
    const LineWeights<Real> along = arguments.weights[0][i];
    const Number next = at + plane;
    const Number ahead = i + 2 < last ? next + plane : next;
    Real above[fields_of_flow];
#pragma unroll
    for (int field = 0; field < fields_of_flow; ++field) {
      if (field < carried) {
        above[field] = value(field, next);
      } else {
        here[field] = value(field, at);
      }
      prefetch_to_l2(fields[field] + ahead);
    }
    VelocityAround<Real> velocity{{here[0], here[1], here[2]}, {}, {}, {}};
    const double wide[3] = {static_cast<double>(here[0]), static_cast<double>(here[1]),
                            static_cast<double>(here[2])};
    velocity.through[0] = along.distance * in_plane.cell() * wide[0];
    velocity.through[1] = along.width * in_plane.face_1() * wide[1];
    velocity.through[2] = along.width * in_plane.face_2() * wide[2];
    if constexpr (Velocity) {
      velocity.above[0] = above[0];
      velocity.below[1][0] = below[1];
      velocity.below[2][0] = below[2];
      velocity.load_in_plane(value, at, row);
      tally.add_velocity(along, column, velocity);
      below[1] = wide[1];
      below[2] = wide[2];
    }
    if constexpr (Scalar) {
      const auto scalar = static_cast<double>(here[3]);
      tally.add_scalar(along, column, velocity.through, scalar,
                       {below[3], static_cast<double>(value(3, at - row)),
                        static_cast<double>(value(3, at, -1))});
      below[3] = scalar;
    }
#pragma unroll
    for (int field = 0; field < carried; ++field) {
      here[field] = above[field];
    }
  }
}

/// Counts all columns of the block's tiles.
template <class Real, InPlane Widths, bool Velocity, bool Scalar>
__device__ __forceinline__ MarchTally<Real, Velocity, Scalar> march_tiles(
    const MarchArguments<Real>& arguments) {
  MarchTally<Real, Velocity, Scalar> tally;
  const TallyTiles& tiles = arguments.tiles;
  const int(&cells)[3] = arguments.flow.cells;
#pragma unroll 1
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles.count();
       tile += static_cast<int>(gridDim.x)) {
    const int row_of_tiles = tile / tiles.columns;
    const int k = tile % tiles.columns * tally_columns + static_cast<int>(threadIdx.x);
    const int j = row_of_tiles % tiles.rows * tally_rows + static_cast<int>(threadIdx.y);
    const int first = row_of_tiles / tiles.rows * tiles.planes;
    if (k < cells[2] && j < cells[1]) {
      march_column<Widths>(arguments, first, min(cells[0], first + tiles.planes), j, k, tally);
    }
  }
  return tally;
}

}  // namespace bankfull::convection::detail
