#pragma once

#include "bankfull/core/base/pack.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/workloads/npb/mg/grid.hpp"
#include "bankfull/workloads/npb/mg/stencils.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull::npb::mg {

// A stencil on rows of a plane in strips: a few packs of columns go along the rows together, with
// what they need of the rows before in registers. A point so takes four loads, and nothing but its
// result is stored. Rows wrap around and are whole strips.
//
// The columns beside a pack lie in the packs before and after it: results are one pack behind.

inline constexpr int strip_packs = 4;

/// Whether rows of so many columns go in strips. Where a pack takes several registers, a strip has
/// no place in those of the processor, and rows are as fast.
template <class T>
constexpr bool go_in_strips(std::int64_t columns) {
  return Pack<T>::parts == 1 && columns % (strip_packs * Pack<T>::width) == 0;
}

/// Rows of a plane around which a stencil is formed.
template <class T>
struct StencilPlane {
  PlaneRows<T> below;
  PlaneRows<T> centre;
  PlaneRows<T> above;
  PlaneRows<T> added;  ///< what the stencil adds to
  PlaneRows<T> result;
  Range rows;  ///< of the result
};

/// Lines of a plane that memory is asked for in between of other work, so that they are in the
/// second-level cache when a pass gets there. One by one, because a processor has few places for
/// lines that are on their way, and loads that find a line in a cache wait for these places, too.
template <class T>
class LinesAhead {
 public:
  /// None.
  LinesAhead() = default;
  LinesAhead(const PlaneRows<T>& plane, const Range& rows, std::int64_t columns)
      : plane_(plane), left_(rows), columns_(columns) {}

  template <int Lines>
  BANKFULL_ALWAYS_INLINE void ask() {
    if (left_.begin >= left_.end) {
      return;
    }
    const T* const at = plane_.row(left_.begin) + column_;
#pragma GCC unroll 8
    for (int n = 0; n < Lines; ++n) {
      __builtin_prefetch(at + n * Pack<T>::width, 0, 2);
    }
    column_ += Lines * Pack<T>::width;
    if (column_ == columns_) {
      column_ = 0;
      ++left_.begin;
    }
  }

 private:
  PlaneRows<T> plane_;
  Range left_;
  std::int64_t columns_ = 0;
  std::int64_t column_ = 0;
};

/// What a strip leaves of a row to the next one.
template <class T>
struct StripEdge {
  ColumnParts<Pack<T>> last;
  Pack<T> beside_before;  ///< of the pack before the last
};

enum class Results { none, stored, streamed };

/// The packs from column `first` on, but the last one from column `last`: behind a row's last
/// column comes its first. Results are those of the packs one before.
template <int Packs, Results Kind, class T, class Stencil, class... Ahead>
BANKFULL_ALWAYS_INLINE void march_strip(const Stencil stencil, const StencilPlane<T> plane,
                                        std::int64_t first, std::int64_t last, StripEdge<T>* edge,
                                        Ahead&... ahead) {
  using P = Pack<T>;
  const auto column = [=](int n) [[gnu::always_inline]] {
    return n == Packs - 1 ? last : first + n * P::width;
  };
  const auto pair = [&](std::int64_t i2, int n) [[gnu::always_inline]] {
    return P::load(plane.below.row(i2) + column(n)) + P::load(plane.above.row(i2) + column(n));
  };
  const std::int64_t begin = plane.rows.begin;
  Column<P> around[static_cast<std::size_t>(Packs)];
#pragma GCC unroll 8
  for (int n = 0; n < Packs; ++n) {
    around[n].centre = P::load(plane.centre.row(begin - 1) + column(n));
    around[n].right = P::load(plane.centre.row(begin) + column(n));
    around[n].pair_centre = pair(begin - 1, n);
    around[n].pair_right = pair(begin, n);
  }
  for (std::int64_t i2 = begin; i2 < plane.rows.end; ++i2, ++edge) {
    const T* const right = plane.centre.row(i2 + 1);
    const T* const added = plane.added.row(i2);
    T* const result = plane.result.row(i2) + first - P::width;
    StripEdge<T> behind = *edge;
#pragma GCC unroll 8
    for (int n = 0; n < Packs; ++n) {
      Column<P>& u = around[n];
      u = {u.centre,      u.right,      P::load(right + column(n)),
           u.pair_centre, u.pair_right, pair(i2 + 1, n)};
      const auto parts = stencil.parts(u, P::load(added + column(n)));
      if constexpr (Kind != Results::none) {
        const P both_beside = one_lane_earlier(behind.beside_before, behind.last.beside) +
                              one_lane_later(behind.last.beside, parts.beside);
        const P formed = stencil.result(behind.last.centred, both_beside);
        if constexpr (Kind == Results::streamed) {
          formed.stream(result + n * P::width);
        } else {
          formed.store(result + n * P::width);
        }
      }
      behind = {parts, behind.last.beside};
    }
    *edge = behind;
    (ahead.template ask<Packs>(), ...);
  }
}

/// All columns, of which there are n. `edges` holds one for each row.
template <Results Kind, class T, class Stencil, class... Ahead>
void march_strips(const Stencil stencil, const StencilPlane<T>& plane, std::int64_t n,
                  StripEdge<T>* edges, Ahead... ahead) {
  constexpr std::int64_t width = Pack<T>::width;
  march_strip<2, Results::none>(stencil, plane, n - width, 0, edges);
  for (std::int64_t first = width; first < n; first += strip_packs * width) {
    const std::int64_t last = first + (strip_packs - 1) * width;
    march_strip<strip_packs, Kind>(stencil, plane, first, last < n ? last : 0, edges, ahead...);
  }
}

}  // namespace bankfull::npb::mg
