#include "bankfull/workloads/npb/mg/cuda/grids.hpp"

namespace bankfull::npb::mg::cuda {
namespace {

BlockAxis axis_of(std::int64_t points, int ranks) {
  const int count = static_cast<int>(points);
  return {.points = count, .first = 0, .mask = ranks > 1 ? -1 : count - 1};
}

}  // namespace

Block block_with_ghosts(const Layout& layout, const RankGrid& cuts) {
  const Extents& points = layout.interior();
  return {.axis_3 = axis_of(points.ni, cuts.i),
          .axis_2 = axis_of(points.nj, cuts.j),
          .axis_1 = axis_of(points.nk, cuts.k),
          .pitch_of_rows = static_cast<int>(layout.row_pitch()),
          .pitch_of_planes = layout.plane_pitch()};
}

Block packed_block(const Extents& points) {
  return {.axis_3 = axis_of(points.ni, 1),
          .axis_2 = axis_of(points.nj, 1),
          .axis_1 = axis_of(points.nk, 1),
          .pitch_of_rows = static_cast<int>(points.nk),
          .pitch_of_planes = points.nj * points.nk};
}

Block block_of_cube(int side, const Box& box) {
  const auto axis = [side](std::int64_t begin, std::int64_t end) {
    return BlockAxis{.points = static_cast<int>(end - begin),
                     .first = static_cast<int>(begin),
                     .mask = side - 1};
  };
  return {.axis_3 = axis(box.i0, box.i1),
          .axis_2 = axis(box.j0, box.j1),
          .axis_1 = axis(box.k0, box.k1),
          .pitch_of_rows = side,
          .pitch_of_planes = std::int64_t{side} * side};
}

}  // namespace bankfull::npb::mg::cuda
