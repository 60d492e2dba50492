#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/base/pack.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/split_pack.hpp"
#include "bankfull/numerics/poisson/multigrid/point.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace bankfull::poisson::multigrid {

// The steps of multigrid on a row of cells along k. Rows of the outer iterate are plain; those of
// the corrections are split into the cells of even k and the cells of odd k: one colour of a row
// is then one run of memory, and so are its neighbours.

/// What cells need beside themselves for the Laplacian: the values around and the coefficients.
template <class T>
struct Surroundings {
  const T* below_i;
  const T* above_i;
  const T* below_j;
  const T* above_j;
  const T* below_k;
  const T* above_k;
  T lower_i;
  T upper_i;
  T lower_j;
  T upper_j;
  const T* lower_k;
  const T* upper_k;
};

template <class T>
BANKFULL_ALWAYS_INLINE Faces<T> coefficients_at(const Surroundings<T>& around, std::int64_t k) {
  return {around.lower_i, around.upper_i,    around.lower_j,
          around.upper_j, around.lower_k[k], around.upper_k[k]};
}

template <class T>
BANKFULL_ALWAYS_INLINE Faces<T> values_at(const Surroundings<T>& around, std::int64_t k) {
  return {around.below_i[k], around.above_i[k], around.below_j[k],
          around.above_j[k], around.below_k[k], around.above_k[k]};
}

/// The same of a pack of cells, all of which have those of the first cell.
template <class T>
BANKFULL_ALWAYS_INLINE Faces<Pack<T>> packs_of_first_coefficients(const Surroundings<T>& around) {
  using P = Pack<T>;
  return {P::broadcast(around.lower_i),  P::broadcast(around.upper_i),
          P::broadcast(around.lower_j),  P::broadcast(around.upper_j),
          P::broadcast(*around.lower_k), P::broadcast(*around.upper_k)};
}

/// Those of a pack of cells from cell k on.
template <class T>
BANKFULL_ALWAYS_INLINE Faces<Pack<T>> packs_of_coefficients(const Surroundings<T>& around,
                                                            std::int64_t k) {
  using P = Pack<T>;
  return {P::broadcast(around.lower_i), P::broadcast(around.upper_i), P::broadcast(around.lower_j),
          P::broadcast(around.upper_j), P::load(around.lower_k + k),  P::load(around.upper_k + k)};
}

template <class T>
BANKFULL_ALWAYS_INLINE Faces<Pack<T>> packs_of_values(const Surroundings<T>& around,
                                                      std::int64_t k) {
  using P = Pack<T>;
  return {P::load(around.below_i + k), P::load(around.above_i + k), P::load(around.below_j + k),
          P::load(around.above_j + k), P::load(around.below_k + k), P::load(around.above_k + k)};
}

/// Cell k of a row is even[k / 2] or odd[k / 2]. There is a ghost cell at both ends, odd[-1] and
/// beyond the last cell: across a periodic end the value beyond it, at a wall 0, which its
/// coefficient makes nothing of.
template <class T>
struct SplitRow {
  T* even;
  T* odd;

  [[nodiscard]] T* half(std::int64_t parity) const { return parity == 0 ? even : odd; }
};

/// Cells of even k in a row of n, and of odd k.
constexpr std::int64_t half_count(std::int64_t n, int parity) { return (n + 1 - parity) / 2; }

template <class T>
BANKFULL_ALWAYS_INLINE void close_row(bool periodic, std::int64_t n, SplitRow<T> row) {
  const std::int64_t evens = half_count(n, 0);
  const std::int64_t odds = half_count(n, 1);
  const bool is_odd = n % 2 != 0;
  const T last = is_odd ? row.even[evens - 1] : row.odd[odds - 1];
  row.odd[-1] = periodic ? last : T{0};
  (is_odd ? row.odd[odds] : row.even[evens]) = periodic ? row.even[0] : T{0};
}

/// The same where the cells of one parity alone have changed.
template <int Parity, class T>
BANKFULL_ALWAYS_INLINE void close_half(bool periodic, std::int64_t n, SplitRow<T> row) {
  if (!periodic) {
    return close_row(false, n, row);
  }
  const std::int64_t evens = half_count(n, 0);
  const std::int64_t odds = half_count(n, 1);
  const bool is_odd = n % 2 != 0;
  if constexpr (Parity == 0) {
    (is_odd ? row.odd[odds] : row.even[evens]) = row.even[0];
    if (is_odd) {
      row.odd[-1] = row.even[evens - 1];
    }
  } else if (!is_odd) {
    row.odd[-1] = row.odd[odds - 1];
  }
}

template <class T>
BANKFULL_ALWAYS_INLINE void close_row(bool periodic, std::int64_t n, T* row) {
  const T first = row[0];
  const T last = row[n - 1];
  row[-1] = periodic ? last : T{0};
  row[n] = periodic ? first : T{0};
}

template <class T>
inline void split_row(const T* __restrict plain, std::int64_t n, SplitRow<T> row) {
  T* __restrict const even = row.even;
  T* __restrict const odd = row.odd;
  const std::int64_t pairs = n / 2;
#pragma omp simd
  for (std::int64_t m = 0; m < pairs; ++m) {
    even[m] = plain[2 * m];
    odd[m] = plain[2 * m + 1];
  }
  if (n % 2 != 0) {
    even[pairs] = plain[2 * pairs];
  }
}

/// Asks the caches for n values. Half rows are too short for processors to notice that the next
/// ones will be wanted too.
template <class T>
inline void prefetch_values(const T* values, std::int64_t n) {
  constexpr std::int64_t line = 64 / sizeof(T);
  for (std::int64_t m = 0; m < n; m += line) {
    __builtin_prefetch(values + m);
  }
}

template <class T>
inline void prefetch_row(SplitRow<T> row, std::int64_t n) {
  prefetch_values(row.even, half_count(n, 0));
  prefetch_values(row.odd, half_count(n, 1));
}

/// Whether rows of these are done in packs: what tests count with is done cell by cell.
template <class Real, class T>
constexpr bool has_packs = std::is_floating_point_v<Real>&& std::is_same_v<T, float>;

// Operations on half a row: `n` counts the cells of one parity.

/// The inverse of the diagonal.
template <class T>
[[gnu::noinline]] void form_inverses(Surroundings<T> around, std::int64_t n,
                                     T* __restrict inverse) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    inverse[m] = inverse_of(diagonal(coefficients_at(around, m)));
  }
}

/// What rows of a plane have in common when half of their cells are relaxed. Lengths are those from
/// a cell to another one in elements.
template <class T>
struct RelaxedPlane {
  T omega;
  T lower_i;
  T upper_i;
  std::int64_t below_i;
  std::int64_t above_i;
  std::int64_t odd;                 ///< from a row's even cells to its odd ones
  std::int64_t cells;               ///< of a row
  bool periodic;                    ///< rows
  std::array<const T*, 2> lower_k;  ///< of the cells of each parity
  std::array<const T*, 2> upper_k;
};

/// One of them, and the rows beside it.
template <class T>
struct RelaxedRow {
  T* e;        ///< even cells
  const T* r;  ///< likewise
};
struct RowsBeside {
  std::int64_t below;
  std::int64_t above;
};
template <class T>
struct CoefficientsBeside {
  T lower;
  T upper;
};

/// Gauss-Seidel on the cells of one parity; asks the caches for `later`, as many values, meanwhile.
/// Alike: all cells have the coefficients of the first. A function of its own, since its pointers
/// take all registers.
template <bool Alike, int Parity, class T>
[[gnu::noinline]] void relax_half(const RelaxedPlane<T>& plane, RelaxedRow<T> row,
                                  RowsBeside beside, const T* inverse, const T* later,
                                  CoefficientsBeside<T> coefficients_j) {
  T* const e = row.e + (Parity == 0 ? 0 : plane.odd);
  const T* const others = row.e + (Parity == 0 ? plane.odd : 0);
  const T* const r = row.r + (Parity == 0 ? 0 : plane.odd);
  const std::int64_t n = half_count(plane.cells, Parity);
  const Surroundings<T> around{e + plane.below_i,
                               e + plane.above_i,
                               e + beside.below,
                               e + beside.above,
                               Parity == 0 ? others - 1 : others,
                               Parity == 0 ? others : others + 1,
                               plane.lower_i,
                               plane.upper_i,
                               coefficients_j.lower,
                               coefficients_j.upper,
                               plane.lower_k[Parity],
                               plane.upper_k[Parity]};
  std::int64_t in_packs = 0;
  if constexpr (has_packs<T, T>) {
    using P = Pack<T>;
    const P omega = P::broadcast(plane.omega);
    const Faces<P> first = packs_of_first_coefficients(around);
    const P first_inverse = P::broadcast(*inverse);
    for (; in_packs + P::width <= n; in_packs += P::width) {
      __builtin_prefetch(later + in_packs);
      const Faces<P> coefficients = Alike ? first : packs_of_coefficients(around, in_packs);
      const P sum = neighbour_sum(coefficients, packs_of_values(around, in_packs));
      relaxed(omega, Alike ? first_inverse : P::load(inverse + in_packs), P::load(e + in_packs),
              sum, P::load(r + in_packs))
          .store(e + in_packs);
    }
  }
#pragma omp simd
  for (std::int64_t m = in_packs; m < n; ++m) {
    const T sum = neighbour_sum(coefficients_at(around, m), values_at(around, m));
    e[m] = relaxed(plane.omega, inverse[m], e[m], sum, r[m]);
  }
  close_half<Parity>(plane.periodic, plane.cells, SplitRow<T>{row.e, row.e + plane.odd});
}

/// The same where e was 0 everywhere; asks for the other half of `later_e`, too.
template <bool Alike, int Parity, class T>
[[gnu::noinline]] void start_half(const RelaxedPlane<T>& plane, RelaxedRow<T> row, const T* inverse,
                                  const T* later, const T* later_e) {
  T* const e = row.e + (Parity == 0 ? 0 : plane.odd);
  T* const others = row.e + (Parity == 0 ? plane.odd : 0);
  const T* const r = row.r + (Parity == 0 ? 0 : plane.odd);
  const std::int64_t n = half_count(plane.cells, Parity);
  std::int64_t in_packs = 0;
  if constexpr (has_packs<T, T>) {
    using P = Pack<T>;
    const P zero = P::broadcast(T{0});
    const P omega = P::broadcast(plane.omega);
    const P first_inverse = P::broadcast(*inverse);
    for (; in_packs + P::width <= half_count(plane.cells, 1); in_packs += P::width) {
      __builtin_prefetch(later + in_packs);
      __builtin_prefetch(later_e + in_packs);
      __builtin_prefetch(later_e + plane.odd + in_packs);
      relaxed(omega, Alike ? first_inverse : P::load(inverse + in_packs), zero, zero,
              P::load(r + in_packs))
          .store(e + in_packs);
      zero.store(others + in_packs);
    }
  }
#pragma omp simd
  for (std::int64_t m = in_packs; m < n; ++m) {
    e[m] = relaxed(plane.omega, inverse[m], T{0}, T{0}, r[m]);
  }
#pragma omp simd
  for (std::int64_t m = in_packs; m < half_count(plane.cells, 1 - Parity); ++m) {
    others[m] = T{0};
  }
  close_row(plane.periodic, plane.cells, SplitRow<T>{row.e, row.e + plane.odd});
}

/// Whether a row is the first that a sum gets: what is there already does not count.
enum class Place { first, further };

/// sum += weight (r - L e)
template <Place At, class T>
BANKFULL_ALWAYS_INLINE void add_residual_half(Surroundings<T> around, const T* __restrict r,
                                              const T* __restrict e, T weight, std::int64_t n,
                                              T* __restrict sum) {
  using std::fma;
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    const Faces<T> coefficients = coefficients_at(around, m);
    const T residual = inner_residual(diagonal(coefficients), e[m],
                                      neighbour_sum(coefficients, values_at(around, m)), r[m]);
    sum[m] = fma(weight, residual, At == Place::first ? T{0} : sum[m]);
  }
}

/// sum += weight r
template <Place At, class T>
BANKFULL_ALWAYS_INLINE void add_half(const T* __restrict r, T weight, std::int64_t n,
                                     T* __restrict sum) {
  using std::fma;
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    sum[m] = fma(weight, r[m], At == Place::first ? T{0} : sum[m]);
  }
}

/// Weights or values of a row's even cells and of its odd ones.
template <class T>
struct Halves {
  const T* even;
  const T* odd;
};

/// Children to n parents.
template <class T>
inline void merge_halves(Halves<T> sums, Halves<T> restriction_weights, std::int64_t n,
                         T* __restrict coarse) {
  using std::fma;
#pragma omp simd
  for (std::int64_t c = 0; c < n; ++c) {
    coarse[c] =
        fma(restriction_weights.even[c], sums.even[c], restriction_weights.odd[c] * sums.odd[c]);
  }
}

/// The coarse rows between which a row lies: its parents along i and j. Even cells.
template <class T>
struct CoarseRows {
  const T* own;      ///< the parent of both
  const T* other_j;  ///< the parent along i, the other parent along j
  const T* other_i;
  const T* other_both;
  T weight_i;
  T weight_j;
  std::int64_t odd;  ///< from a row's even cells to its odd ones
};

template <class T>
BANKFULL_ALWAYS_INLINE T blended(const CoarseRows<T>& rows, std::int64_t c) {
  const T own = interpolated(rows.weight_j, rows.own[c], rows.other_j[c]);
  const T other = interpolated(rows.weight_j, rows.other_i[c], rows.other_both[c]);
  return interpolated(rows.weight_i, own, other);
}

/// The same of a pack of cells.
template <class T>
BANKFULL_ALWAYS_INLINE Pack<T> blended_pack(const CoarseRows<T>& rows, const Pack<T>& weight_i,
                                            const Pack<T>& weight_j, std::int64_t c) {
  using P = Pack<T>;
  const P own = interpolated(weight_j, P::load(rows.own + c), P::load(rows.other_j + c));
  const P other = interpolated(weight_j, P::load(rows.other_i + c), P::load(rows.other_both + c));
  return interpolated(weight_i, own, other);
}

template <class T>
BANKFULL_ALWAYS_INLINE void blend_halves(const CoarseRows<T>& rows, int parity, std::int64_t n,
                                         T* __restrict blend) {
  const std::int64_t first = parity == 0 ? 0 : rows.odd;
#pragma omp simd
  for (std::int64_t c = 0; c < n; ++c) {
    blend[c] = blended(rows, first + c);
  }
}

/// n coarse cells along k interpolated along i and j, in order.
template <class T>
BANKFULL_ALWAYS_INLINE void blend_row(const CoarseRows<T>& rows, std::int64_t n, T* plain) {
  std::int64_t in_packs = 0;
  if constexpr (has_packs<T, T>) {
    using P = Pack<T>;
    const P weight_i = P::broadcast(rows.weight_i);
    const P weight_j = P::broadcast(rows.weight_j);
    const CoarseRows<T> odd{rows.own + rows.odd,
                            rows.other_j + rows.odd,
                            rows.other_i + rows.odd,
                            rows.other_both + rows.odd,
                            rows.weight_i,
                            rows.weight_j,
                            rows.odd};
    for (; in_packs + P::width <= n / 2; in_packs += P::width) {
      store_joined(blended_pack(rows, weight_i, weight_j, in_packs),
                   blended_pack(odd, weight_i, weight_j, in_packs), plain + 2 * in_packs);
    }
  }
#pragma omp simd
  for (std::int64_t c = in_packs; c < n / 2; ++c) {
    plain[2 * c] = blended(rows, c);
    plain[2 * c + 1] = blended(rows, rows.odd + c);
  }
  if (n % 2 != 0) {
    plain[n - 1] = blended(rows, n / 2);
  }
}

/// A row of the finer level, and what the interpolation along k needs. Lengths are in elements.
template <class T>
struct InterpolatedRow {
  std::int64_t coarse_cells;
  std::int64_t cells;
  bool periodic;
  std::array<const T*, 2> weight;  ///< of the cells of each parity
  T* e;                            ///< even cells
  std::int64_t odd;                ///< from there to the odd ones
  const T* later;                  ///< even cells of a row that the caches are asked for
};

/// The interpolation along k of whole packs of cells of either parity, as many as it returns, from
/// `plain`, which goes on by a value at either end.
template <bool Alike, bool Keeps, class T>
BANKFULL_ALWAYS_INLINE std::int64_t spread_packs(const InterpolatedRow<T>& row, const T* plain) {
  using P = Pack<T>;
  const std::int64_t n = half_count(row.cells, 1);
  const std::int64_t in_packs = n - n % P::width;
  if (in_packs == 0) {
    return 0;
  }
  T* const even = row.e;
  T* const odd = row.e + row.odd;
  const std::array<const T*, 2> weight = row.weight;
  const T* const later = row.later;
  const P even_weight = P::broadcast(*weight[0]);
  const P odd_weight = P::broadcast(*weight[1]);
  // Neighbours are moved from lane to lane where this is one instruction: loads across packs that
  // have just been stored would wait for these.
  constexpr bool moves = P::parts == 1;
  P previous = P::broadcast(plain[-1]);
  P parent = P::load(plain);
  const P beyond = P::broadcast(plain[row.coarse_cells]);
  for (std::int64_t m = 0; m < in_packs; m += P::width) {
    __builtin_prefetch(later + m);
    __builtin_prefetch(later + row.odd + m);
    const P next = m + P::width < row.coarse_cells ? P::load(plain + m + P::width) : beyond;
    const P low = interpolated(Alike ? even_weight : P::load(weight[0] + m), parent,
                               moves ? one_lane_earlier(previous, parent) : P::load(plain + m - 1));
    const P high = interpolated(Alike ? odd_weight : P::load(weight[1] + m), parent,
                                moves ? one_lane_later(parent, next) : P::load(plain + m + 1));
    const P zero = P::broadcast(T{0});
    (low + (Keeps ? P::load(even + m) : zero)).store(even + m);
    (high + (Keeps ? P::load(odd + m) : zero)).store(odd + m);
    previous = parent;
    parent = next;
  }
  return in_packs;
}

/// e = the coarse rows interpolated, plus e where it is kept. `plain` has room for a coarse row and
/// a value at either end. Alike: all cells have the weight of the first.
template <bool Alike, bool Keeps, class T>
[[gnu::noinline]] void interpolate_row(const CoarseRows<T>& rows, const InterpolatedRow<T>& row,
                                       T* plain) {
  const std::int64_t coarse = row.coarse_cells;
  blend_row(rows, coarse, plain);
  plain[-1] = row.periodic ? plain[coarse - 1] : plain[0];
  plain[coarse] = row.periodic ? plain[0] : plain[coarse - 1];
  T* const even = row.e;
  T* const odd = row.e + row.odd;
  std::int64_t in_packs = 0;
  if constexpr (has_packs<T, T>) {
    in_packs = spread_packs<Alike, Keeps>(row, plain);
  }
#pragma omp simd
  for (std::int64_t m = in_packs; m < half_count(row.cells, 0); ++m) {
    even[m] = interpolated(row.weight[0][m], plain[m], plain[m - 1]) + (Keeps ? even[m] : T{0});
  }
#pragma omp simd
  for (std::int64_t m = in_packs; m < half_count(row.cells, 1); ++m) {
    odd[m] = interpolated(row.weight[1][m], plain[m], plain[m + 1]) + (Keeps ? odd[m] : T{0});
  }
  close_row(row.periodic, row.cells, SplitRow<T>{even, odd});
}

template <class T>
inline void copy_half(const T* __restrict values, std::int64_t n, bool keeps, T* __restrict e) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    e[m] = values[m] + (keeps ? e[m] : T{0});
  }
}

// Operations on a whole row.

/// How many cells of a row are in whole packs of T.
template <class Real, class T>
constexpr std::int64_t cells_in_packs(std::int64_t n) {
  if constexpr (has_packs<Real, T>) {
    return n - n % Pack<T>::width;
  } else {
    return 0;
  }
}

/// Rows that will be wanted from memory, which the caches are asked for bit by bit while another
/// row is done: asked for at once they fill the queue that all other misses of the first cache have
/// to go through.
template <std::size_t Plain, class Real, class T>
struct RowsAhead {
  std::array<const Real*, Plain> plain;
  SplitRow<T> split;

  /// What as many cells as a pack of T has, from k on, take of each row.
  BANKFULL_ALWAYS_INLINE void prefetch(std::int64_t k) const {
    for (const Real* row : plain) {
      prefetch_values(row + k, Pack<T>::width);
    }
    // Two such packs of cells share a line of either half.
    const bool is_first = k % (2 * Pack<T>::width) == 0;
    __builtin_prefetch((is_first ? split.even : split.odd) + k / 2);
  }
};

/// p = factor e, plus p where it is kept, for the packs of a row.
template <bool Keeps, class Real, class T>
BANKFULL_ALWAYS_INLINE void correct_packs(SplitRow<T> e, Real factor, std::int64_t n,
                                          const RowsAhead<1, Real, T>& ahead, Real* p) {
  using P = Pack<Real>;
  for (std::int64_t first = 0; first < n; first += Pack<T>::width) {
    ahead.prefetch(first);
    const SplitPack correction = SplitPack::load(e.even + first / 2, e.odd + first / 2);
    for (int m = 0; m < Pack<T>::width / P::width; ++m) {
      Real* const values = p + first + m * P::width;
      const P kept = Keeps ? P::load(values) : P::broadcast(Real{0});
      fma(factor, correction.pack<Real>(m), kept).store(values);
    }
  }
}

/// p = factor e, plus p where it is kept
template <class Real, class T>
[[gnu::noinline]] void correct_row(SplitRow<T> e, bool keeps, Real factor, std::int64_t n,
                                   const RowsAhead<1, Real, T>& ahead, Real* p) {
  using std::fma;
  const std::int64_t in_packs = cells_in_packs<Real, T>(n);
  if constexpr (has_packs<Real, T>) {
    keeps ? correct_packs<true>(e, factor, in_packs, ahead, p)
          : correct_packs<false>(e, factor, in_packs, ahead, p);
  }
  for (std::int64_t k = in_packs; k < n; ++k) {
    p[k] = fma(factor, static_cast<Real>(e.half(k % 2)[k / 2]), keeps ? p[k] : Real{0});
  }
}

/// A magnitude as an integer that orders alike, NaN above all: the largest of them does not hide a
/// field that blew up.
template <class Real>
using MagnitudeBits = std::conditional_t<sizeof(Real) == 8, std::int64_t, std::int32_t>;

template <class Real>
BANKFULL_ALWAYS_INLINE MagnitudeBits<Real> magnitude_bits(Real value) {
  return std::bit_cast<MagnitudeBits<Real>>(std::abs(value));
}

/// What turns a right side into a residual for the correction.
template <class Real>
struct Outer {
  Real mean;   ///< of f, subtracted
  Real scale;  ///< what the correction's residual is multiplied by
};

/// The largest magnitude of many rows, of cells and of packs.
template <class Real>
struct LargestOfRows {
  struct OfNoPacks {
    [[nodiscard]] static MagnitudeBits<Real> bits() { return 0; }
  };

  MagnitudeBits<Real> of_cells = 0;
  std::conditional_t<std::is_floating_point_v<Real>, LargestMagnitude<Real>, OfNoPacks> of_packs;

  [[nodiscard]] MagnitudeBits<Real> bits() const {
    return std::max<MagnitudeBits<Real>>(of_cells, of_packs.bits());
  }
};

/// r = scale (f - mean - L p) for the packs of a row; takes account of |f - mean - L p|. Alike: all
/// cells have the coefficients of the first.
template <bool Alike, class Real, class T>
BANKFULL_ALWAYS_INLINE void defect_packs(const Surroundings<Real>& around, const Real* f,
                                         const Real* p, const Outer<Real>& outer, std::int64_t n,
                                         const RowsAhead<2, Real, T>& ahead, SplitRow<T> r,
                                         LargestOfRows<Real>* largest) {
  using P = Pack<Real>;
  const P mean = P::broadcast(outer.mean);
  const P scale = P::broadcast(outer.scale);
  // Sixteen registers are too few to keep them.
  constexpr bool keeps_first = Alike && register_count >= 32;
  const Faces<P> first_coefficients = packs_of_first_coefficients(around);
  LargestMagnitude<Real> so_far = largest->of_packs;
  for (std::int64_t first = 0; first < n; first += Pack<T>::width) {
    ahead.prefetch(first);
    SplitPack rounded;
    for (int m = 0; m < Pack<T>::width / P::width; ++m) {
      const std::int64_t k = first + m * P::width;
      const P defect =
          (P::load(f + k) - mean) -
          laplacian(keeps_first ? first_coefficients : packs_of_coefficients(around, k),
                    P::load(p + k), packs_of_values(around, k));
      so_far.add(defect);
      rounded.take(m, scale * defect);
    }
    rounded.store(r.even + first / 2, r.odd + first / 2);
  }
  largest->of_packs = so_far;
}

/// The same for a whole row.
template <bool Alike, class Real, class T>
[[gnu::noinline]] void defect_row(const Surroundings<Real>& around, const Real* f, const Real* p,
                                  const Outer<Real>& outer, std::int64_t n,
                                  const RowsAhead<2, Real, T>& ahead, SplitRow<T> r,
                                  LargestOfRows<Real>* largest) {
  const std::int64_t in_packs = cells_in_packs<Real, T>(n);
  if constexpr (has_packs<Real, T>) {
    defect_packs<Alike>(around, f, p, outer, in_packs, ahead, r, largest);
  }
  for (std::int64_t k = in_packs; k < n; ++k) {
    const Real defect =
        (f[k] - outer.mean) - laplacian(coefficients_at(around, k), p[k], values_at(around, k));
    largest->of_cells = std::max(largest->of_cells, magnitude_bits(defect));
    r.half(k % 2)[k / 2] = static_cast<T>(outer.scale * defect);
  }
}

/// The same for p = 0.
template <class Real, class T>
MagnitudeBits<Real> right_side_row(const Real* __restrict f, Outer<Real> outer, std::int64_t n,
                                   T* __restrict r) {
  MagnitudeBits<Real> largest = 0;
#pragma omp simd reduction(max : largest)
  for (std::int64_t k = 0; k < n; ++k) {
    const Real defect = f[k] - outer.mean;
    largest = std::max(largest, magnitude_bits(defect));
    r[k] = static_cast<T>(outer.scale * defect);
  }
  return largest;
}

/// What is to be known of a right side before it is solved for.
template <class Real>
struct RowSurvey {
  double sum = 0.0;  ///< weighted
  MagnitudeBits<Real> largest = 0;
};

template <class Real>
RowSurvey<Real> survey_row(const Real* f, const double* weight, std::int64_t n) {
  using std::fma;
  double sum = 0.0;
  MagnitudeBits<Real> largest = 0;
#pragma omp simd reduction(+ : sum) reduction(max : largest)
  for (std::int64_t k = 0; k < n; ++k) {
    sum = std::fma(weight[k], static_cast<double>(f[k]), sum);
    largest = std::max(largest, magnitude_bits(f[k]));
  }
  return {sum, largest};
}

}  // namespace bankfull::poisson::multigrid
