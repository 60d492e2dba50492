#include "bankfull/workloads/convection/spectrum_sample.hpp"

#include "bankfull/core/exec/cpu_executor.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull::convection {
namespace {

constexpr auto lines_at_a_time = static_cast<std::size_t>(LinePowers::lanes);

void set_range(Box& box, int axis, std::int64_t begin, std::int64_t end) {
  switch (axis) {
    case 0:
      box.i0 = begin;
      box.i1 = end;
      break;
    case 1:
      box.j0 = begin;
      box.j1 = end;
      break;
    default:
      box.k0 = begin;
      box.k1 = end;
  }
}

/// The axis that is neither of them.
int third_axis(int a, int b) { return 3 - a - b; }

}  // namespace

double place_of_plane(const Grid& grid, int field, int axis, std::int64_t plane) {
  const GridAxis& places = grid.axis(axis);
  return axis == field ? places.faces[static_cast<std::size_t>(plane)] : places.centre(plane);
}

std::int64_t nearest_plane(const Grid& grid, int field, int axis, double at) {
  std::int64_t nearest = 0;
  double least = HUGE_VAL;
  for (std::int64_t n = 0; n < grid.axis(axis).count(); ++n) {
    const double distance = std::abs(place_of_plane(grid, field, axis, n) - at);
    if (distance < least) {
      least = distance;
      nearest = n;
    }
  }
  return nearest;
}

SpectrumSampler::SpectrumSampler(const Plan& plan, const SpectrumLines& lines)
    : plan_(plan),
      lines_(lines),
      parts_(plan.grid()),
      powers_(plan.grid().axis(lines.along).count()) {}

std::size_t SpectrumSampler::planes() const {
  return lines_.at ? 1 : static_cast<std::size_t>(plan_.grid().axis(lines_.across).count());
}

SpectrumSampler::LinesOfPlane SpectrumSampler::plane_across(int axis, std::int64_t at,
                                                            int field) const {
  const int beside = third_axis(lines_.along, axis);
  const std::vector<double>& parts_beside = parts_along(beside, field);
  const double part_of_plane =
      lines_.at ? 1.0 : parts_along(axis, field)[static_cast<std::size_t>(at)];
  const bool is_across = beside == lines_.across;
  const bool in_rows = lines_.along > beside;
  LinesOfPlane lines;
  lines.box = box_of(plan_.grid().extents());
  set_range(lines.box, axis, at, at + 1);
  lines.step = in_rows ? 1 : parts_beside.size();
  lines.apart = in_rows ? static_cast<std::size_t>(powers_.size()) : 1;
  for (std::size_t line = 0; line < parts_beside.size(); ++line) {
    lines.parts.push_back(part_of_plane * parts_beside[line]);
    lines.parts_of_mean.push_back(is_across ? part_of_plane : parts_beside[line]);
    lines.planes.push_back(is_across ? line : lines_.at ? 0 : static_cast<std::size_t>(at));
  }
  return lines;
}

std::vector<double> SpectrumSampler::sample(const Integrator& flow, int field) const {
  std::vector<double> sums(wavenumbers() + planes(), 0.0);
  if (lines_.at) {
    const std::int64_t plane = nearest_plane(plan_.grid(), field, lines_.across, *lines_.at);
    add_plane(flow, field, plane_across(lines_.across, plane, field), sums);
    return sums;
  }
  // In the order of memory, as far as lines lie in planes.
  const int slowest = lines_.along == 0 ? 1 : 0;
  for (std::int64_t at = 0; at < plan_.grid().axis(slowest).count(); ++at) {
    add_plane(flow, field, plane_across(slowest, at, field), sums);
  }
  return sums;
}

/// Eight lines at a time, whose sums are added in order, whatever the team.
void SpectrumSampler::add_plane(const Integrator& flow, int field, const LinesOfPlane& lines,
                                std::vector<double>& sums) const {
  std::vector<double> values(static_cast<std::size_t>(lines.box.extents().count()));
  flow.read(field, lines.box, values.data());
  for (double& value : values) {
    value -= reference_of(field);
  }
  const std::size_t packs = (lines.parts.size() + lines_at_a_time - 1) / lines_at_a_time;
  std::vector<double> of_packs(packs * sums.size(), 0.0);
  const CpuExecutor team(plan_.problem().host_threads);
  team.each(static_cast<std::int64_t>(packs), [&](std::int64_t pack) {
    const auto n = static_cast<std::size_t>(pack);
    add_lines(values, lines, n * lines_at_a_time, of_packs.data() + n * sums.size());
  });
  for (std::size_t n = 0; n < of_packs.size(); ++n) {
    sums[n % sums.size()] += of_packs[n];
  }
}

void SpectrumSampler::add_lines(const std::vector<double>& values, const LinesOfPlane& lines,
                                std::size_t first, double* sums) const {
  const auto size = static_cast<std::size_t>(powers_.size());
  const std::size_t count = std::min<std::size_t>(lines_at_a_time, lines.parts.size() - first);
  std::vector<double> side_by_side(size * lines_at_a_time, 0.0);
  for (std::size_t lane = 0; lane < count; ++lane) {
    const double* const line = values.data() + (first + lane) * lines.apart;
    double mean = 0.0;
    for (std::size_t n = 0; n < size; ++n) {
      side_by_side[n * lines_at_a_time + lane] = line[n * lines.step];
      mean += line[n * lines.step];
    }
    sums[wavenumbers() + lines.planes[first + lane]] +=
        lines.parts_of_mean[first + lane] * mean / static_cast<double>(size);
  }
  std::vector<double> powers(wavenumbers() * lines_at_a_time);
  std::vector<double> room;
  powers_.find(side_by_side.data(), powers.data(), room);
  for (std::size_t k = 0; k < wavenumbers(); ++k) {
    for (std::size_t lane = 0; lane < count; ++lane) {
      sums[k] += lines.parts[first + lane] * powers[k * lines_at_a_time + lane];
    }
  }
}

std::vector<double> SpectrumSampler::variances(const double* averages, int field) const {
  std::vector<double> found(averages, averages + wavenumbers());
  const double* const means = averages + wavenumbers();
  for (std::size_t plane = 0; plane < planes(); ++plane) {
    const double part = lines_.at ? 1.0 : parts_along(lines_.across, field)[plane];
    found.front() -= part * means[plane] * means[plane];
  }
  return found;
}

}  // namespace bankfull::convection
