#include "bankfull/app/convect/field_planes.hpp"

#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/convection/state.hpp"

#include <algorithm>

namespace bankfull::convect {

using convection::Grid;
using convection::GridAxis;

namespace {

/// Copies element (i, j, k) of an array, k fastest, to where these strides lead: by blocks that the
/// first cache holds, whichever axis is contiguous there.
void reorder(const double* from, const Extents& n, const std::array<std::int64_t, 3>& strides,
             double* to) {
  constexpr std::int64_t size = 16;
  const auto count = [](std::int64_t cells) { return (cells + size - 1) / size; };
  const Box blocks{0, count(n.ni), 0, count(n.nj), 0, count(n.nk)};
  for_cells(blocks, [&](std::int64_t bi, std::int64_t bj, std::int64_t bk) {
    const Box block{bi * size, std::min((bi + 1) * size, n.ni),
                    bj * size, std::min((bj + 1) * size, n.nj),
                    bk * size, std::min((bk + 1) * size, n.nk)};
    for_cells(block, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      to[i * strides[0] + j * strides[1] + k * strides[2]] = from[(i * n.nj + j) * n.nk + k];
    });
  });
}

}  // namespace

std::vector<FieldArray> arrays_of(const FieldRequest& request, const convection::Problem& problem,
                                  const Grid& grid) {
  const bool has_faces = request.format == FieldFormat::hdf5;
  std::vector<FieldArray> arrays;
  for (const std::string& name : request.names) {
    int field = 0;
    while (convection::name_of_field(problem, grid, field) != name) {
      ++field;
    }
    if (field >= 3 || has_faces) {
      arrays.push_back({name, field, false});
    }
    if (field < 3 && (request.centred || !has_faces)) {
      arrays.push_back({name, field, true});
    }
  }
  return arrays;
}

const GridAxis& axis_along(const Grid& grid, int physical_axis) {
  return grid.axis(grid.storage(physical_axis));
}

std::array<std::int64_t, 3> cells_along_xyz(const Grid& grid) {
  return {axis_along(grid, 0).count(), axis_along(grid, 1).count(), axis_along(grid, 2).count()};
}

PlaneReader::PlaneReader(const Grid& grid, const convection::FlowReader& flow)
    : grid_(&grid),
      flow_(&flow),
      n_(cells_along_xyz(grid)),
      is_in_order_(grid.physical(0) == 2 && grid.physical(1) == 1) {}

void PlaneReader::read(const FieldArray& array, std::int64_t z0, std::int64_t z1, double* values) {
  read_field(array.field, z0, z1, values);
  if (array.centred) {
    centre(array.field, z0, z1, values);
  }
}

void PlaneReader::read_field(int field, std::int64_t z0, std::int64_t z1, double* values) {
  std::array<std::array<std::int64_t, 2>, 3> ends{};  // along storage axes
  std::array<std::int64_t, 3> strides{};
  const std::array<std::int64_t, 3> strides_along{1, n_[0], n_[0] * n_[1]};
  for (const int n : convection::storage_axes) {
    const auto axis = static_cast<std::size_t>(n);
    const auto along = static_cast<std::size_t>(grid_->physical(n));
    ends[axis] = along == 2 ? std::array{z0, z1} : std::array{std::int64_t{0}, n_[along]};
    strides[axis] = strides_along[along];
  }
  const Box part{ends[0][0], ends[0][1], ends[1][0], ends[1][1], ends[2][0], ends[2][1]};
  if (is_in_order_) {
    flow_->read(field, part, values);
    return;
  }
  const Extents stored = part.extents();
  stored_.resize(static_cast<std::size_t>(stored.count()));
  flow_->read(field, part, stored_.data());
  reorder(stored_.data(), stored, strides, values);
}

/// Means of the two faces of cells, in place; nothing flows through walls. The part is seen as
/// blocks, in each of which faces follow each other with so many values between.
void PlaneReader::centre(int field, std::int64_t z0, std::int64_t z1, double* values) {
  const int along = grid_->physical(field);
  const bool periodic = grid_->axis(field).cells.periodic;
  const std::int64_t faces = along == 2 ? z1 - z0 : n_[static_cast<std::size_t>(along)];
  const std::int64_t inner = along == 0 ? 1 : along == 1 ? n_[0] : n_[0] * n_[1];
  const std::int64_t blocks = n_[0] * n_[1] * (z1 - z0) / (faces * inner);
  beyond_.assign(static_cast<std::size_t>(inner), 0.0);
  if (along == 2 && (z1 < n_[2] || periodic)) {
    const std::int64_t next = z1 < n_[2] ? z1 : 0;
    read_field(field, next, next + 1, beyond_.data());
  }
  for (std::int64_t block = 0; block < blocks; ++block) {
    double* const first = values + block * faces * inner;
    if (along != 2 && periodic) {
      std::copy_n(first, inner, beyond_.begin());
    }
    for (std::int64_t face = 0; face < faces; ++face) {
      double* const here = first + face * inner;
      const double* const next = face + 1 < faces ? here + inner : beyond_.data();
      std::transform(here, here + inner, next, here,
                     [](double lower, double upper) { return 0.5 * (lower + upper); });
    }
  }
}

}  // namespace bankfull::convect
