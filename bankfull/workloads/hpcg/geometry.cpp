#include "bankfull/workloads/hpcg/geometry.hpp"

namespace bankfull::hpcg {
namespace {

/// The layer of an axis that lies on a side, in the rank's own numbering.
Range layer(const Axis& axis, int side) {
  if (side == 0) {
    return {0, axis.local};
  }
  return side < 0 ? Range{0, 1} : Range{axis.local - 1, axis.local};
}

/// Own rows next to the neighbour on a side, in their order.
std::vector<std::int32_t> rows_towards(const LocalGrid& grid, const Offset& offset) {
  const Range xs = layer(grid.x, offset.dk);
  const Range ys = layer(grid.y, offset.dj);
  const Range zs = layer(grid.z, offset.di);
  std::vector<std::int32_t> rows;
  rows.reserve(static_cast<std::size_t>(xs.size() * ys.size() * zs.size()));
  for (std::int64_t z = zs.begin; z < zs.end; ++z) {
    for (std::int64_t y = ys.begin; y < ys.end; ++y) {
      for (std::int64_t x = xs.begin; x < xs.end; ++x) {
        rows.push_back(static_cast<std::int32_t>(grid.column(x, y, z)));
      }
    }
  }
  return rows;
}

void add_neighbour(const Decomposition& decomposition, int rank, const Offset& offset,
                   Geometry& geometry) {
  const auto neighbour = decomposition.neighbour(rank, offset);
  if (!neighbour) {
    return;
  }
  const auto side =
      static_cast<std::size_t>(LocalGrid::side_number(offset.dk, offset.dj, offset.di));
  geometry.grid.outer_begin[side] = geometry.columns;
  ListNeighbour list;
  list.rank = *neighbour;
  list.sent = rows_towards(geometry.grid, offset);
  list.received_begin = geometry.columns;
  list.received = static_cast<std::int64_t>(list.sent.size());
  geometry.columns += list.received;
  geometry.neighbours.push_back(std::move(list));
}

}  // namespace

Geometry make_geometry(const Decomposition& decomposition, int rank) {
  const Box block = decomposition.block(rank);
  const Extents global = decomposition.cells();
  Geometry geometry;
  geometry.grid.x = {block.k1 - block.k0, block.k0, global.nk};
  geometry.grid.y = {block.j1 - block.j0, block.j0, global.nj};
  geometry.grid.z = {block.i1 - block.i0, block.i0, global.ni};
  geometry.columns = geometry.grid.rows();
  // In the order of ranks, which is that of offsets with x fastest.
  for (int dz = -1; dz <= 1; ++dz) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        if (dx != 0 || dy != 0 || dz != 0) {
          add_neighbour(decomposition, rank, {dz, dy, dx}, geometry);
        }
      }
    }
  }
  return geometry;
}

}  // namespace bankfull::hpcg
