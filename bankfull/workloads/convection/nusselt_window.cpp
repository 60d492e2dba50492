#include "bankfull/workloads/convection/nusselt_window.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace bankfull::convection {
namespace {

double middle_temperature(const Problem& problem, const HeatPath& path) {
  const auto& walls = problem.scalars.front().walls[path.axis];
  return 0.5 * (walls[0].value + walls[1].value);
}

bool is_steady_and_alike(const WallScalar& wall) { return wall.slope == Vector{} && !wall.varying; }

bool insulates(const WallScalar& wall) { return wall.is_flux && wall.flux == 0.0 && !wall.varying; }

double largest_magnitude(const std::vector<double>& numbers) {
  double largest = 0.0;
  for (const double number : numbers) {
    largest = std::max(largest, std::abs(number));
  }
  return largest;
}

std::vector<double> all_of(const Nusselt& nusselt) {
  std::vector<double> numbers{nusselt.lower, nusselt.upper, nusselt.volume, nusselt.thermal};
  if (nusselt.kinetic) {
    numbers.push_back(*nusselt.kinetic);
  }
  return numbers;
}

/// Of what was noted at some times, the mean over those from `from` on: each of `values(note)` goes
/// straight from one time to the next.
template <class Notes, class Values>
auto straight_mean(const Notes& notes, double from, const Values& values) {
  auto mean = values(notes.front());
  mean.fill(0.0);
  const double duration = notes.back().time - from;
  for (std::size_t n = 1; n < notes.size(); ++n) {
    const double step = notes[n].time - notes[n - 1].time;
    const double begin = std::max(from, notes[n - 1].time);
    if (notes[n].time <= begin) {
      continue;
    }
    const double weight = (notes[n].time - begin) / duration;
    const double part_before = 0.5 * (notes[n].time - begin) / step;  // of the earlier value
    const auto before = values(notes[n - 1]);
    const auto after = values(notes[n]);
    for (std::size_t q = 0; q < mean.size(); ++q) {
      mean[q] += weight * (part_before * before[q] + (1.0 - part_before) * after[q]);
    }
  }
  return mean;
}

}  // namespace

bool all_agree(const Problem& problem, const HeatPath& path) {
  const Scalar& scalar = problem.scalars.front();
  bool agree = !scalar.source;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const WallScalar& wall : scalar.walls[axis]) {
      agree = agree && (problem.axes[axis].periodic ||
                        (axis == path.axis ? is_steady_and_alike(wall) : insulates(wall)));
    }
  }
  return agree;
}

NusseltWindow::NusseltWindow(const Problem& problem)
    : problem_(problem),
      path_(heat_path_of(problem)),
      agree_(path_ && all_agree(problem, *path_)) {}

void NusseltWindow::add(double time, const Diagnosis& flow, const BudgetHistory& budgets) {
  if (!path_) {
    return;
  }
  const Nusselt now = nusselt_of(*path_, problem_.scalars.front().diffusivity, flow);
  noted_.push_back(
      {time, {now.lower, now.upper, now.volume, now.thermal, now.kinetic.value_or(0.0)}});
  if (const std::optional<Leftovers> found = leftovers(budgets); agree_ && found) {
    left_.push_back({time, *found});
  }
}

std::optional<NusseltWindow::Leftovers> NusseltWindow::leftovers(
    const BudgetHistory& budgets) const {
  const double conducted = problem_.scalars.front().diffusivity * path_->difference / path_->length;
  const double middle = middle_temperature(problem_, *path_);
  const auto heating = [this](const Diagnosis& flow) {
    const auto& [lower, upper] = flow.scalars.front().inflow[path_->axis];
    return (lower + upper) / path_->length;
  };
  // Of T less its reference: far from zero T^2 has no digits left for what changes in two steps.
  const std::optional<double> heat = budgets.leftover(
      [](const Diagnosis& flow) { return flow.scalars.front().less_reference.mean; }, heating);
  const std::optional<double> variance = budgets.leftover(
      [middle](const Diagnosis& flow) {
        const Diagnosis::OfScalar& scalar = flow.scalars.front();
        return 0.5 * scalar.less_reference.mean_square -
               (middle - scalar.reference) * scalar.less_reference.mean;
      },
      [&](const Diagnosis& flow) {
        const Diagnosis::OfScalar& scalar = flow.scalars.front();
        return scalar.less_reference.wall_production + scalar.less_reference.source_production -
               scalar.dissipation - (middle - scalar.reference) * heating(flow);
      });
  const std::optional<double> energy =
      budgets.leftover([](const Diagnosis& flow) { return flow.kinetic_energy; },
                       [](const Diagnosis& flow) { return flow.energy_rate(); });
  if (!heat || !variance || !energy) {
    return std::nullopt;
  }
  return Leftovers{*heat * path_->length / conducted,
                   *variance * path_->length / (conducted * path_->difference),
                   path_->buoyancy != 0.0 ? *energy / (path_->buoyancy * conducted) : 0.0};
}

void NusseltWindow::save(PackedNumbers& to) const {
  const auto add = [&to](double time, const auto& numbers) {
    to.add(time);
    for (const double number : numbers) {
      to.add(number);
    }
  };
  to.add(static_cast<double>(noted_.size()));
  for (const auto& [time, numbers] : noted_) {
    add(time, numbers);
  }
  to.add(static_cast<double>(left_.size()));
  for (const auto& [time, parts] : left_) {
    add(time, parts);
  }
}

void NusseltWindow::restore(PackedNumbers& from) {
  const auto take = [&from](double& time, auto& numbers) {
    time = from.take();
    for (double& number : numbers) {
      number = from.take();
    }
  };
  noted_.clear();
  for (double count = from.take(); count > 0.0; --count) {
    auto& [time, numbers] = noted_.emplace_back();
    take(time, numbers);
  }
  left_.clear();
  for (double count = from.take(); count > 0.0; --count) {
    auto& [time, parts] = left_.emplace_back();
    take(time, parts);
  }
}

std::optional<NusseltAverages> NusseltWindow::averages() const {
  if (noted_.empty() || !(noted_.back().time > 0.0)) {
    return std::nullopt;
  }
  NusseltAverages found{.from = 0.5 * noted_.back().time, .to = noted_.back().time};
  const Numbers mean =
      straight_mean(noted_, found.from, [](const Noted& noted) { return noted.numbers; });
  found.mean = {.lower = mean[0], .upper = mean[1], .volume = mean[2], .thermal = mean[3]};
  if (path_->buoyancy != 0.0) {
    found.mean.kinetic = mean[4];
  }
  const std::vector<double> numbers = all_of(found.mean);
  const double largest = largest_magnitude(numbers);
  if (agree_ && largest > 0.0) {
    const auto [least, most] = std::ranges::minmax(numbers);
    found.disagreement = (most - least) / largest;
    found.by_discretisation = largest_leftover(found.from) / largest;
  }
  return found;
}

/// Each stands for the time since the one before, of the window.
double NusseltWindow::largest_leftover(double from) const {
  Leftovers sum{};
  double duration = 0.0;
  double before = from;
  for (const Left& left : left_) {
    const double weight = left.time - before;
    if (weight > 0.0) {
      for (std::size_t q = 0; q < sum.size(); ++q) {
        sum[q] += weight * left.parts[q];
      }
      duration += weight;
      before = left.time;
    }
  }
  return duration > 0.0 ? largest_magnitude({sum.begin(), sum.end()}) / duration : 0.0;
}

std::vector<Check> checks_of(const NusseltAverages& averages) {
  if (!averages.disagreement) {
    return {};
  }
  return {{.name = "Nusselt number that the discretisation adds",
           .value = averages.by_discretisation,
           .tolerance = NusseltAverages::bound,
           .source = "the budgets of heat, temperature variance and kinetic energy"}};
}

}  // namespace bankfull::convection
