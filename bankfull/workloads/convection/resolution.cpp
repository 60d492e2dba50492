#include "bankfull/workloads/convection/resolution.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace bankfull::convection {
namespace {

const std::vector<double>& widths_of(const Grid& grid, int storage_axis) {
  return grid.axis(storage_axis).cells.widths;
}

double widest_of(const Grid& grid, int storage_axis) {
  return *std::max_element(widths_of(grid, storage_axis).begin(),
                           widths_of(grid, storage_axis).end());
}

/// Whether a flow can vary along an axis.
bool varies(const Grid& grid, int storage_axis) {
  return grid.axis(storage_axis).count() > 1 || !grid.axis(storage_axis).cells.periodic;
}

/// The geometric mean of the widths of the largest cell, along the axes that a flow can vary along.
double geometric_mean_of_largest(const Grid& grid) {
  double product = 1.0;
  int axes = 0;
  for (const int n : storage_axes) {
    if (varies(grid, n)) {
      product *= widest_of(grid, n);
      ++axes;
    }
  }
  return axes > 0 ? std::pow(product, 1.0 / axes) : 0.0;
}

/// The mean width of the cells whose centres lie within a distance of one end of an axis, over that
/// distance; of the first cell where there is none.
double cell_within(const GridAxis& axis, double distance, bool at_upper_end) {
  const double wall = at_upper_end ? axis.faces.back() : axis.faces.front();
  double count = 0.0;
  for (std::int64_t n = 0; n < axis.count(); ++n) {
    count += std::abs(axis.centre(n) - wall) <= distance ? 1.0 : 0.0;
  }
  const std::vector<double>& widths = axis.cells.widths;
  return count > 0.0 ? 1.0 / count : (at_upper_end ? widths.back() : widths.front()) / distance;
}

double largest_prandtl(const Problem& problem) {
  double most = 1.0;
  for (const Scalar& scalar : problem.scalars) {
    most = std::max(most, problem.viscosity / scalar.diffusivity);
  }
  return most;
}

/// Whether a wall, or the source, makes a scalar differ from place to place.
bool makes_differences(const Problem& problem, const Scalar& scalar) {
  const ScalarRange source = sampled_range(problem, scalar.source);
  bool found = source.least < source.most;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const WallScalar& wall : scalar.walls[axis]) {
      const bool insulates = wall.is_flux && wall.flux == 0.0 && !wall.varying;
      found = found || !(problem.axes[axis].periodic || insulates);
    }
  }
  return found;
}

bool within(const std::optional<double>& value, double bound) { return !value || *value <= bound; }

/// The mean of what applied, in the notes of the second half of a run.
template <class Notes, class Member>
std::optional<double> mean_of(const Notes& notes, Member member) {
  double sum = 0.0;
  double count = 0.0;
  for (const auto& note : notes) {
    const std::optional<double>& value = note.resolution.*member;
    if (note.time >= 0.5 * notes.back().time && value) {
      sum += *value;
      count += 1.0;
    }
  }
  return count > 0.0 ? std::optional(sum / count) : std::nullopt;
}

template <class Notes>
std::optional<double> largest_overshoot(const Notes& notes) {
  std::optional<double> most;
  for (const auto& note : notes) {
    if (note.time >= 0.5 * notes.back().time && note.resolution.overshoot) {
      most = std::max(most.value_or(0.0), *note.resolution.overshoot);
    }
  }
  return most;
}

}  // namespace

bool is_resolved(const Resolution& resolution) {
  using Limits = ResolutionBounds;
  return within(resolution.cell_over_batchelor, Limits::cell_over_batchelor) &&
         within(resolution.cell_in_boundary_layer, Limits::cell_in_boundary_layer) &&
         within(resolution.overshoot, Limits::overshoot) &&
         within(resolution.cell_over_gradients, Limits::cell_over_gradients) &&
         within(resolution.rounding, Limits::rounding);
}

double ResolutionWatch::Bounds::excess(const Diagnosis::OfScalar& scalar) const {
  return std::max({0.0, scalar.max - most, least - scalar.min});
}

ResolutionWatch::Bounds ResolutionWatch::bounds_of(const Problem& problem, const Scalar& scalar,
                                                   const Diagnosis::OfScalar& start) {
  const ScalarRange range = with_walls(problem, scalar, {start.min, start.max});
  const ScalarRange at_start = with_fixed_walls_at_start(problem, scalar, {start.min, start.max});
  Bounds bounds{.least = range.least,
                .most = range.most,
                .hold = !scalar.source,
                .range_at_start = at_start.most - at_start.least};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const WallScalar& wall : scalar.walls[axis]) {
      const bool heats = wall.is_flux && (wall.flux != 0.0 || wall.varying);
      bounds.hold = bounds.hold && (problem.axes[axis].periodic || !heats);
    }
  }
  bounds.hold = bounds.hold && bounds.range() > 0.0;
  bounds.differs = bounds.range_at_start > 0.0 || makes_differences(problem, scalar);
  return bounds;
}

ResolutionWatch::ResolutionWatch(const Problem& problem, const Grid& grid, const Diagnosis& start)
    : problem_(problem),
      grid_(grid),
      widest_(geometric_mean_of_largest(grid)),
      largest_prandtl_(largest_prandtl(problem)) {
  for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
    bounds_.push_back(bounds_of(problem, problem.scalars[s], start.scalars[s]));
  }
}

std::optional<double> ResolutionWatch::boundary_layer_cell(const Nusselt& nusselt) const {
  // A layer that fills the box is none.
  constexpr double min_nusselt = 2.0;
  const auto path = heat_path_of(problem_);
  const GridAxis& axis = grid_.axis(grid_.storage(static_cast<int>(path->axis)));
  std::optional<double> widest;
  for (const bool upper : {false, true}) {
    const double number = upper ? nusselt.upper : nusselt.lower;
    if (number >= min_nusselt) {
      const double cell = cell_within(axis, 0.5 * path->length / number, upper);
      widest = std::max(widest.value_or(0.0), cell);
    }
  }
  return widest;
}

std::optional<double> ResolutionWatch::cell_peclet(const Diagnosis& flow) const {
  double largest = 0.0;
  for (const int n : storage_axes) {
    if (varies(grid_, n)) {
      const auto along = static_cast<std::size_t>(grid_.physical(n));
      largest = std::max(largest, flow.fastest_along[along] * widest_of(grid_, n));
    }
  }
  double least = problem_.viscosity;
  for (const Scalar& scalar : problem_.scalars) {
    least = least > 0.0 ? std::min(least, scalar.diffusivity) : scalar.diffusivity;
  }
  return least > 0.0 ? std::optional(largest / least) : std::nullopt;
}

std::optional<double> ResolutionWatch::rounding(const Diagnosis& flow) const {
  const double of_one = problem_.precision == Precision::fp32
                            ? std::numeric_limits<float>::epsilon()
                            : std::numeric_limits<double>::epsilon();
  std::optional<double> most;
  for (std::size_t s = 0; s < bounds_.size(); ++s) {
    const Diagnosis::OfScalar& scalar = flow.scalars[s];
    const double stored = std::max(scalar.max - scalar.reference, scalar.reference - scalar.min);
    const double range = std::max(scalar.max - scalar.min, bounds_[s].range_at_start);
    if (bounds_[s].differs && range > 0.0) {
      most = std::max(most.value_or(0.0), of_one * stored / range);
    }
  }
  return most;
}

Resolution ResolutionWatch::add(double time, const Diagnosis& flow,
                                const std::optional<Nusselt>& nusselt) {
  Resolution found;
  found.cell_peclet = cell_peclet(flow);
  found.rounding = rounding(flow);
  const double viscosity = problem_.viscosity;
  if (viscosity > 0.0) {
    const double kolmogorov = std::pow(viscosity * viscosity * viscosity / flow.dissipation, 0.25);
    found.cell_over_kolmogorov = widest_ / kolmogorov;
    found.cell_over_batchelor = widest_ / kolmogorov * std::sqrt(largest_prandtl_);
  } else if (flow.kinetic_energy > 0.0) {
    found.cell_over_gradients =
        widest_ * std::sqrt(flow.mean_square_gradient / (2.0 * flow.kinetic_energy));
  }
  if (nusselt) {
    found.cell_in_boundary_layer = boundary_layer_cell(*nusselt);
  }
  for (std::size_t s = 0; s < bounds_.size(); ++s) {
    if (bounds_[s].hold) {
      const double excess = bounds_[s].excess(flow.scalars[s]) / bounds_[s].range();
      found.overshoot = std::max(found.overshoot.value_or(0.0), excess);
    }
  }
  noted_.push_back({time, found});
  return found;
}

std::vector<Check> ResolutionWatch::checks() const {
  std::vector<Check> checks;
  const auto add = [&checks](const std::string& name, const std::optional<double>& value,
                             double bound, const std::string& source) {
    if (value) {
      checks.push_back({.name = name, .value = *value, .tolerance = bound, .source = source});
    }
  };
  if (noted_.empty()) {
    return checks;
  }
  add("largest cell over the length of Batchelor",
      mean_of(noted_, &Resolution::cell_over_batchelor), ResolutionBounds::cell_over_batchelor,
      "Groetzbach, J. Comput. Phys. 49 (1983) 241-264");
  add("cell over the thermal boundary layer", mean_of(noted_, &Resolution::cell_in_boundary_layer),
      ResolutionBounds::cell_in_boundary_layer, "Shishkina et al., New J. Phys. 12 (2010) 075022");
  add("overshoot of scalars over their range", largest_overshoot(noted_),
      ResolutionBounds::overshoot, "the maximum principle");
  add("largest cell over the length of gradients, without viscosity",
      mean_of(noted_, &Resolution::cell_over_gradients), ResolutionBounds::cell_over_gradients,
      "waves of eight cells; nothing but the grid ends a cascade");
  const std::optional<double> rounding = mean_of(noted_, &Resolution::rounding);
  if (!within(rounding, ResolutionBounds::rounding)) {
    add("rounding of scalars over their range", rounding, ResolutionBounds::rounding,
        "what the precision holds of their differences");
  }
  return checks;
}

std::vector<KnownRange> ResolutionWatch::known_ranges() const {
  std::vector<KnownRange> ranges;
  ranges.reserve(bounds_.size());
  for (const Bounds& bounds : bounds_) {
    ranges.push_back({.range = {bounds.least, bounds.most}, .holds = bounds.hold});
  }
  return ranges;
}

void ResolutionWatch::save(PackedNumbers& to) const {
  to.add(static_cast<double>(noted_.size()));
  for (const auto& [time, resolution] : noted_) {
    // All members.
    const auto& [batchelor, kolmogorov, layer, overshoot, gradients, rounding, peclet] = resolution;
    to.add(time);
    for (const auto& value :
         {batchelor, kolmogorov, layer, overshoot, gradients, rounding, peclet}) {
      to.add(value);
    }
  }
}

void ResolutionWatch::restore(PackedNumbers& from) {
  noted_.clear();
  for (double left = from.take(); left > 0.0; --left) {
    Noted noted;
    auto& [time, resolution] = noted;
    auto& [batchelor, kolmogorov, layer, overshoot, gradients, rounding, peclet] = resolution;
    time = from.take();
    for (std::optional<double>* value :
         {&batchelor, &kolmogorov, &layer, &overshoot, &gradients, &rounding, &peclet}) {
      *value = from.take_optional();
    }
    noted_.push_back(noted);
  }
}

std::string ResolutionWatch::runaway(const Diagnosis& flow) const {
  constexpr double ranges = 10.0;
  for (std::size_t s = 0; s < bounds_.size(); ++s) {
    const Diagnosis::OfScalar& scalar = flow.scalars[s];
    if (bounds_[s].hold && bounds_[s].excess(scalar) > ranges * bounds_[s].range()) {
      return fmt::format(
          "{} is between {:.3g} and {:.3g}, where it began between {:.3g} and {:.3g}",
          problem_.scalars[s].name, scalar.min, scalar.max, bounds_[s].least, bounds_[s].most);
    }
  }
  return "";
}

}  // namespace bankfull::convection
