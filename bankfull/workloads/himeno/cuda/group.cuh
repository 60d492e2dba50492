#pragma once

#include "bankfull/core/exec/vector16.cuh"
#include "bankfull/workloads/himeno/point.hpp"

#include <cmath>

namespace bankfull::himeno {

// A thread of the faster schedules owns a group, 16 bytes of neighbouring points of a row, and
// marches along i.

/// A group with the two points beside it in its row.
template <class T>
struct RowGroup {
  T left;
  Vector16<T> middle;
  T right;

  __device__ __forceinline__ T minus(int n) const { return n == 0 ? left : middle.lane[n - 1]; }
  __device__ __forceinline__ T plus(int n) const {
    return n == Vector16<T>::width - 1 ? right : middle.lane[n + 1];
  }
  __device__ __forceinline__ T d_k(int n) const { return plus(n) - minus(n); }
};

/// Neighbouring lanes of a warp hold neighbouring groups: the points beside a group come from the
/// neighbouring lanes. The first and the last lane must read theirs from memory.
template <class T>
__device__ __forceinline__ RowGroup<T> with_lanes_beside(const Vector16<T>& middle) {
  return {__shfl_up_sync(~0U, middle.lane[Vector16<T>::width - 1], 1), middle,
          __shfl_down_sync(~0U, middle.lane[0], 1)};
}

/// The coefficients of a group, in registers.
template <class T>
struct GroupCoefficients {
  Vector16<T> field[coefficient_count];
};

/// The coefficients of one point of a group; `n` folds where loops over a group are unrolled.
template <class T>
struct CoefficientsInGroup {
  const GroupCoefficients<T>& group;
  int n;

  __device__ __forceinline__ T operator()(Coefficient field) const {
    return group.field[field].lane[n];
  }
};

/// What the plane below contributes to a group's residuals.
template <class T>
struct PlaneBelow {
  Vector16<T> centre;
  Vector16<T> d_j;
  Vector16<T> d_k;
};

/// Read from that plane.
template <class T, class Rows>
__device__ __forceinline__ PlaneBelow<T> plane_below_of(const Rows& rows, const T* plane) {
  const RowGroup<T> row = rows.row(plane);
  const Vector16<T> j_plus = rows.group(plane + rows.pitch());
  const Vector16<T> j_minus = rows.group(plane - rows.pitch());
  PlaneBelow<T> below;
  below.centre = row.middle;
#pragma unroll
  for (int n = 0; n < Vector16<T>::width; ++n) {
    below.d_j.lane[n] = j_plus.lane[n] - j_minus.lane[n];
    below.d_k.lane[n] = row.d_k(n);
  }
  return below;
}

/// The pressures around a group.
template <class T>
struct GroupPressures {
  PlaneBelow<T> below;
  RowGroup<T> here;
  RowGroup<T> row_minus;
  RowGroup<T> row_plus;
  RowGroup<T> above;
  Vector16<T> above_j_minus;
  Vector16<T> above_j_plus;
};

/// The pressures around one point of a group, in the form that `residual` takes.
template <class T>
struct PressuresInGroup {
  const GroupPressures<T>& group;
  int n;

  __device__ __forceinline__ T operator()(int di, int dj, int dk) const {
    if (di != 0) {
      return di > 0 ? group.above.middle.lane[n] : group.below.centre.lane[n];
    }
    if (dj != 0) {
      return dj > 0 ? group.row_plus.middle.lane[n] : group.row_minus.middle.lane[n];
    }
    return dk > 0 ? group.here.plus(n) : dk < 0 ? group.here.minus(n) : group.here.middle.lane[n];
  }
  __device__ __forceinline__ T d_j(int di) const {
    return di > 0 ? group.above_j_plus.lane[n] - group.above_j_minus.lane[n]
                  : group.below.d_j.lane[n];
  }
  __device__ __forceinline__ T d_k(int di, int dj) const {
    if (di != 0) {
      return di > 0 ? group.above.d_k(n) : group.below.d_k.lane[n];
    }
    return dj > 0 ? group.row_plus.d_k(n) : group.row_minus.d_k(n);
  }
};

/// The result of one iteration on a group.
template <class T>
struct GroupUpdate {
  Vector16<T> centre;  ///< before
  Vector16<T> residual;
  Vector16<T> next;
};

/// One iteration on one group, plane after plane. `Rows` reads rows: `row(at)` a group with the
/// points beside it, `group(at)` a group alone, `pitch()` elements from row to row.
template <class T>
class MarchingGroup {
 public:
  template <class Rows>
  __device__ __forceinline__ void start(const Rows& rows, const T* plane_below,
                                        const T* plane_here) {
    below_ = plane_below_of<T>(rows, plane_below);
    here_ = rows.row(plane_here);
  }

  /// Updates the group in the plane `here`, then moves up by one.
  template <class Rows>
  __device__ __forceinline__ GroupUpdate<T> advance(const Rows& rows,
                                                    const GroupCoefficients<T>& coefficients,
                                                    const T* plane_here, const T* plane_above,
                                                    T omega) {
    GroupPressures<T> p;
    p.below = below_;
    p.here = here_;
    p.above = rows.row(plane_above);
    p.above_j_plus = rows.group(plane_above + rows.pitch());
    p.above_j_minus = rows.group(plane_above - rows.pitch());
    p.row_plus = rows.row(plane_here + rows.pitch());
    p.row_minus = rows.row(plane_here - rows.pitch());
    GroupUpdate<T> update;
    update.centre = here_.middle;
#pragma unroll
    for (int n = 0; n < Vector16<T>::width; ++n) {
      update.residual.lane[n] =
          residual(CoefficientsInGroup<T>{coefficients, n}, PressuresInGroup<T>{p, n});
      update.next.lane[n] = relaxed(here_.middle.lane[n], update.residual.lane[n], omega);
    }
    move_up(p);
    return update;
  }

 private:
  __device__ __forceinline__ void move_up(const GroupPressures<T>& p) {
    below_.centre = here_.middle;
#pragma unroll
    for (int n = 0; n < Vector16<T>::width; ++n) {
      below_.d_j.lane[n] = p.row_plus.middle.lane[n] - p.row_minus.middle.lane[n];
      below_.d_k.lane[n] = here_.d_k(n);
    }
    here_ = p.above;
  }

  PlaneBelow<T> below_{};
  RowGroup<T> here_{};
};

/// A set of points of a group, bit n for point n.
template <class T>
struct GroupMask {
  static constexpr unsigned all = (1U << Vector16<T>::width) - 1;

  unsigned bits = 0;

  __device__ __forceinline__ bool has(int n) const { return (bits >> n & 1U) != 0; }
  __device__ __forceinline__ void set(int n, bool member) {
    bits |= static_cast<unsigned>(member) << n;
  }
  __device__ __forceinline__ GroupMask where(bool condition) const {
    return {condition ? bits : 0U};
  }
};

/// In fp64 throughout, so that gosa does not depend on where groups begin.
template <class T>
__device__ __forceinline__ double sum_of_squares(const Vector16<T>& residual,
                                                 const GroupMask<T>& counted) {
  double sum = 0.0;
#pragma unroll
  for (int n = 0; n < Vector16<T>::width; ++n) {
    const double ss = static_cast<double>(counted.has(n) ? residual.lane[n] : T(0));
    sum = std::fma(ss, ss, sum);
  }
  return sum;
}

template <class T>
__device__ __forceinline__ void store_points(T* at, const Vector16<T>& value,
                                             const GroupMask<T>& stored) {
  if (stored.bits == GroupMask<T>::all) {
    store_once(at, value);
  } else if (stored.bits != 0) {
#pragma unroll
    for (int n = 0; n < Vector16<T>::width; ++n) {
      if (stored.has(n)) {
        at[n] = value.lane[n];
      }
    }
  }
}

}  // namespace bankfull::himeno
