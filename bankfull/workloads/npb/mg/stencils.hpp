#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"

#include <cmath>

namespace bankfull::npb::mg {

// The 27-point stencils of CPUs, formed in two steps: what needs no column beside, and what the
// columns beside add, which is one value per column. Rows and strips of rows share them, with V a
// number or a pack of numbers, and so have the same bits.

/// What a stencil reads in a column: the points of the rows beside, and sums of the two points
/// below and above each of these rows.
template <class V>
struct Column {
  V left;
  V centre;
  V right;
  V pair_left;
  V pair_centre;
  V pair_right;
};

/// A column's part of a stencil: what needs no column beside, and what is added of each column
/// beside, times one weight.
template <class V>
struct ColumnParts {
  V centred;
  V beside;
};

/// The points that share a face with the centre, and those that share an edge.
template <class V>
BANKFULL_ALWAYS_INLINE V faces_of(const Column<V>& column) {
  return (column.left + column.right) + column.pair_centre;
}
template <class V>
BANKFULL_ALWAYS_INLINE V edges_of(const Column<V>& column) {
  return column.pair_left + column.pair_right;
}

/// v - A u around a point of u.
class Residual {
 public:
  /// `a` are the weights of A.
  explicit Residual(const Weights& a) : at_(-a[0]), edge_(-a[2]), corner_of_edge_(a[3] / a[2]) {
    static_assert(operator_weights[1] == 0.0, "faces have no weight in A");
  }

  template <class V>
  BANKFULL_ALWAYS_INLINE ColumnParts<V> parts(const Column<V>& u, const V& v) const {
    using std::fma;
    const V faces = faces_of(u);
    const V edges = edges_of(u);
    return {fma(edge_, edges, fma(at_, u.centre, v)), fma(corner_of_edge_, edges, faces)};
  }

  /// From a column's own part and the sum of those beside it.
  template <class V>
  BANKFULL_ALWAYS_INLINE V result(const V& centred, const V& both_beside) const {
    using std::fma;
    return fma(edge_, both_beside, centred);
  }

 private:
  double at_;
  double edge_;
  double corner_of_edge_;
};

/// u + S r around a point of r.
class Smoothed {
 public:
  /// `weights` are those of S.
  explicit Smoothed(const Weights& weights)
      : at_(weights[0]),
        face_(weights[1]),
        edge_(weights[2]),
        edge_of_face_(weights[2] / weights[1]) {}

  template <class V>
  BANKFULL_ALWAYS_INLINE ColumnParts<V> parts(const Column<V>& r, const V& u) const {
    using std::fma;
    const V faces = faces_of(r);
    const V edges = edges_of(r);
    return {fma(edge_, edges, fma(face_, faces, fma(at_, r.centre, u))),
            fma(edge_of_face_, faces, r.centre)};
  }

  /// From a column's own part and the sum of those beside it.
  template <class V>
  BANKFULL_ALWAYS_INLINE V result(const V& centred, const V& both_beside) const {
    using std::fma;
    return fma(face_, both_beside, centred);
  }

 private:
  double at_;
  double face_;
  double edge_;
  double edge_of_face_;
};

}  // namespace bankfull::npb::mg
