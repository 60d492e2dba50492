#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/base/pack.hpp"
#include "bankfull/workloads/npb/mg/stencils.hpp"

#include <cmath>
#include <cstdint>

namespace bankfull::npb::mg {

// The 27-point operators on a row of points. Sums of the rows below and above a row serve three
// rows, one after the other.
//
// Rows have ghosts where a function says so. Pointers never overlap.

/// Operations of the functions below at one point of the row that they form; strips have as many.
/// Tests count them.
struct RowFlops {
  static constexpr int pair = 1;
  static constexpr int columns_beside = 3;    ///< of a stencil
  static constexpr int residual = pair + 12;  ///< with the pair of the next row
  static constexpr int smoothed = pair + 14;
  static constexpr int sums = 6;
  static constexpr int restricted = 12;
  static constexpr double interpolated = 3.0;  ///< the mean of half as many, and between them
  static constexpr int added_to_interpolated = 1;
  static constexpr int square = 2;
};

/// The columns that a step forms of a row: n, and some beyond both ends where ranks cut the row.
/// Where they do not, nothing is formed beyond: the row wraps around.
struct Columns {
  std::int64_t n;
  std::int64_t beyond;

  [[nodiscard]] std::int64_t begin() const { return -beyond; }
  [[nodiscard]] std::int64_t end() const { return n + beyond; }
};

/// The rows around a row: of[1 + d3][1 + d2].
template <class T>
struct RowsAround {
  const T* of[3][3];
};

/// Sums of the four rows that share a face with the row, and of the four that share an edge; both
/// with ghosts.
template <class T>
struct RowSums {
  T* __restrict faces;
  T* __restrict edges;
};

/// Ghosts at -1 and n of a row that wraps around; those of a row that is cut were formed.
template <class T>
BANKFULL_ALWAYS_INLINE void close_row(T* row, const Columns& columns) {
  if (columns.beyond == 0) {
    row[-1] = row[columns.n - 1];
    row[columns.n] = row[0];
  }
}

template <class T>
inline void sum_rows(const RowsAround<T>& rows, const Columns& columns, const RowSums<T>& sums) {
  const T* __restrict const below = rows.of[0][1];
  const T* __restrict const above = rows.of[2][1];
  const T* __restrict const left = rows.of[1][0];
  const T* __restrict const right = rows.of[1][2];
  const T* __restrict const below_left = rows.of[0][0];
  const T* __restrict const below_right = rows.of[0][2];
  const T* __restrict const above_left = rows.of[2][0];
  const T* __restrict const above_right = rows.of[2][2];
  T* __restrict const faces = sums.faces;
  T* __restrict const edges = sums.edges;
#pragma omp simd
  for (std::int64_t i = columns.begin(); i < columns.end(); ++i) {
    faces[i] = (left[i] + right[i]) + (below[i] + above[i]);
    edges[i] = (below_left[i] + below_right[i]) + (above_left[i] + above_right[i]);
  }
  close_row(faces, columns);
  close_row(edges, columns);
}

/// pair = below + above, the rows of the same number in the planes beside.
template <class T>
inline void sum_pair(const T* __restrict below, const T* __restrict above, const Columns& columns,
                     T* __restrict pair) {
#pragma omp simd
  for (std::int64_t i = columns.begin(); i < columns.end(); ++i) {
    pair[i] = below[i] + above[i];
  }
}

/// What a stencil reads around a row: the rows beside it, and sums of pairs of rows. The pair on
/// the right is formed on the way.
template <class T>
struct Around {
  const T* left;
  const T* centre;
  const T* right;
  const T* pair_left;
  const T* pair_centre;
  const T* below_right;
  const T* above_right;
  T* pair_right;
};

/// The parts of a row's columns; the second has ghosts.
template <class T>
struct RowParts {
  T* __restrict centred;
  T* __restrict beside;
};

/// The parts of a stencil that adds to a row, whose other half is stencil_row.
template <class T, class Stencil>
inline void stencil_parts(Stencil stencil, const T* __restrict added, const Around<T>& around,
                          const Columns& columns, const RowParts<T>& parts) {
  const T* __restrict const left = around.left;
  const T* __restrict const centre = around.centre;
  const T* __restrict const right = around.right;
  const T* __restrict const pair_left = around.pair_left;
  const T* __restrict const pair_centre = around.pair_centre;
  const T* __restrict const below = around.below_right;
  const T* __restrict const above = around.above_right;
  T* __restrict const pair_right = around.pair_right;
  T* __restrict const centred = parts.centred;
  T* __restrict const beside = parts.beside;
#pragma omp simd
  for (std::int64_t i = columns.begin(); i < columns.end(); ++i) {
    const T pair = below[i] + above[i];
    pair_right[i] = pair;
    const auto formed = stencil.parts(
        Column<T>{left[i], centre[i], right[i], pair_left[i], pair_centre[i], pair}, added[i]);
    centred[i] = formed.centred;
    beside[i] = formed.beside;
  }
  close_row(beside, columns);
}

/// A row of a stencil from its parts, which reach one column further.
template <class T, class Stencil>
inline void stencil_row(Stencil stencil, const RowParts<T>& parts, const Columns& columns,
                        T* __restrict result) {
  const T* __restrict const centred = parts.centred;
  const T* __restrict const beside = parts.beside;
#pragma omp simd
  for (std::int64_t i = columns.begin(); i < columns.end(); ++i) {
    result[i] = stencil.result(centred[i], beside[i - 1] + beside[i + 1]);
  }
}

/// The same by streaming stores; `result` starts on a cache line and n is a multiple of one.
template <class T, class Stencil>
inline void stream_stencil_row(Stencil stencil, const RowParts<T>& parts, std::int64_t n,
                               T* result) {
  using P = Pack<T>;
  for (std::int64_t i = 0; i < n; i += P::width) {
    const P both_beside = P::load(parts.beside + i - 1) + P::load(parts.beside + i + 1);
    stencil.result(P::load(parts.centred + i), both_beside).stream(result + i);
  }
}

/// coarse[c] = P r around 2 c + 1, of n / 2 points; r has ghosts.
template <class T>
inline void restricted_row(const T* __restrict r, const RowSums<T>& sums, std::int64_t n,
                           T* __restrict coarse) {
  using std::fma;
  const T* __restrict const faces = sums.faces;
  const T* __restrict const edges = sums.edges;
#pragma omp simd
  for (std::int64_t c = 0; c < n / 2; ++c) {
    const std::int64_t i = 2 * c + 1;
    const T ones = faces[i] + (r[i - 1] + r[i + 1]);
    const T twos = edges[i] + (faces[i - 1] + faces[i + 1]);
    const T threes = edges[i - 1] + edges[i + 1];
    coarse[c] = fma(restriction_weights[3], threes,
                    fma(restriction_weights[2], twos,
                        fma(restriction_weights[1], ones, restriction_weights[0] * r[i])));
  }
}

/// The four coarse rows between which a fine row lies, some of them twice.
template <class T>
struct CoarseRows {
  const T* of[2][2];
};

/// w = Q coarse, plus u where there is one; an even number of columns beyond. `mean` holds half as
/// many points and ghosts.
template <class T>
inline void interpolated_row(const CoarseRows<T>& coarse, const T* u, const Columns& columns,
                             T* __restrict mean, T* __restrict w) {
  const T* const a = coarse.of[0][0];
  const T* const b = coarse.of[0][1];
  const T* const c = coarse.of[1][0];
  const T* const d = coarse.of[1][1];
  const Columns halves{columns.n / 2, columns.beyond / 2};
  // An even column lies between the coarse one of its number and the one before.
  const std::int64_t first = columns.beyond == 0 ? 0 : halves.begin() - 1;
#pragma omp simd
  for (std::int64_t i = first; i < halves.end(); ++i) {
    mean[i] = 0.25 * ((a[i] + b[i]) + (c[i] + d[i]));
  }
  close_row(mean, halves);
  // clang-tidy does not look into loops under a pragma.
  if (u == nullptr) {  // NOLINT(bugprone-branch-clone)
#pragma omp simd
    for (std::int64_t i = halves.begin(); i < halves.end(); ++i) {
      w[2 * i] = 0.5 * (mean[i - 1] + mean[i]);
      w[2 * i + 1] = mean[i];
    }
  } else {
#pragma omp simd
    for (std::int64_t i = halves.begin(); i < halves.end(); ++i) {
      w[2 * i] = u[2 * i] + 0.5 * (mean[i - 1] + mean[i]);
      w[2 * i + 1] = u[2 * i + 1] + mean[i];
    }
  }
}

template <class T>
inline T sum_of_squares(const T* __restrict r, std::int64_t n) {
  using std::fma;
  T sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) {
    sum = fma(r[i], r[i], sum);
  }
  return sum;
}

}  // namespace bankfull::npb::mg
