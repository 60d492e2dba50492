#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/field/box.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/convection/interpolation.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
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

/// Collective: what each rank has, `counts` values, one rank's after the other's. Empty on ranks
/// that do not want it, to which none of it is sent.
inline std::vector<double> values_of_all(const Communicator& ranks, std::vector<double>& mine,
                                         const std::vector<std::size_t>& counts, bool wanted) {
  const std::vector<int> receivers = ranks.all_gather(wanted ? 1 : 0);
  std::vector<double> all(wanted ? std::reduce(counts.begin(), counts.end()) : 0);
  std::vector<Message> sends;
  std::vector<Message> receives;
  double* next = all.data();
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto n = static_cast<std::size_t>(rank);
    sends.push_back({rank, mine.data(), receivers[n] == 1 ? mine.size() * sizeof(double) : 0});
    receives.push_back({rank, next, wanted ? counts[n] * sizeof(double) : 0});
    next += wanted ? counts[n] : 0;
  }
  ranks.prepare_all_to_all(sends, receives)->exchange();
  return all;
}

/// The values of a part of the grid, or of its faces, which are `all`, k fastest. Each rank has
/// those of its block: read(own, to) leaves some of them, in the block's numbers, in order.
/// Collective over `ranks`, null where there is one only; `values` is null on ranks that need none.
template <class Read>
void read_blocks(const Communicator* ranks, const Decomposition& cut, const Extents& all,
                 const Box& part, double* values, const Read& read) {
  if (ranks == nullptr) {
    read(part, values);
    return;
  }
  std::vector<Box> parts;
  std::vector<std::size_t> counts;
  for (int rank = 0; rank < ranks->size(); ++rank) {
    const Box theirs = common(part, block_with_faces(cut, all, rank));
    parts.push_back(theirs);
    counts.push_back(theirs.empty() ? 0 : static_cast<std::size_t>(theirs.extents().count()));
  }
  const auto own = static_cast<std::size_t>(ranks->rank());
  std::vector<double> mine(counts[own]);
  if (!mine.empty()) {
    read(in_block(parts[own], block_with_faces(cut, all, ranks->rank())), mine.data());
  }
  const std::vector<double> received = values_of_all(*ranks, mine, counts, values != nullptr);
  if (values == nullptr) {
    return;
  }
  const double* next = received.data();
  const Extents n = part.extents();
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    if (counts[rank] > 0) {
      for_cells(moved(parts[rank], -part.i0, -part.j0, -part.k0),
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
