#include "bankfull/workloads/convection/state.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/convection/metrics.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::convection {
namespace {

constexpr const char* name_of_corrected_variance = "bounded/corrected_variance";
constexpr const char* name_of_references = "references";

/// By how much a state's scalar is less than this problem stores it.
double reference_less_own(const Scalar& scalar, std::size_t number, const StateReader& from) {
  const std::vector<double> saved = from.numbers(name_of_references);
  if (number >= saved.size()) {
    throw RuntimeFailure("the state of the run does not record the references of its scalars");
  }
  const double difference = saved[number] - scalar.reference;
  if (difference != 0.0 && scalar.advection == Advection::bounded) {
    throw RuntimeFailure(fmt::format(
        "{} has bounded advection, and was stored less {}, which is now {}: leave its walls as "
        "they were, or start a new run",
        scalar.name, saved[number], scalar.reference));
  }
  return difference;
}

// Bindings name every member of a structure, or do not compile: what is added to one is not
// forgotten here.

/// exchange(number) for each of them.
template <class Exchange>
void each_number(FlowRates& rates, const Exchange& exchange) {
  auto& [advection, buoyancy, exchanged] = rates;
  for (double* number : {&advection, &buoyancy, &exchanged}) {
    exchange(*number);
  }
}

/// But for its counts, and what it is planned by.
template <class Exchange>
void each_number(StepState& state, const Exchange& exchange) {
  auto& [steps, time, dt, dt_before, pace, weight, limit, rates, courant, courant_at_end, margin,
         gain, stable] = state;
  for (double* number :
       {&time, &dt, &dt_before, &pace, &weight, &courant, &courant_at_end, &margin}) {
    exchange(*number);
  }
  each_number(rates, exchange);
}

/// By what steps are planned; states of older programs lack it.
template <class Exchange>
void each_number_of_plan(StepState& state, const Exchange& exchange) {
  for (double* number : {&state.gain, &state.stable}) {
    exchange(*number);
  }
}

/// But for the rule, and the step to come, which follows from it.
template <class Exchange>
void each_number(StepClock& clock, const Exchange& exchange) {
  auto& [rule, progress, next, of_flow, noted] = clock;
  each_number(progress, exchange);
  each_number(of_flow, exchange);
  each_number(noted, exchange);
}

template <class Exchange>
void each_number(Diagnosis::OfScalar::LessReference& scalar, const Exchange& exchange) {
  auto& [mean, mean_square, wall_production, source_production] = scalar;
  for (double* number : {&mean, &mean_square, &wall_production, &source_production}) {
    exchange(*number);
  }
}

template <class Exchange>
void each_number(Diagnosis::OfScalar& scalar, const Exchange& exchange) {
  auto& [mean, mean_square, min, max, transport, inflow, on_wall, dissipation, wall_production,
         source_production, corrected_variance, mean_source, supply, reference, less_reference] =
      scalar;
  for (double* number :
       {&mean, &mean_square, &min, &max, &dissipation, &wall_production, &source_production,
        &corrected_variance, &mean_source, &supply, &reference}) {
    exchange(*number);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    exchange(transport[axis]);
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      exchange(inflow[axis][side]);
      exchange(on_wall[axis][side]);
    }
  }
  each_number(less_reference, exchange);
}

/// But for the number of scalars.
template <class Exchange>
void each_number(Diagnosis& flow, const Exchange& exchange) {
  auto& [courant_rate, fastest, fastest_along, kinetic_energy, divergence, mean_velocity,
         mean_square_gradient, dissipation, buoyancy_work, wall_work, force_work, scalars] = flow;
  for (double* number :
       {&courant_rate, &fastest, &kinetic_energy, &divergence, &mean_square_gradient, &dissipation,
        &buoyancy_work, &wall_work, &force_work}) {
    exchange(*number);
  }
  for (Vector* vector : {&fastest_along, &mean_velocity}) {
    for (double& number : *vector) {
      exchange(number);
    }
  }
  for (Diagnosis::OfScalar& scalar : scalars) {
    each_number(scalar, exchange);
  }
}

}  // namespace

std::string name_of_field(const Problem& problem, const Grid& grid, int field) {
  static const std::array<std::string, 3> velocities{"u", "v", "w"};
  if (field < 3) {
    return velocities[static_cast<std::size_t>(grid.physical(field))];
  }
  const auto scalar = static_cast<std::size_t>(field - 3);
  return scalar < problem.scalars.size() ? problem.scalars[scalar].name : "pressure";
}

std::string name_of_flux(const Problem& problem, const Grid& grid, int scalar, int axis) {
  return "flux/" + problem.scalars[static_cast<std::size_t>(scalar)].name + "/" +
         axis_names[static_cast<std::size_t>(grid.physical(axis))];
}

Extents extents_of_faces(const Grid& grid, int axis) {
  Extents faces = grid.extents();
  (axis == 0 ? faces.ni : axis == 1 ? faces.nj : faces.nk) += 1;
  return faces;
}

void PackedNumbers::add(const Diagnosis& flow) {
  Diagnosis copy = flow;
  add(static_cast<double>(copy.scalars.size()));
  each_number(copy, [this](double number) { add(number); });
}

double PackedNumbers::take() {
  if (next_ >= values_.size()) {
    throw RuntimeFailure("the state of the run is not complete");
  }
  return values_[next_++];
}

std::optional<double> PackedNumbers::take_optional() {
  const bool is_there = take() != 0.0;
  const double value = take();
  return is_there ? std::optional(value) : std::nullopt;
}

Diagnosis PackedNumbers::take_diagnosis() {
  Diagnosis flow;
  const double scalars = take();
  const bool possible = scalars >= 0.0 && scalars <= max_scalars;
  if (!possible) {
    throw RuntimeFailure("the state of the run has no such number of scalars");
  }
  flow.scalars.resize(static_cast<std::size_t>(scalars));
  each_number(flow, [this](double& number) { number = take(); });
  return flow;
}

void save_references(const Problem& stepped, StateWriter& to) {
  std::vector<double> references(stepped.scalars.size());
  std::transform(stepped.scalars.begin(), stepped.scalars.end(), references.begin(),
                 [](const Scalar& scalar) { return scalar.reference; });
  to.numbers(name_of_references, references);
}

CellReader saved_field(const Problem& stepped, const Grid& grid, int field,
                       const StateReader& from) {
  CellReader saved = from.cells("flow/" + name_of_field(stepped, grid, field));
  const auto number = static_cast<std::size_t>(field) - 3;
  const double difference =
      field < 3 ? 0.0 : reference_less_own(stepped.scalars[number], number, from);
  if (difference == 0.0) {
    return saved;
  }
  return [saved, difference](const Box& part, double* values) {
    saved(part, values);
    const auto count = static_cast<std::size_t>(part.extents().count());
    std::transform(values, values + count, values,
                   [difference](double value) { return value + difference; });
  };
}

void save_corrected_variance(const Problem& problem, const std::function<double(int)>& value_of,
                             StateWriter& to) {
  std::vector<double> values;
  for (const int scalar : bounded_scalars(problem)) {
    values.push_back(value_of(scalar));
  }
  if (!values.empty()) {
    to.numbers(name_of_corrected_variance, values);
  }
}

void restore_corrected_variance(const Problem& problem, const StateReader& from,
                                const std::function<void(int, double)>& take) {
  const std::vector<int> scalars = bounded_scalars(problem);
  if (scalars.empty()) {
    return;
  }
  PackedNumbers values(from.numbers(name_of_corrected_variance));
  for (const int scalar : scalars) {
    take(scalar, values.take());
  }
}

void save(const StepClock& clock, StateWriter& to) {
  const StepState& now = clock.progress;
  to.counts("clock/steps", {now.steps, static_cast<std::int64_t>(now.limit)});
  StepClock copy = clock;
  PackedNumbers numbers;
  const auto add = [&numbers](double number) { numbers.add(number); };
  each_number(copy, add);
  each_number_of_plan(copy.progress, add);
  to.numbers("clock/progress", numbers.values());
}

StepClock saved_clock(const StateReader& from) {
  StepClock clock;
  const std::vector<std::int64_t> counts = from.counts("clock/steps");
  if (counts.size() != 2 || counts[0] < 0 || counts[1] < 0 ||
      counts[1] > static_cast<std::int64_t>(StepLimit::end)) {
    throw RuntimeFailure("the state of the run has no clock");
  }
  clock.progress.steps = counts[0];
  clock.progress.limit = static_cast<StepLimit>(counts[1]);
  PackedNumbers numbers(from.numbers("clock/progress"));
  const auto take = [&numbers](double& number) { number = numbers.take(); };
  each_number(clock, take);
  if (!numbers.at_end()) {
    each_number_of_plan(clock.progress, take);
  }
  return clock;
}

}  // namespace bankfull::convection
