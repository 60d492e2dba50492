#include "bankfull/workloads/convection/grid.hpp"

#include <algorithm>
#include <utility>

namespace bankfull::convection {
namespace {

int other_axis(int a, int b) { return 3 - a - b; }

/// The largest width over the smallest one, for a box of any length: what is stretched alike counts
/// as alike to the last bit.
double stretching_ratio(const AxisCells& axis) {
  AxisCells unit = axis;
  unit.lower = -1.0;
  unit.upper = 1.0;
  const std::vector<double> faces = unit.faces();
  double least = faces[1] - faces[0];
  double most = least;
  for (std::size_t n = 1; n + 1 < faces.size(); ++n) {
    least = std::min(least, faces[n + 1] - faces[n]);
    most = std::max(most, faces[n + 1] - faces[n]);
  }
  return most / least;
}

/// The axis that is stretched the most, which the direct pressure solver eliminates (of several the
/// one with most cells); else the last one of more than one cell, so that there are planes to
/// share.
int plane_axis(const std::array<AxisCells, 3>& axes) {
  int most_stretched = -1;
  std::pair<double, std::int64_t> most{};
  for (int a = 0; a < 3; ++a) {
    const AxisCells& axis = axes[static_cast<std::size_t>(a)];
    const std::pair here{stretching_ratio(axis), axis.cells};
    if (axis.stretching > 0.0 && (most_stretched < 0 || here >= most)) {
      most_stretched = a;
      most = here;
    }
  }
  if (most_stretched >= 0) {
    return most_stretched;
  }
  if (axes[2].cells > 1) {
    return 2;
  }
  return axes[1].cells > 1 ? 1 : 0;
}

GridAxis grid_axis(const AxisCells& cells) {
  GridAxis axis;
  axis.faces = cells.faces();
  axis.cells.periodic = cells.periodic;
  const auto count = static_cast<std::size_t>(cells.cells);
  const double uniform_width = (cells.upper - cells.lower) / static_cast<double>(cells.cells);
  for (std::size_t n = 0; n < count; ++n) {
    const double width = axis.faces[n + 1] - axis.faces[n];
    axis.cells.widths.push_back(cells.stretching == 0.0 ? uniform_width : width);
  }
  axis.centres.resize(count + 2);
  for (std::size_t n = 0; n < count; ++n) {
    axis.centres[n + 1] = 0.5 * (axis.faces[n] + axis.faces[n + 1]);
  }
  axis.centres.front() = axis.centres[1] - axis.cells.distance(0);
  axis.centres.back() = axis.centres[count] + axis.cells.distance(cells.cells);
  return axis;
}

}  // namespace

Grid::Grid(const std::array<AxisCells, 3>& axes) {
  const auto cells_along = [&](int a) { return axes[static_cast<std::size_t>(a)].cells; };
  const int planes = plane_axis(axes);
  int contiguous = planes == 0 ? 1 : 0;
  int rows = other_axis(planes, contiguous);
  if (cells_along(rows) > cells_along(contiguous)) {
    std::swap(rows, contiguous);
  }
  physical_ = {planes, rows, contiguous};
  for (const int n : storage_axes) {
    storage_[static_cast<std::size_t>(physical(n))] = n;
    axes_[static_cast<std::size_t>(n)] = grid_axis(axes[static_cast<std::size_t>(physical(n))]);
  }
  handedness_ = (rows - planes + 3) % 3 == 1 ? 1 : -1;
}

Vector Grid::place(int field, std::int64_t i, std::int64_t j, std::int64_t k) const {
  const std::array<std::int64_t, 3> index{i, j, k};
  Vector place{};
  for (const int n : storage_axes) {
    const std::int64_t at = index[static_cast<std::size_t>(n)];
    const double along =
        field == n ? axis(n).faces[static_cast<std::size_t>(at)] : axis(n).centre(at);
    place[static_cast<std::size_t>(physical(n))] = along;
  }
  return place;
}

}  // namespace bankfull::convection
