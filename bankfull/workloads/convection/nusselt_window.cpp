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

template <class Notes>
std::size_t first_after(const Notes& notes, double time) {
  const auto place =
      std::upper_bound(notes.begin(), notes.end(), time,
                       [](double moment, const auto& note) { return moment < note.time; });
  return static_cast<std::size_t>(place - notes.begin());
}

/// The mean between two times of what was noted at some times; each of `values(note)` is taken to
/// be linear between notes.
template <class Notes, class Values>
auto straight_mean(const Notes& notes, double from, double to, const Values& values) {
  auto mean = values(notes.front());
  mean.fill(0.0);
  const double duration = to - from;
  for (std::size_t n = std::max<std::size_t>(1, first_after(notes, from)); n < notes.size(); ++n) {
    const double step = notes[n].time - notes[n - 1].time;
    const double begin = std::max(from, notes[n - 1].time);
    const double end = std::min(to, notes[n].time);
    if (end <= begin) {
      break;
    }
    const double weight = (end - begin) / duration;
    // The weight of the earlier value.
    const double part_before = 0.5 * ((notes[n].time - begin) + (notes[n].time - end)) / step;
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
  noted_.push_back({time,
                    {now.lower, now.upper, now.volume, now.thermal, now.kinetic.value_or(0.0)},
                    flow.kinetic_energy});
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
  // By T less its reference: far from zero T^2 has no digits left for what changes in two steps.
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
  for (const auto& [time, numbers, kinetic_energy] : noted_) {
    add(time, numbers);
    to.add(kinetic_energy);
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
    auto& [time, numbers, kinetic_energy] = noted_.emplace_back();
    take(time, numbers);
    kinetic_energy = from.take();
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
      straight_mean(noted_, found.from, found.to, [](const Noted& noted) { return noted.numbers; });
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
  if (const std::optional<double> error = largest_error(found.from); error && largest > 0.0) {
    found.error = *error / largest;
  }
  return found;
}

std::optional<double> NusseltWindow::drift(double duration) const {
  constexpr std::size_t fewest = 8;
  constexpr double with_rounding = 1.0 - 1e-9;
  if (noted_.size() < fewest ||
      noted_.back().time - noted_.front().time < with_rounding * duration) {
    return std::nullopt;
  }
  const std::size_t since = first_after(noted_, noted_.back().time - duration);
  const std::size_t first = std::min(noted_.size() - fewest, since > 0 ? since - 1 : 0);
  Noted least = noted_.back();
  Noted most = least;
  for (std::size_t n = first; n < noted_.size(); ++n) {
    for (std::size_t q = 0; q < quantities; ++q) {
      least.numbers[q] = std::min(least.numbers[q], noted_[n].numbers[q]);
      most.numbers[q] = std::max(most.numbers[q], noted_[n].numbers[q]);
    }
    least.kinetic_energy = std::min(least.kinetic_energy, noted_[n].kinetic_energy);
  }
  double change = 0.0;
  double largest = 0.0;
  for (std::size_t q = 0; q < quantities; ++q) {
    change = std::max(change, most.numbers[q] - least.numbers[q]);
    largest = std::max({largest, std::abs(least.numbers[q]), std::abs(most.numbers[q])});
  }
  const double energy = noted_.back().kinetic_energy;
  const double growth = energy > 0.0 ? (energy - least.kinetic_energy) / energy : 0.0;
  return std::max(largest > 0.0 ? change / largest : 0.0, growth);
}

/// Where what was noted lies close enough for a batch to have two values on average.
std::optional<double> NusseltWindow::largest_error(double from) const {
  const std::size_t within = noted_.size() - first_after(noted_, from);
  std::optional<double> largest;
  for (const std::size_t batches : {8U, 16U, 32U}) {
    if (within >= 2 * batches) {
      largest = std::max(largest.value_or(0.0), largest_error(from, batches));
    }
  }
  return largest;
}

/// The error of a mean of independent means.
double NusseltWindow::largest_error(double from, std::size_t batches) const {
  const auto numbers = [](const Noted& noted) { return noted.numbers; };
  const auto count = static_cast<double>(batches);
  const double to = noted_.back().time;
  const Numbers mean = straight_mean(noted_, from, to, numbers);
  Numbers squares{};
  for (std::size_t n = 0; n < batches; ++n) {
    const auto number = static_cast<double>(n);
    const double begin = from + (to - from) * (number / count);
    const double end = n + 1 == batches ? to : from + (to - from) * ((number + 1.0) / count);
    const Numbers of_batch = straight_mean(noted_, begin, end, numbers);
    for (std::size_t q = 0; q < quantities; ++q) {
      const double difference = of_batch[q] - mean[q];
      squares[q] += difference * difference;
    }
  }
  return std::sqrt(*std::ranges::max_element(squares) / (count * (count - 1.0)));
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
