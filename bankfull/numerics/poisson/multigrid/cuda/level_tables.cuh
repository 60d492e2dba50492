#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/grid.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/hierarchy.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace bankfull::poisson::multigrid::cuda {

template <class T>
Buffer<T> uploaded(const std::vector<T>& values, const Stream& stream) {
  Buffer<T> buffer(MemorySpace::device, values.size());
  copy_bytes(buffer.data(), values.data(), buffer.bytes(), stream);
  stream.synchronize();  // the values may go
  return buffer;
}

template <class T>
Buffer<T> zeros(std::int64_t size, const Stream& stream) {
  Buffer<T> buffer(MemorySpace::device, static_cast<std::size_t>(size));
  fill_bytes(buffer.data(), 0, buffer.bytes(), stream);
  return buffer;
}

/// An axis of one cell is its own neighbour or has none: either way it has no part in L.
inline bool has_neighbours(const AxisLevel& axis) { return axis.cells > 1; }

template <class Real>
void append_coefficients(const AxisLevel& axis, std::vector<Pair<Real>>& to) {
  for (std::size_t n = 0; n < axis.lower.size(); ++n) {
    to.push_back(has_neighbours(axis) ? Pair<Real>{static_cast<Real>(axis.lower[n]),
                                                   static_cast<Real>(axis.upper[n])}
                                      : Pair<Real>{});
  }
}

/// The coefficients of axes i, j and k on the finest level.
template <class Real>
std::vector<Pair<Real>> finest_coefficients(const Level& finest) {
  std::vector<Pair<Real>> coefficients;
  append_coefficients(finest.i, coefficients);
  append_coefficients(finest.j, coefficients);
  append_coefficients(finest.k, coefficients);
  return coefficients;
}

/// Of an axis' first cell.
template <class Real>
Pair<Real> first_coefficients(const AxisLevel& axis) {
  return {static_cast<Real>(axis.lower.front()), static_cast<Real>(axis.upper.front())};
}

inline void append_table(const AxisLevel& axis, std::vector<float>& tables) {
  const std::size_t cells = axis.lower.size();
  const float present = has_neighbours(axis) ? 1.0F : 0.0F;
  for (std::size_t n = 0; n < cells; ++n) {
    tables.push_back(present * static_cast<float>(axis.lower[n]));
    tables.push_back(present * static_cast<float>(axis.upper[n]));
  }
  for (const double restriction_weight : axis.restriction_weight) {
    tables.push_back(static_cast<float>(restriction_weight));
  }
  for (const double interpolation_weight : axis.interpolation_weight) {
    tables.push_back(static_cast<float>(interpolation_weight));
  }
}

/// All levels' tables, level after level, axis after axis.
inline std::vector<float> tables_of(const std::vector<Level>& levels) {
  std::vector<float> tables;
  for (const Level& level : levels) {
    append_table(level.i, tables);
    append_table(level.j, tables);
    append_table(level.k, tables);
  }
  return tables;
}

/// A table as append_table wrote it; `at` moves behind it.
inline AxisView view_of(const AxisLevel& axis, const float*& at) {
  const auto cells = static_cast<int>(axis.cells);
  const AxisView view{.cells = cells,
                      .coarse_cells = axis.coarsened ? (cells + 1) / 2 : cells,
                      .periodic = axis.periodic && has_neighbours(axis),
                      .coarsened = axis.coarsened,
                      .coefficients = reinterpret_cast<const float2*>(at),
                      .restriction_weight = at + std::ptrdiff_t{2} * cells,
                      .interpolation_weight = at + std::ptrdiff_t{3} * cells};
  at += std::ptrdiff_t{4} * cells;
  return view;
}

inline Pitches pitches_of(const Level& level) {
  return {static_cast<int>(row_pitch(level)), plane_pitch(level)};
}

/// The diagonal's part of i in the middle of a level.
inline float middle_of(const AxisLevel& axis) {
  const auto middle = static_cast<std::size_t>(axis.cells / 2);
  return has_neighbours(axis)
             ? static_cast<float>(axis.lower[middle]) + static_cast<float>(axis.upper[middle])
             : 0.0F;
}

/// The views of levels from the finest on, or of windows of them.
inline std::vector<LevelView> views_of(const std::vector<Level>& levels, const float* tables) {
  std::vector<LevelView> views;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    const Level& level = levels[n];
    LevelView view;
    view.i = view_of(level.i, tables);
    view.j = view_of(level.j, tables);
    view.k = view_of(level.k, tables);
    view.at = pitches_of(level);
    view.coarse_at = pitches_of(levels[std::min(n + 1, levels.size() - 1)]);
    const auto rounded = [](double value) { return static_cast<float>(value); };
    view.omega = rounded(level.omega);
    std::ranges::transform(level.omega_before, view.omega_before, rounded);
    std::ranges::transform(level.omega_after, view.omega_after, rounded);
    view.middle = middle_of(level.i);
    view.end_plane = view.i.cells;
    views.push_back(view);
  }
  return views;
}

/// body(std::bool_constant<value>{})
template <class Body>
void with_bool(bool value, const Body& body) {
  if (value) {
    body(std::true_type{});
  } else {
    body(std::false_type{});
  }
}

}  // namespace bankfull::poisson::multigrid::cuda
