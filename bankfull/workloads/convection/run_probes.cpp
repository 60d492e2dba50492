#include "bankfull/workloads/convection/run_probes.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/convection/boundary.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace bankfull::convection {
namespace {

std::string steps_in_state(const ProbeRequest& request) {
  return "probes/" + request.name + "/step";
}
std::string time_in_state(const ProbeRequest& request) {
  return "probes/" + request.name + "/time";
}

std::vector<Neighbourhood> neighbourhoods_of(const Grid& grid, const ProbeRequest& request) {
  std::vector<Neighbourhood> all;
  all.reserve(request.points.size() * request.fields.size());
  for (const Vector& point : request.points) {
    for (const int field : request.fields) {
      all.push_back(neighbourhood_of(grid, field < 3 ? grid.storage(field) : field, point));
    }
  }
  return all;
}

/// What elements beyond the ends of the box follow from at a time, less the references of scalars.
class ElementsBeyond {
 public:
  ElementsBeyond(const Plan& plan, double time)
      : plan_(plan), rules_(continuations_of(plan.stepped(), plan.grid(), time)) {
    for (const int axis : storage_axes) {
      cells_[axis] = plan.grid().axis(axis).count();
      centres_.along[axis] = plan.grid().axis(axis).centres.data();
    }
  }

  /// The element in the box that another one follows from: it itself, if it lies there.
  [[nodiscard]] FieldElement inner(const FieldElement& one) const {
    FieldElement found = one;
    const auto note = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      found = {one.field, i, j, k};
      return 0.0;
    };
    static_cast<void>(continued(rules_of(one), centres_, cells_, {one.i, one.j, one.k}, note));
    return found;
  }

  /// Its value by that one's, by what continues it beyond one end and then beyond the next, so that
  /// edges of walls whose values vary along them are met: see Continuation.
  [[nodiscard]] double value(const FieldElement& one, const FieldElement& inner,
                             double value) const {
    const std::array<std::int64_t, 3> index{one.i, one.j, one.k};
    std::array<std::int64_t, 3> at{inner.i, inner.j, inner.k};
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      if (at[axis] == index[axis]) {
        continue;
      }
      const Continuation& rule = rules_of(one).at[axis][index[axis] < 0 ? 0 : 1];
      at[axis] = index[axis];
      if (rule.wraps) {
        continue;
      }
      value = rule.factor * value + (rule.constant + rule.varying);
      for (std::size_t b = 0; b < at.size(); ++b) {
        value += rule.slope[b] * centres_.along[b][at[b] + 1];
      }
    }
    return value;
  }

  /// The reference that a field is stored less of.
  [[nodiscard]] double reference(int field) const {
    return field < 3 ? 0.0 : plan_.stepped().scalars[static_cast<std::size_t>(field - 3)].reference;
  }

 private:
  [[nodiscard]] const Continuations& rules_of(const FieldElement& one) const {
    return rules_[static_cast<std::size_t>(one.field)];
  }

  const Plan& plan_;
  std::vector<Continuations> rules_;
  CentreLines centres_;
  std::int64_t cells_[3] = {};
};

/// The value of a field at a point, from its neighbourhood, whose values are stored less the
/// reference.
double value_in(const Neighbourhood& around, const double* inner, const ElementsBeyond& beyond) {
  const double reference = beyond.reference(around.elements.front().field);
  std::array<double, 8> values{};
  for (std::size_t n = 0; n < values.size(); ++n) {
    const FieldElement& one = around.elements[n];
    values[n] = beyond.value(one, beyond.inner(one), inner[n] - reference);
  }
  return reference + interpolated(around, values.data());
}

}  // namespace

RunProbes::RunProbes(const Plan& plan, const std::vector<ProbeRequest>& requests)
    : plan_(plan), requests_(requests), recorded_(requests.size()) {
  neighbourhoods_.reserve(requests.size());
  for (const ProbeRequest& request : requests) {
    neighbourhoods_.push_back(neighbourhoods_of(plan.grid(), request));
  }
}

void RunProbes::prepare(Integrator& flow) const {
  const ElementsBeyond beyond(plan_, 0.0);
  std::vector<std::vector<FieldElement>> lists;
  lists.reserve(neighbourhoods_.size());
  for (const std::vector<Neighbourhood>& values : neighbourhoods_) {
    std::vector<FieldElement>& elements = lists.emplace_back();
    for (const Neighbourhood& around : values) {
      std::ranges::transform(around.elements, std::back_inserter(elements),
                             [&](const FieldElement& one) { return beyond.inner(one); });
    }
  }
  flow.set_gathered(lists);
}

void RunProbes::begin(std::int64_t step, double time) {
  recorded_.assign(recorded_.size(), {step, time});
}

bool RunProbes::is_due(std::size_t probe, std::int64_t step, double time) const {
  return step >= recorded_[probe].next_step(requests_[probe].every) ||
         time >= recorded_[probe].next_time(requests_[probe].time);
}

bool RunProbes::due(std::int64_t step, double time) const {
  return step >= next_step() || time >= next_time();
}

std::int64_t RunProbes::next_step() const {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  for (std::size_t n = 0; n < requests_.size(); ++n) {
    next = std::min(next, recorded_[n].next_step(requests_[n].every));
  }
  return next;
}

double RunProbes::next_time() const {
  double next = HUGE_VAL;
  for (std::size_t n = 0; n < requests_.size(); ++n) {
    next = std::min(next, recorded_[n].next_time(requests_[n].time));
  }
  return next;
}

void RunProbes::record_one(std::size_t probe, std::int64_t step, double time,
                           const Integrator& flow, const Listener& listener) {
  const std::vector<double> elements = flow.gathered(probe);
  const ElementsBeyond beyond(plan_, time);
  ProbeReading reading{.probe = probe, .step = step, .time = time, .values = {}};
  const double* next = elements.data();
  for (const Neighbourhood& around : neighbourhoods_[probe]) {
    reading.values.push_back(value_in(around, next, beyond));
    next += around.elements.size();
  }
  recorded_[probe] = {step, time};
  listener(reading);
}

void RunProbes::record_due(std::int64_t step, double time, const Integrator& flow,
                           const Listener& listener) {
  for (std::size_t n = 0; n < requests_.size(); ++n) {
    if (is_due(n, step, time)) {
      record_one(n, step, time, flow, listener);
    }
  }
}

void RunProbes::record_all(std::int64_t step, double time, const Integrator& flow,
                           const Listener& listener) {
  for (std::size_t n = 0; n < requests_.size(); ++n) {
    record_one(n, step, time, flow, listener);
  }
}

void RunProbes::save(StateWriter& to) const {
  for (std::size_t n = 0; n < requests_.size(); ++n) {
    to.counts(steps_in_state(requests_[n]), {recorded_[n].step});
    to.numbers(time_in_state(requests_[n]), {recorded_[n].time});
  }
}

void RunProbes::restore(const StateReader& from) {
  for (std::size_t n = 0; n < requests_.size(); ++n) {
    if (from.has(steps_in_state(requests_[n])) && from.has(time_in_state(requests_[n]))) {
      const std::vector<std::int64_t> steps = from.counts(steps_in_state(requests_[n]));
      const std::vector<double> times = from.numbers(time_in_state(requests_[n]));
      if (steps.size() != 1 || times.size() != 1) {
        throw RuntimeFailure("the state of the run does not record when probe " +
                             requests_[n].name + " was last read");
      }
      recorded_[n] = {steps.front(), times.front()};
    }
  }
}

}  // namespace bankfull::convection
