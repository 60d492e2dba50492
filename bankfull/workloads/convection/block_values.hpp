#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/field/box.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/convection/interpolation.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bankfull::convection {

/// The cells that two boxes have in common.
inline Box common(const Box& a, const Box& b) {
  return {std::max(a.i0, b.i0), std::min(a.i1, b.i1), std::max(a.j0, b.j0),
          std::min(a.j1, b.j1), std::max(a.k0, b.k0), std::min(a.k1, b.k1)};
}

/// What a line along an axis of the grid has for the cells of a block.
template <class T>
std::vector<T> cells_of_block(const std::vector<T>& line, const Box& block, int axis) {
  const Range ranges[3] = {{block.i0, block.i1}, {block.j0, block.j1}, {block.k0, block.k1}};
  return {line.begin() + ranges[axis].begin, line.begin() + ranges[axis].end};
}

/// The cells of a rank, and the faces beyond the grid's last cells where `all` are faces of it.
inline Box block_with_faces(const Decomposition& cut, const Extents& all, int rank) {
  const Extents cells = cut.cells();
  Box block = cut.block(rank);
  block.i1 += block.i1 == cells.ni ? all.ni - cells.ni : 0;
  block.j1 += block.j1 == cells.nj ? all.nj - cells.nj : 0;
  block.k1 += all.nk - cells.nk;
  return block;
}

/// A part of the grid in the numbers of a block's cells.
inline Box in_block(const Box& part, const Box& block) {
  return moved(part, -block.i0, -block.j0, -block.k0);
}

/// The values of a part of the grid, or of its faces, which are `all`, k fastest. Each rank has
/// those of its block: read(own, to) leaves some of them, in the block's numbers, in order.
/// Collective over `ranks`, which get all of them; null where there is one only.
template <class Read>
void read_blocks(const Communicator* ranks, const Decomposition& cut, const Extents& all,
                 const Box& part, double* values, const Read& read) {
  if (ranks == nullptr) {
    read(part, values);
    return;
  }
  const Box block = block_with_faces(cut, all, ranks->rank());
  const Box mine = common(part, block);
  std::vector<double> sent;
  if (!mine.empty()) {
    sent.resize(static_cast<std::size_t>(mine.extents().count()));
    read(moved(mine, -block.i0, -block.j0, -block.k0), sent.data());
  }
  const std::vector<std::vector<double>> received = ranks->all_gather(sent);
  const Extents n = part.extents();
  for (int rank = 0; rank < ranks->size(); ++rank) {
    const Box theirs = common(part, block_with_faces(cut, all, rank));
    const double* next = received[static_cast<std::size_t>(rank)].data();
    if (!theirs.empty()) {
      for_cells(moved(theirs, -part.i0, -part.j0, -part.k0),
                [&](auto i, auto j, auto k) { values[(i * n.nj + j) * n.nk + k] = *next++; });
    }
  }
}

/// The rank that has an element, or next to whose cells it lies beyond an end of the grid.
inline int owner_of(const Decomposition& cut, const FieldElement& one) {
  const Extents n = cut.cells();
  const auto inside = [](std::int64_t at, std::int64_t cells) {
    return std::clamp<std::int64_t>(at, 0, cells - 1);
  };
  const std::int64_t i = inside(one.i, n.ni);
  const std::int64_t j = inside(one.j, n.nj);
  int rank = 0;
  for (Box block = cut.block(rank); i < block.i0 || i >= block.i1 || j < block.j0 || j >= block.j1;
       block = cut.block(rank)) {
    ++rank;
  }
  return rank;
}

/// Elements of the grid, each of which one of the ranks has, or has beside its cells.
class OwnedElements {
 public:
  /// `ranks`: null where there is one only, which has all.
  OwnedElements(const Communicator* ranks, const Decomposition& cut,
                const std::vector<FieldElement>& list)
      : ranks_(ranks) {
    if (ranks == nullptr) {
      mine_ = list;
      return;
    }
    const Box block = cut.block(ranks->rank());
    for (const FieldElement& one : list) {
      owners_.push_back(owner_of(cut, one));
      if (owners_.back() == ranks->rank()) {
        mine_.push_back({one.field, one.i - block.i0, one.j - block.j0, one.k});
      }
    }
  }

  /// Those of this rank, in the numbers of its block.
  [[nodiscard]] const std::vector<FieldElement>& mine() const { return mine_; }

  /// From the values of this rank's elements those of all, in the order of the list. Collective.
  [[nodiscard]] std::vector<double> of_all_ranks(std::vector<double> mine) const {
    if (ranks_ == nullptr) {
      return mine;
    }
    const std::vector<std::vector<double>> received = ranks_->all_gather(mine);
    std::vector<std::size_t> next(received.size(), 0);
    std::vector<double> values;
    values.reserve(owners_.size());
    for (const int owner : owners_) {
      const auto rank = static_cast<std::size_t>(owner);
      values.push_back(received[rank][next[rank]++]);
    }
    return values;
  }

 private:
  const Communicator* ranks_;
  std::vector<int> owners_;
  std::vector<FieldElement> mine_;
};

}  // namespace bankfull::convection
