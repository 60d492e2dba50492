#pragma once

#include "bankfull/core/exec/for_each.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/measure/traffic.hpp"

#include "jacobi/point.hpp"

namespace bankfull::jacobi {

/// The fields of a smoother: u and the next u in turn, then h^2 f.
inline constexpr int field_count = 3;
inline constexpr int source = 2;

/// Smooths all cells: from field `current`, 0 or 1, to the other one. The values' type is a
/// parameter because the test counts what a sweep reads, writes and computes.
template <class Value>
void sweep(const Team& team, FieldSet<Value>& fields, int current, double omega) {
  const auto u = fields[current];
  const auto next = fields[1 - current];
  const auto h2f = fields[source];
  const Value sixth = omega / 6.0;
  for_each(team, box_of(fields.layout().interior()), [=](auto i, auto j, auto k) {
    next(i, j, k) = smoothed(u(i, j, k), u(i - 1, j, k), u(i + 1, j, k), u(i, j - 1, k),
                             u(i, j + 1, k), u(i, j, k - 1), u(i, j, k + 1), h2f(i, j, k), sixth);
  });
}

/// What a sweep must move and compute: u and h^2 f are read and the next u is written, a word each
/// per cell; neighbours come from a cache. Ghost cells, a face of the grid, are left out.
inline Traffic sweep_traffic(const Extents& cells) {
  constexpr double word = sizeof(double);
  const auto count = static_cast<double>(cells.count());
  return {.bytes_read = 2.0 * word * count,
          .bytes_written = word * count,
          .flops = smoothed_flops * count};
}

}  // namespace bankfull::jacobi
