#include "bankfull/numerics/poisson/multigrid/cuda/hierarchy.hpp"

#include "bankfull/numerics/poisson/multigrid/cuda/control.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/line_tables.hpp"
#include "bankfull/numerics/poisson/multigrid/plane_start.hpp"

#include <algorithm>

namespace bankfull::poisson::multigrid::cuda {
namespace {

bool goes_round_oddly(const AxisLevel& axis) {
  return axis.periodic && axis.cells > 1 && axis.cells % 2 == 1;
}

bool is_one_value(const std::vector<double>& values) {
  return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
}

bool goes_round_alike(const AxisLevel& axis) {
  return axis.periodic && axis.cells % 2 == 0 && is_one_value(axis.lower) &&
         is_one_value(axis.upper) && is_one_value(axis.restriction_weight) &&
         is_one_value(axis.interpolation_weight);
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

std::int64_t row_pitch(const Level& level) {
  constexpr std::int64_t alignment = 4;
  return (level.k.cells + alignment - 1) / alignment * alignment;
}

std::int64_t plane_pitch(const Level& level) { return level.j.cells * row_pitch(level); }

std::int64_t field_size(const Level& level) { return level.i.cells * plane_pitch(level); }

bool has_seams(const Level& level) {
  return goes_round_oddly(level.i) || goes_round_oddly(level.j) || goes_round_oddly(level.k);
}

bool has_alike_planes(const Level& level) {
  constexpr std::int64_t min_planes = 8;  // a march goes round i once at most
  constexpr std::int64_t max_plane_bytes = std::int64_t{1} << 32;  // offsets are unsigned
  return level.i.coarsened && level.i.cells % 2 == 0 && level.i.cells >= min_planes &&
         level.j.coarsened == level.k.coarsened && goes_round_alike(level.j) &&
         goes_round_alike(level.k) &&
         plane_pitch(level) * static_cast<std::int64_t>(sizeof(double)) < max_plane_bytes;
}

std::int64_t alike_floats(const Level& level) {
  constexpr int numbers = 4;  // two coefficients, 1 / diagonal and interpolation_weight
  return has_alike_planes(level) ? numbers * level.i.cells : 0;
}

std::int64_t table_floats(const Level& level) {
  constexpr int numbers = 4;  // two coefficients, restriction_weight and interpolation_weight
  return numbers * (level.i.cells + level.j.cells + level.k.cells);
}

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
  set_short_cycle(&levels_, 0);
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

bool Hierarchy::has_seams_across(int n) const {
  return goes_round_oddly(level(n).j) || goes_round_oddly(level(n).k);
}

std::int64_t Hierarchy::bottom_floats(int n) const {
  const int fields = has_seams(n) ? 3 : 2;
  return fields * level(n).extents().count();
}

std::int64_t Hierarchy::bottom_bytes_from(int n) const {
  std::int64_t floats = 0;
  for (; n < count(); ++n) {
    floats += bottom_floats(n) + table_floats(level(n));
  }
  return floats * static_cast<std::int64_t>(sizeof(float));
}

/// With room for the particular solutions of a half-sweep.
std::int64_t Hierarchy::line_floats() const {
  std::int64_t floats = field_size(1) + table_floats(level(0));
  for (int n = 1; n < count(); ++n) {
    floats += line_level_fields * field_size(n) + table_floats(level(n)) +
              LineTables(level(n)).bytes() / std::int64_t{sizeof(float)};
  }
  return floats;
}

std::int64_t Hierarchy::floats_from(int first) const {
  if (has_lines()) {
    return line_floats();
  }
  std::int64_t floats = 2 * field_size(bottom_);
  for (int n = first; n < bottom_; ++n) {
    floats += level_fields * field_size(n);
  }
  for (const Level& level : levels_) {
    floats += table_floats(level) + alike_floats(level);
  }
  return floats;
}

std::vector<int> halos_on_gpus(const std::vector<Level>& levels, const RankGrid& grid) {
  constexpr int sweeps_up = 4;  // half-sweeps, as those down
  constexpr int sweeps_down = 2;
  std::vector<int> halos;
  int corrected = corrected_halo;
  for (const Level& level : levels) {
    const bool is_finest = halos.empty();
    const int interpolated = corrected + sweeps_up;
    halos.push_back(interpolated + (is_finest ? 0 : sweeps_down));
    const bool halves = (grid.i == 1 || level.i.coarsened) && (grid.j == 1 || level.j.coarsened);
    // The parent and the one beyond it, of a block that may begin within a pair; or the cell itself
    // and the one before it.
    corrected = halves ? interpolated / 2 + 2 : interpolated + 1;
  }
  return halos;
}

Decomposition cut_of(const Turned& turned, const Sharing& sharing) {
  const std::array<int, 3> given{sharing.grid.i, sharing.grid.j, sharing.grid.k};
  const auto along = [&](std::size_t n) { return given[static_cast<std::size_t>(turned.axis[n])]; };
  return poisson::cut_of(turned.domain, {along(0), along(1), along(2)});
}

RankLevels windows_on_gpus(const Hierarchy& hierarchy, const Sharing& sharing) {
  const auto first = hierarchy.levels().begin();
  const int last = hierarchy.has_lines() ? 1 : hierarchy.bottom();
  const std::vector<Level> levels(first, first + last + 1);
  const Decomposition cut = cut_of(hierarchy.turned(), sharing);
  // However small it is, the finest is not gathered for that.
  const std::int64_t enough = std::min(min_shared_cells, levels.front().extents().count());
  return rank_levels(levels, cut, sharing.rank(), sharing.min_cells.value_or(enough / cut.ranks()),
                     halos_on_gpus(levels, cut.grid()));
}

namespace {

/// What the start from nothing takes; see PlaneStart.
std::int64_t plane_start_bytes(std::int64_t planes, std::int64_t window) {
  constexpr std::int64_t numbers = 4;  // a sum, its halves, and a number more
  return planes * (std::int64_t{sizeof(AxisPlane)} + numbers * std::int64_t{sizeof(double)}) +
         2 * window * std::int64_t{sizeof(double)};
}

/// What the finest level takes beside its residual in fp32, the survey of its right side and the
/// start from nothing.
std::int64_t outer_bytes(const Level& finest, const Extents& whole, std::size_t element_bytes) {
  const auto element = static_cast<std::int64_t>(element_bytes);
  constexpr std::int64_t number = sizeof(double);
  const Extents cells = finest.extents();
  return 2 * field_size(finest) * element + 2 * element * (cells.ni + cells.nj + cells.nk) +
         number * (whole.ni + whole.nj + whole.nk + cells.ni * cells.nj) +
         plane_start_bytes(whole.ni, cells.ni) + std::int64_t{sizeof(Control)};
}

/// The messages of fields that each two neighbours exchange, in both directions and twice: one may
/// arrive while the one before is read.
std::int64_t message_floats(const RankLevel& window, int halo, int fields) {
  const Level& level = window.level;
  const std::int64_t rows =
      (window.cut.grid().i > 1 ? level.j.cells : 0) + (window.cut.grid().j > 1 ? level.i.cells : 0);
  return std::int64_t{2} * 2 * fields * halo * rows * row_pitch(level);
}

}  // namespace

std::int64_t Hierarchy::bytes(std::size_t element_bytes) const {
  const std::int64_t floats = (has_lines() ? 0 : field_size(0)) + floats_from(1);
  return outer_bytes(level(0), level(0).extents(), element_bytes) +
         floats * std::int64_t{sizeof(float)};
}

std::int64_t bytes_of_windows(const Hierarchy& hierarchy, const RankLevels& windows,
                              std::size_t element_bytes) {
  const auto last = static_cast<int>(windows.shared.size()) - 1;
  const Level& finest = windows.shared.front().level;
  const RankLevel& first = windows.shared.front();
  const int outer = 2 * static_cast<int>(element_bytes / sizeof(float));
  std::int64_t floats = field_size(finest) + table_floats(finest) +
                        message_floats(first, first.halo, 1) +
                        message_floats(first, outer_halo, outer);
  for (int n = 1; n <= last; ++n) {
    const RankLevel& window = windows.shared[static_cast<std::size_t>(n)];
    floats += (n == last ? 2 : level_fields) * field_size(window.level) +
              table_floats(window.level) + (n == last ? 0 : message_floats(window, window.halo, 1));
  }
  // What is gathered is packed, listed by number for each other rank, and received twice.
  const Extents gathered = hierarchy.level(last).extents();
  floats += hierarchy.floats_from(last) + 4 * gathered.count();
  return outer_bytes(finest, hierarchy.level(0).extents(), element_bytes) +
         floats * std::int64_t{sizeof(float)};
}

}  // namespace bankfull::poisson::multigrid::cuda
