#pragma once

#include "bankfull/numerics/poisson/multigrid/cpu/rows.hpp"
#include "bankfull/numerics/poisson/multigrid/line.hpp"

#include <cstdint>

namespace bankfull::poisson::multigrid {

// Steps of line relaxation on half a row: the cells at one place of neighbouring lines, which run
// along j. Each of the loops takes all these lines one cell further.

/// The coefficients across lines, which are those along i and k.
template <class T>
BANKFULL_ALWAYS_INLINE FacesAcross<T> coefficients_across(const Surroundings<T>& around,
                                                          std::int64_t k) {
  return {around.lower_i, around.upper_i, around.lower_k[k], around.upper_k[k]};
}

template <class T>
BANKFULL_ALWAYS_INLINE FacesAcross<T> values_across(const Surroundings<T>& around, std::int64_t k) {
  return {around.below_i[k], around.above_i[k], around.below_k[k], around.above_k[k]};
}

/// What elimination has left of the lines' rows below, while pivots are formed.
template <class T>
struct EndsOfHalf {
  T* dominance;
  T* closing;
  T* root_dominance;
};

/// Where the pivots of one cell of each line are kept; `around` of periodic lines only.
template <class T>
struct PivotsOfHalf {
  T* inverse;
  T* around;
};

/// The pivots of a cell that is not the root.
template <bool Cyclic, class T>
void form_pivots(const Surroundings<T>& around, T width, T above, EndsOfHalf<T> ends,
                 std::int64_t n, PivotsOfHalf<T> pivots) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    LowerEnd<T> end{ends.dominance[m], ends.closing[m]};
    const T dominance = line_dominance(width, coefficients_across(around, m));
    const Pivot<T> pivot =
        Elimination<Cyclic>::eliminate(dominance, above, end, ends.root_dominance[m]);
    ends.dominance[m] = end.dominance;
    ends.closing[m] = end.closing;
    pivots.inverse[m] = pivot.inverse;
    if constexpr (Cyclic) {
      pivots.around[m] = pivot.around;
    }
  }
}

/// The pivots of the root, from which nothing goes around.
template <bool Cyclic, class T>
void form_root_pivots(const Surroundings<T>& around, T width, EndsOfHalf<T> ends, std::int64_t n,
                      PivotsOfHalf<T> pivots) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    const T dominance = line_dominance(width, coefficients_across(around, m));
    pivots.inverse[m] = root_inverse(dominance + ends.dominance[m] + ends.root_dominance[m]);
    if constexpr (Cyclic) {
      pivots.around[m] = T{0};
    }
  }
}

/// On the way up a line: what comes from the cell before, and of periodic lines what the root gets.
template <class T>
struct BelowHalf {
  T coupling;
  const T* particular;
  const T* added;  ///< to the cell's own: what the root has got
  T* root_side;
};

/// From the right side to the particular solution.
template <bool Cyclic, class T>
BANKFULL_ALWAYS_INLINE T eliminated_cell(T side, const BelowHalf<T>& below,
                                         const PivotsOfHalf<const T>& pivots, std::int64_t m) {
  using std::fma;
  T right_side = line_right_side(side, below.coupling, below.particular[m]);
  if constexpr (Cyclic) {
    right_side = right_side + below.added[m];
    below.root_side[m] = fma(pivots.around[m], right_side, below.root_side[m]);
  }
  return pivots.inverse[m] * right_side;
}

template <bool Cyclic, class T>
void eliminate_half(Surroundings<T> around, const T* r, T width, BelowHalf<T> below,
                    PivotsOfHalf<const T> pivots, std::int64_t n, T* particular) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    const T sum = across_sum(coefficients_across(around, m), values_across(around, m));
    particular[m] = eliminated_cell<Cyclic>(line_side(width, sum, r[m]), below, pivots, m);
  }
}

/// The same where e was 0 everywhere.
template <bool Cyclic, class T>
void start_eliminating_half(const T* r, T width, BelowHalf<T> below, PivotsOfHalf<const T> pivots,
                            std::int64_t n, T* particular) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    particular[m] = eliminated_cell<Cyclic>(-width * r[m], below, pivots, m);
  }
}

/// On the way back: the solution of the next cell, and of periodic lines the root's.
template <class T>
struct AboveHalf {
  T coupling;
  const T* next;
  const T* root;
};

/// From the particular solution to the solution, and e.
template <bool Cyclic, bool FromZero, class T>
void solve_half(AboveHalf<T> above, PivotsOfHalf<const T> pivots, T omega, std::int64_t n,
                T* solution, T* e) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    const T around = Cyclic ? pivots.around[m] : T{0};
    const T root = Cyclic ? above.root[m] : T{0};
    const T solved = Elimination<Cyclic>::solution(
        line_pivot(pivots.inverse[m], above.coupling, around), solution[m], above.next[m], root);
    solution[m] = solved;
    e[m] = FromZero ? omega * solved : line_relaxed(omega, e[m], solved);
  }
}

}  // namespace bankfull::poisson::multigrid
