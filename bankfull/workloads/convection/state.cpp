#include "bankfull/workloads/convection/state.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/convection/metrics.hpp"

namespace bankfull::convection {

std::string name_of_field(const Problem& problem, const Grid& grid, int field) {
  static const std::array<std::string, 3> velocities{"u", "v", "w"};
  return field < 3 ? velocities[static_cast<std::size_t>(grid.physical(field))]
                   : problem.scalars[static_cast<std::size_t>(field - 3)].name;
}

/// exchange(number) for each of them but the number of scalars.
template <class Exchange>
void PackedNumbers::each_number(Diagnosis& flow, const Exchange& exchange) {
  for (double* number :
       {&flow.courant_rate, &flow.fastest, &flow.fastest_along[0], &flow.fastest_along[1],
        &flow.fastest_along[2], &flow.kinetic_energy, &flow.divergence, &flow.dissipation,
        &flow.buoyancy_work, &flow.wall_work, &flow.force_work}) {
    exchange(*number);
  }
  for (Diagnosis::OfScalar& scalar : flow.scalars) {
    for (double* number :
         {&scalar.mean, &scalar.mean_square, &scalar.min, &scalar.max, &scalar.dissipation,
          &scalar.wall_production, &scalar.source_production}) {
      exchange(*number);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      exchange(scalar.transport[axis]);
      exchange(scalar.inflow[axis][0]);
      exchange(scalar.inflow[axis][1]);
    }
  }
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

void save(const StepClock& clock, StateWriter& to) {
  const StepState& now = clock.progress;
  to.counts("clock/steps", {now.steps, static_cast<std::int64_t>(now.limit)});
  to.numbers("clock/progress",
             {now.time, now.dt, now.dt_before, now.pace, now.largest_courant, now.least_margin});
  PackedNumbers rates;
  for (const FlowRates& of : {now.rates, clock.of_flow, clock.noted}) {
    rates.add(of.advection);
    rates.add(of.buoyancy);
  }
  to.numbers("clock/rates", rates.values());
}

StepClock saved_clock(const StateReader& from) {
  StepClock clock;
  const std::vector<std::int64_t> counts = from.counts("clock/steps");
  PackedNumbers numbers(from.numbers("clock/progress"));
  PackedNumbers rates(from.numbers("clock/rates"));
  if (counts.size() != 2 || counts[0] < 0 || counts[1] < 0 ||
      counts[1] > static_cast<std::int64_t>(StepLimit::end)) {
    throw RuntimeFailure("the state of the run has no clock");
  }
  StepState& now = clock.progress;
  now.steps = counts[0];
  now.limit = static_cast<StepLimit>(counts[1]);
  for (double* number :
       {&now.time, &now.dt, &now.dt_before, &now.pace, &now.largest_courant, &now.least_margin}) {
    *number = numbers.take();
  }
  for (FlowRates* of : {&now.rates, &clock.of_flow, &clock.noted}) {
    of->advection = rates.take();
    of->buoyancy = rates.take();
  }
  return clock;
}

}  // namespace bankfull::convection
