#include "bankfull/workloads/convection/profile_sample.hpp"

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/workloads/convection/boundary.hpp"

#include <algorithm>
#include <numeric>

namespace bankfull::convection {
namespace {

double sum_of_parts(const std::vector<double>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

/// The middle of the cells' centres along an axis.
double middle_of_cells(const Grid& grid, const AxisParts& parts, int axis) {
  const std::vector<double>& widths = parts.cells[static_cast<std::size_t>(axis)];
  double middle = 0.0;
  for (std::size_t n = 0; n < widths.size(); ++n) {
    middle += widths[n] * grid.axis(axis).centre(static_cast<std::int64_t>(n));
  }
  return middle;
}

/// The plane across an axis in which means are formed.
struct PlaneOfField {
  int axis = 0;
  int field = 0;
};

/// The mean of a field's ghosts beyond one end of the axis.
double mean_beyond(const Grid& grid, const AxisParts& parts, const PlaneOfField& plane,
                   std::size_t side, const Continuations& rules, double first, double last) {
  const Continuation& rule = rules.at[plane.axis][side];
  if (rule.wraps) {
    return side == 0 ? last : first;
  }
  double parts_of_plane = 1.0;
  double slopes = 0.0;
  for (const int other : storage_axes) {
    const bool across = other == plane.axis;
    const auto n = static_cast<std::size_t>(other);
    if (!across) {
      parts_of_plane *= sum_of_parts(other == plane.field ? parts.faces[n] : parts.cells[n]);
    }
    const std::int64_t ghost = side == 0 ? -1 : grid.axis(other).count();
    slopes += rule.slope[other] *
              (across ? grid.axis(other).centre(ghost) : middle_of_cells(grid, parts, other));
  }
  return rule.factor * (side == 0 ? first : last) +
         (rule.constant + rule.varying + slopes) * parts_of_plane;
}

}  // namespace

AxisParts::AxisParts(const Grid& grid) {
  for (const int a : storage_axes) {
    const GridAxis& axis = grid.axis(a);
    const auto n = static_cast<std::size_t>(a);
    for (std::int64_t cell = 0; cell < axis.count(); ++cell) {
      const bool on_wall = cell == 0 && !axis.cells.periodic;
      cells[n].push_back(axis.width(cell) / axis.length());
      faces[n].push_back(on_wall ? 0.0 : axis.cells.distance(cell) / axis.length());
    }
  }
}

ProfileSample with_ends(const Plan& plan, int axis, double time, std::vector<double> means) {
  const Grid& grid = plan.grid();
  const AxisParts parts(grid);
  const std::vector<Continuations> rules = continuations_of(plan.stepped(), grid, time);
  ProfileSample sample{.planes = grid.axis(axis).count(), .means = std::move(means), .beyond = {}};
  const auto add = [&](int field, int sum) {
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      sample.beyond.push_back(
          mean_beyond(grid, parts, {axis, field}, side, rules[static_cast<std::size_t>(field)],
                      sample.mean(sum, 0), sample.mean(sum, sample.planes - 1)));
    }
  };
  add((axis + 1) % 3, 3);
  add((axis + 2) % 3, 6);
  for (int scalar = 0; scalar < plan.fields() - 3; ++scalar) {
    add(3 + scalar, sums_before(scalar));
  }
  return sample;
}

Traffic sample_traffic(const Plan& plan) {
  const Problem& problem = plan.problem();
  const double word = problem.precision == Precision::fp32 ? sizeof(float) : sizeof(double);
  const double words = 3.0 + 4.0 * static_cast<double>(problem.scalars.size());
  return {.bytes_read = words * word * static_cast<double>(problem.cells())};
}

std::vector<double> added_by_ranks(const Communicator* ranks, const std::vector<double>& mine) {
  if (ranks == nullptr) {
    return mine;
  }
  std::vector<double> all(mine.size(), 0.0);
  for (const std::vector<double>& of_rank : ranks->all_gather(mine)) {
    std::ranges::transform(all, of_rank, all.begin(), std::plus<>());
  }
  return all;
}

}  // namespace bankfull::convection
