#include "bankfull/workloads/hpcg/geometry.hpp"

#include "bankfull/core/field/for_cells.hpp"

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
  for_cells({zs.begin, zs.end, ys.begin, ys.end, xs.begin, xs.end},
            [&](std::int64_t z, std::int64_t y, std::int64_t x) {
              rows.push_back(static_cast<std::int32_t>(grid.column(x, y, z)));
            });
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
  for_cells({-1, 2, -1, 2, -1, 2}, [&](std::int64_t dz, std::int64_t dy, std::int64_t dx) {
    const Offset offset{static_cast<int>(dz), static_cast<int>(dy), static_cast<int>(dx)};
    if (offset != Offset{}) {
      add_neighbour(decomposition, rank, offset, geometry);
    }
  });
  return geometry;
}

}  // namespace bankfull::hpcg
