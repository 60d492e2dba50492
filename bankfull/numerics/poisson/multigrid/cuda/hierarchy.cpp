#include "bankfull/numerics/poisson/multigrid/cuda/hierarchy.hpp"

#include "bankfull/numerics/poisson/multigrid/cuda/control.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/line_tables.hpp"

#include <algorithm>

namespace bankfull::poisson::multigrid::cuda {
namespace {

bool goes_round_oddly(const AxisLevel& axis) {
  return axis.periodic && axis.cells > 1 && axis.cells % 2 == 1;
}

/// The level with itself as the next one.
Level not_coarsened(Level level) {
  for (AxisLevel* axis : {&level.i, &level.j, &level.k}) {
    axis->coarsened = false;
    axis->restriction_weight.assign(axis->restriction_weight.size(), 1.0);
    axis->interpolation_weight.assign(axis->interpolation_weight.size(), 1.0);
  }
  return level;
}

}  // namespace

Turned::Turned(const Domain& given) : axis{0, 1, 2} {
  const int line_axis = line_axis_of_schedules(given);
  has_lines = line_axis >= 0;
  const std::array<const Axis*, 3> axes{&given.i, &given.j, &given.k};
  const auto of = [&](int n) -> const Axis& { return *axes[static_cast<std::size_t>(n)]; };
  std::stable_partition(axis.begin(), axis.end(), [&](int n) { return of(n).cells() == 1; });
  std::stable_partition(axis.begin(), axis.end(), [&](int n) { return n == line_axis; });
  domain = {of(axis[0]), of(axis[1]), of(axis[2])};
}

Hierarchy::Hierarchy(const Domain& domain, std::size_t shared_bytes)
    : turned_(domain), levels_(make_levels_along(turned_.domain, turned_.has_lines ? 0 : -1)) {
  const Domain& own = turned_.domain;
  const bool has_one_shape = own.i.uniform() && own.j.uniform() && own.k.uniform();
  if (levels_.size() == 1 || !has_one_shape) {
    levels_.insert(levels_.begin(), not_coarsened(levels_.front()));
  }
  const auto fits = [&](int n) {
    if (has_lines()) {
      return level(n).j.cells * level(n).k.cells <= max_bottom_lines;
    }
    return level(n).extents().count() <= max_bottom_cells &&
           bottom_bytes_from(n) <= static_cast<std::int64_t>(shared_bytes);
  };
  while (bottom_ + 1 < count() && !fits(bottom_)) {
    ++bottom_;
  }
}

std::int64_t Hierarchy::row_pitch(int n) const {
  constexpr std::int64_t alignment = 4;
  return (level(n).k.cells + alignment - 1) / alignment * alignment;
}

std::int64_t Hierarchy::plane_pitch(int n) const { return level(n).j.cells * row_pitch(n); }

std::int64_t Hierarchy::field_size(int n) const { return level(n).i.cells * plane_pitch(n); }

bool Hierarchy::has_seams(int n) const {
  const Level& own = level(n);
  return goes_round_oddly(own.i) || goes_round_oddly(own.j) || goes_round_oddly(own.k);
}

bool Hierarchy::has_seams_across(int n) const {
  return goes_round_oddly(level(n).j) || goes_round_oddly(level(n).k);
}

std::int64_t Hierarchy::bottom_floats(int n) const {
  const int fields = has_seams(n) ? 3 : 2;
  return fields * level(n).extents().count();
}

std::int64_t Hierarchy::table_floats(int n) const {
  const Extents cells = level(n).extents();
  constexpr int numbers = 4;  // two coefficients, restriction_weight and interpolation_weight
  return numbers * (cells.ni + cells.nj + cells.nk);
}

std::int64_t Hierarchy::bottom_bytes_from(int n) const {
  std::int64_t floats = 0;
  for (; n < count(); ++n) {
    floats += bottom_floats(n) + table_floats(n);
  }
  return floats * static_cast<std::int64_t>(sizeof(float));
}

/// With room for the particular solutions of a half-sweep.
std::int64_t Hierarchy::line_floats() const {
  std::int64_t floats = field_size(1) + table_floats(0);
  for (int n = 1; n < count(); ++n) {
    floats += line_level_fields * field_size(n) + table_floats(n) +
              LineTables(level(n)).bytes() / std::int64_t{sizeof(float)};
  }
  return floats;
}

std::int64_t Hierarchy::inner_floats() const {
  if (has_lines()) {
    return line_floats();
  }
  std::int64_t floats = field_size(0) + 2 * field_size(bottom_);
  for (int n = 1; n < bottom_; ++n) {
    floats += level_fields * field_size(n);
  }
  for (int n = 0; n < count(); ++n) {
    floats += table_floats(n);
  }
  return floats;
}

std::int64_t Hierarchy::bytes(std::size_t element_bytes) const {
  const auto element = static_cast<std::int64_t>(element_bytes);
  constexpr std::int64_t number = sizeof(double);
  const Extents cells = level(0).extents();
  const std::int64_t along_axes = cells.ni + cells.nj + cells.nk;
  return 2 * field_size(0) * element + inner_floats() * std::int64_t{sizeof(float)} +
         along_axes * (2 * element + number) + survey_blocks * number +
         std::int64_t{sizeof(Control)};
}

}  // namespace bankfull::poisson::multigrid::cuda
