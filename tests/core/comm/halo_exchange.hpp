#pragma once

#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/comm/halo_regions.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

namespace bankfull {

/// One set-up of a halo exchange that is checked cell by cell.
struct HaloCase {
  Extents cells;
  Periodicity periodic;
  HaloShape shape;
  int fields;
  int ghosts;
};

inline std::vector<HaloCase> halo_cases() {
  using Reach = HaloShape::Reach;
  return {
      {{17, 19, 23}, {}, {1, Reach::faces}, 1, 1},
      {{17, 19, 23}, {}, {1, Reach::edges}, 2, 1},
      {{16, 18, 37}, {true, true, true}, {2, Reach::corners}, 3, 2},
      {{19, 16, 16}, {false, true, false}, {1, Reach::corners}, 1, 3},
      {{40, 66, 131}, {true, false, true}, {2, Reach::edges}, 2, 2},
  };
}

/// Ranks in a row along each axis, and as the library would have them.
inline std::vector<RankGrid> rank_grids(int ranks, const HaloCase& c) {
  const DecompositionRules rules{.periodic = c.periodic, .halo_width = c.shape.width};
  return {{ranks, 1, 1},
          {1, ranks, 1},
          {1, 1, ranks},
          choose_decomposition(c.cells, ranks, rules).grid()};
}

/// What cell (i, j, k) of the whole grid holds in a round; every value is exact in fp32.
inline double cell_value(const HaloCase& c, int field, int round, std::int64_t i, std::int64_t j,
                         std::int64_t k) {
  return static_cast<double>(field * 1000000 + round * 100000) +
         static_cast<double>((i * 7 + j) * 131 + k) + 0.25 * static_cast<double>(c.shape.width);
}

/// What no cell holds: ghosts before an exchange.
inline constexpr double untouched = -1.0;

/// A field in memory of the host: own cells set, ghosts untouched.
template <class T>
std::vector<T> filled(const HaloCase& c, const Layout& layout, const Box& block, int field,
                      int round) {
  std::vector<T> values(static_cast<std::size_t>(layout.size()), static_cast<T>(untouched));
  const Extents n = block.extents();
  for (std::int64_t i = 0; i < n.ni; ++i) {
    for (std::int64_t j = 0; j < n.nj; ++j) {
      for (std::int64_t k = 0; k < n.nk; ++k) {
        values[static_cast<std::size_t>(layout.origin() + layout.offset(i, j, k))] =
            static_cast<T>(cell_value(c, field, round, block.i0 + i, block.j0 + j, block.k0 + k));
      }
    }
  }
  return values;
}

/// Index of an axis after wrapping around; none beyond an end that does not.
inline std::optional<std::int64_t> wrapped(std::int64_t n, std::int64_t cells, bool periodic) {
  if (n >= 0 && n < cells) {
    return n;
  }
  return periodic ? std::optional((n + cells) % cells) : std::nullopt;
}

/// What a cell of a rank's block or its ghosts must hold after the exchange.
inline double expected_value(const HaloCase& c, const Box& block, int field, int round,
                             std::array<std::int64_t, 3> at) {
  const Extents n = block.extents();
  const std::array<std::int64_t, 3> size{n.ni, n.nj, n.nk};
  int axes_outside = 0;
  bool in_width = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t beyond = std::max(-at[axis], at[axis] - size[axis] + 1);
    axes_outside += beyond > 0 ? 1 : 0;
    in_width = in_width && beyond <= c.shape.width;
  }
  const auto i = wrapped(block.i0 + at[0], c.cells.ni, c.periodic.i);
  const auto j = wrapped(block.j0 + at[1], c.cells.nj, c.periodic.j);
  const auto k = wrapped(block.k0 + at[2], c.cells.nk, c.periodic.k);
  const bool filled = i && j && k && in_width && axes_outside <= static_cast<int>(c.shape.reach);
  return filled ? cell_value(c, field, round, *i, *j, *k) : untouched;
}

template <class T>
void expect_exchanged(const HaloCase& c, const Layout& layout, const Box& block, int field,
                      int round, const std::vector<T>& values) {
  const Box box = grown(box_of(layout.interior()), layout.ghosts());
  int wrong = 0;
  for (std::int64_t i = box.i0; i < box.i1; ++i) {
    for (std::int64_t j = box.j0; j < box.j1; ++j) {
      for (std::int64_t k = box.k0; k < box.k1; ++k) {
        const auto expected = static_cast<T>(expected_value(c, block, field, round, {i, j, k}));
        const T got = values[static_cast<std::size_t>(layout.origin() + layout.offset(i, j, k))];
        wrong += got == expected ? 0 : 1;
        if (got != expected && wrong <= 3) {
          ADD_FAILURE() << "cell " << i << ' ' << j << ' ' << k << " of field " << field
                        << " holds " << got << " instead of " << expected;
        }
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace bankfull
