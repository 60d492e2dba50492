#pragma once

#include "bankfull/core/comm/decomposition.hpp"

#include <array>
#include <cstdint>

namespace bankfull {

// Access to the members of i, j, k structures by axis number, for code that treats all axes
// alike.

/// Values of i, j and k, in this order: axis 2 is contiguous in memory.
template <class Value>
using PerAxis = std::array<Value, 3>;

/// Cells along each axis.
constexpr PerAxis<std::int64_t> per_axis(const Extents& n) { return {n.ni, n.nj, n.nk}; }
/// Ranks along each axis, or the position of one of them.
constexpr PerAxis<int> per_axis(const RankGrid& grid) { return {grid.i, grid.j, grid.k}; }
/// Steps along each axis: -1, 0 or +1.
constexpr PerAxis<int> per_axis(const Offset& offset) { return {offset.di, offset.dj, offset.dk}; }
/// Whether each axis is periodic.
constexpr PerAxis<bool> per_axis(const Periodicity& axis) { return {axis.i, axis.j, axis.k}; }

/// The value of a function of the axis number, 0 to 2, for each axis.
template <class Function>
constexpr auto for_axes(const Function& function) {
  return PerAxis<decltype(function(std::size_t{0}))>{function(0), function(1), function(2)};
}

}  // namespace bankfull
