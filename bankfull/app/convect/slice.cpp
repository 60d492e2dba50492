#include "bankfull/app/convect/slice.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace bankfull::convect {
namespace {

using convection::FlowReader;
using convection::Grid;
using convection::GridAxis;
using convection::KnownRange;
using convection::ScalarRange;

constexpr double pixels_wanted = 960.0;
constexpr double max_pixels = 4096.0;

/// A cell by its numbers along x, y, z.
using Cell = std::array<std::int64_t, 3>;

/// The two cells whose centres lie around a place, and the share of the second.
struct Between {
  std::int64_t first = 0;
  std::int64_t second = 0;
  double share = 0.0;
};

std::int64_t inside(const GridAxis& axis, std::int64_t cell) {
  const std::int64_t count = axis.count();
  return axis.cells.periodic ? (cell + count) % count
                             : std::clamp<std::int64_t>(cell, 0, count - 1);
}

Between around(const GridAxis& axis, double place) {
  const auto& centres = axis.centres;  // with one beyond each end
  const auto above = std::upper_bound(centres.begin() + 1, centres.end() - 1, place);
  const auto upper = static_cast<std::size_t>(above - centres.begin());
  const double distance = centres[upper] - centres[upper - 1];
  const double share = std::clamp((place - centres[upper - 1]) / distance, 0.0, 1.0);
  const auto cell = static_cast<std::int64_t>(upper) - 2;
  return {inside(axis, cell), inside(axis, cell + 1), share};
}

const GridAxis& axis_of(const Grid& grid, std::size_t physical_axis) {
  return grid.axis(grid.storage(static_cast<int>(physical_axis)));
}

/// One value per cell of the field that a slice shows, in the cells on both sides of it.
class CellValues {
 public:
  CellValues(const std::string& field, const convection::Problem& problem, const Grid& grid,
             const FlowReader& flow, std::size_t normal, const Between& depth)
      : grid_(&grid), normal_(normal) {
    for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
      if (problem.scalars[s].name == field) {
        scalar_ = 3 + static_cast<int>(s);
      }
    }
    for (int axis = 0; axis < 3; ++axis) {
      component_ = velocity_fields[static_cast<std::size_t>(axis)] == field ? axis : component_;
    }
    const std::int64_t count = axis_of(grid, normal).count();
    const std::set<std::int64_t> layers{depth.first, depth.second, (depth.first + 1) % count,
                                        (depth.second + 1) % count};
    for (int n = 0; n < 3 + static_cast<int>(problem.scalars.size()); ++n) {
      if (needs(n)) {
        for (const std::int64_t layer : layers) {
          read(flow, n, layer);
        }
      }
    }
  }

  double operator()(const Cell& cell) const {
    if (scalar_ >= 0) {
      return element(scalar_, cell);
    }
    if (component_ >= 0) {
      return velocity(component_, cell);
    }
    return std::hypot(velocity(0, cell), velocity(1, cell), velocity(2, cell));
  }

 private:
  [[nodiscard]] bool needs(int field) const {
    if (scalar_ >= 0) {
      return field == scalar_;
    }
    return field < 3 && (component_ < 0 || grid_->physical(field) == component_);
  }

  /// The box of one layer of cells along the normal.
  [[nodiscard]] Box box_of_layer(std::int64_t layer) const {
    const Extents n = grid_->extents();
    switch (grid_->storage(static_cast<int>(normal_))) {
      case 0:
        return {layer, layer + 1, 0, n.nj, 0, n.nk};
      case 1:
        return {0, n.ni, layer, layer + 1, 0, n.nk};
      default:
        return {0, n.ni, 0, n.nj, layer, layer + 1};
    }
  }

  void read(const FlowReader& flow, int field, std::int64_t layer) {
    const Box box = box_of_layer(layer);
    std::vector<double>& values = layers_[{field, layer}];
    values.resize(static_cast<std::size_t>(box.extents().count()));
    flow.read(field, box, values.data());
  }

  [[nodiscard]] double element(int field, const Cell& cell) const {
    const std::int64_t layer = cell[normal_];
    const Extents n = box_of_layer(layer).extents();
    const auto at = [&](int axis) {
      const auto physical = static_cast<std::size_t>(grid_->physical(axis));
      return physical == normal_ ? 0 : cell[physical];
    };
    const std::int64_t place = (at(0) * n.nj + at(1)) * n.nk + at(2);
    return layers_.at({field, layer})[static_cast<std::size_t>(place)];
  }

  /// Mean of the two faces; nothing flows through walls.
  [[nodiscard]] double velocity(int physical_axis, const Cell& cell) const {
    const int field = grid_->storage(physical_axis);
    const GridAxis& axis = grid_->axis(field);
    Cell next = cell;
    std::int64_t& along = next[static_cast<std::size_t>(physical_axis)];
    const bool at_wall = !axis.cells.periodic && along + 1 == axis.count();
    along = (along + 1) % axis.count();
    return 0.5 * (element(field, cell) + (at_wall ? 0.0 : element(field, next)));
  }

  const Grid* grid_;
  std::size_t normal_;  ///< of the slice: x, y or z as 0, 1 or 2
  std::map<std::pair<int, std::int64_t>, std::vector<double>> layers_;  ///< by field and layer
  int scalar_ = -1;
  int component_ = -1;
};

/// The axes that a picture shows, x, y or z as 0, 1 or 2.
struct View {
  std::size_t right = 0;
  std::size_t up = 2;
  std::size_t normal = 1;
};

View view_along(int normal) {
  switch (normal) {
    case 0:
      return {.right = 1, .up = 2, .normal = 0};
    case 1:
      return {.right = 0, .up = 2, .normal = 1};
    default:
      return {.right = 0, .up = 1, .normal = 2};
  }
}

/// A whole number of pixels for each cell along the longer side, where cells are few.
double pixels_per_length(const GridAxis& longer) {
  const auto cells = static_cast<double>(longer.count());
  const double enlarged = cells * std::max(1.0, std::ceil(pixels_wanted / cells));
  return std::min(enlarged, max_pixels) / longer.length();
}

/// Cells around each of the pixels along an axis.
std::vector<Between> pixels_along(const GridAxis& axis, double density) {
  const auto count = static_cast<std::size_t>(std::max(1.0, std::round(density * axis.length())));
  std::vector<Between> pixels;
  for (std::size_t n = 0; n < count; ++n) {
    const double share = (static_cast<double>(n) + 0.5) / static_cast<double>(count);
    pixels.push_back(around(axis, axis.faces.front() + share * axis.length()));
  }
  return pixels;
}

double mixed(double first, double second, double share) {
  return share == 0.0 ? first : first + share * (second - first);
}

/// Values on the plane, one per cell: rows along `right`, row 0 the lowest.
std::vector<double> plane_values(const CellValues& values, const Grid& grid, const View& view,
                                 const Between& depth) {
  std::vector<double> plane;
  Cell cell{};
  for (std::int64_t row = 0; row < axis_of(grid, view.up).count(); ++row) {
    for (std::int64_t column = 0; column < axis_of(grid, view.right).count(); ++column) {
      cell[view.up] = row;
      cell[view.right] = column;
      cell[view.normal] = depth.first;
      const double near = values(cell);
      cell[view.normal] = depth.second;
      plane.push_back(mixed(near, values(cell), depth.share));
    }
  }
  return plane;
}

ScalarRange extremes_of(const std::vector<double>& plane) {
  ScalarRange range = no_range;
  for (const double value : plane) {
    if (std::isfinite(value)) {
      range = both(range, {value, value});
    }
  }
  return range;
}

ScalarRange range_of_colours(const SliceRequest& slice, const std::vector<double>& plane,
                             const KnownRange& beforehand) {
  switch (slice.range) {
    case ColourRange::given:
      return slice.given;
    case ColourRange::picture:
      return extremes_of(plane);
    default:
      return beforehand.holds ? beforehand.range : both(beforehand.range, extremes_of(plane));
  }
}

SliceAxis along(const Grid& grid, std::size_t axis) {
  const std::vector<double>& centres = axis_of(grid, axis).centres;  // with one beyond each end
  return {.name = convection::axis_names[axis],
          .centres = std::vector<double>(centres.begin() + 1, centres.end() - 1)};
}

PictureScale side_of(const Grid& grid, std::size_t axis) {
  const GridAxis& along = axis_of(grid, axis);
  return {.name = convection::axis_names[axis],
          .least = along.faces.front(),
          .most = along.faces.back()};
}

}  // namespace

ScalarRange both(const ScalarRange& one, const ScalarRange& other) {
  return {std::min(one.least, other.least), std::max(one.most, other.most)};
}

KnownRange range_beforehand(const SliceRequest& slice, const convection::Problem& problem,
                            const std::vector<KnownRange>& scalars, const ScalarRange& so_far) {
  for (std::size_t s = 0; s < scalars.size(); ++s) {
    if (problem.scalars[s].name == slice.field) {
      const KnownRange& known = scalars[s];
      return known.holds ? known : KnownRange{.range = both(known.range, so_far)};
    }
  }
  const bool is_speed = slice.field == velocity_fields.back();
  return {.range = is_speed ? both(so_far, {0.0, 0.0}) : so_far};
}

SlicePlane slice_plane(const SliceRequest& slice, const convection::Problem& problem,
                       const Grid& grid, const FlowReader& flow) {
  const View view = view_along(slice.normal);
  const Between depth = around(axis_of(grid, view.normal), slice.position);
  const CellValues shown(slice.field, problem, grid, flow, view.normal, depth);
  return {.right = along(grid, view.right),
          .up = along(grid, view.up),
          .values = plane_values(shown, grid, view, depth)};
}

SlicePicture draw_slice(const SliceRequest& slice, const SlicePlane& plane, const Grid& grid,
                        const KnownRange& beforehand) {
  const View view = view_along(slice.normal);
  const GridAxis& right = axis_of(grid, view.right);
  const GridAxis& up = axis_of(grid, view.up);
  SlicePicture drawn;
  const ScalarRange of_colours = range_of_colours(slice, plane.values, beforehand);
  drawn.least = of_colours.least;
  drawn.most = of_colours.most;
  const double density = pixels_per_length(right.length() >= up.length() ? right : up);
  const std::vector<Between> columns = pixels_along(right, density);
  const std::vector<Between> rows = pixels_along(up, density);
  drawn.picture.width = static_cast<std::uint32_t>(columns.size());
  drawn.picture.height = static_cast<std::uint32_t>(rows.size());
  const double range = drawn.most - drawn.least;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    const auto value_in = [&](std::int64_t line, const Between& column) {
      const double* values = plane.values.data() + line * right.count();
      return mixed(values[column.first], values[column.second], column.share);
    };
    for (const Between& column : columns) {
      const double value =
          mixed(value_in(row->first, column), value_in(row->second, column), row->share);
      const double share = range > 0.0 ? (value - drawn.least) / range : 0.5;
      drawn.picture.pixels.push_back(colour_at(slice.colours, share));
    }
  }
  return drawn;
}

PictureCaption caption_of(const SliceRequest& slice, const Grid& grid, const SlicePicture& drawn,
                          double time, std::int64_t step) {
  const View view = view_along(slice.normal);
  const bool is_plane = axis_of(grid, view.normal).count() == 1;
  return {.title = is_plane ? slice.field
                            : fmt::format("{} at {} = {:.6g}", slice.field,
                                          convection::axis_names[view.normal], slice.position),
          .moment = fmt::format("time {:.6g}, step {}", time, step),
          .right = side_of(grid, view.right),
          .up = side_of(grid, view.up),
          .colours = {.name = "", .least = drawn.least, .most = drawn.most},
          .map = slice.colours};
}

}  // namespace bankfull::convect
