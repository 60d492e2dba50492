#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/field/for_cells.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bankfull::convection {

/// The cells that two boxes have in common.
inline Box common(const Box& a, const Box& b) {
  return {std::max(a.i0, b.i0), std::min(a.i1, b.i1), std::max(a.j0, b.j0),
          std::min(a.j1, b.j1), std::max(a.k0, b.k0), std::min(a.k1, b.k1)};
}

inline Box moved(const Box& box, std::int64_t i, std::int64_t j, std::int64_t k) {
  return {box.i0 + i, box.i1 + i, box.j0 + j, box.j1 + j, box.k0 + k, box.k1 + k};
}

/// The values of a part of the grid, k fastest, of which each rank has those of its block: value(i,
/// j, k) is called with its own cells, in the block's numbers. Collective over `ranks`, which get
/// all of them; null where there is one only.
template <class Value>
void read_blocks(const Communicator* ranks, const Decomposition& cut, const Box& part,
                 double* values, const Value& value) {
  if (ranks == nullptr) {
    for_cells(part, [&](auto i, auto j, auto k) { *values++ = value(i, j, k); });
    return;
  }
  const Box block = cut.block(ranks->rank());
  const Box mine = common(part, block);
  std::vector<double> sent;
  if (!mine.empty()) {
    sent.reserve(static_cast<std::size_t>(mine.extents().count()));
    for_cells(moved(mine, -block.i0, -block.j0, -block.k0),
              [&](auto i, auto j, auto k) { sent.push_back(value(i, j, k)); });
  }
  const std::vector<std::vector<double>> all = ranks->all_gather(sent);
  const Extents n = part.extents();
  for (int rank = 0; rank < ranks->size(); ++rank) {
    const Box theirs = common(part, cut.block(rank));
    const double* next = all[static_cast<std::size_t>(rank)].data();
    if (!theirs.empty()) {
      for_cells(moved(theirs, -part.i0, -part.j0, -part.k0),
                [&](auto i, auto j, auto k) { values[(i * n.nj + j) * n.nk + k] = *next++; });
    }
  }
}

}  // namespace bankfull::convection
