#include "bankfull/workloads/convection/validation/timed_flow.hpp"

#include "bankfull/workloads/convection/scheme.hpp"
#include "bankfull/workloads/convection/stability.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>

namespace bankfull::convection {
namespace {

Plan plan_with_some_end(Problem problem, const poisson::Sharing& sharing) {
  problem.steps = 1;
  const bool alone = problem.schedule == Schedule::reference;
  return Plan(std::move(problem), CeilingRule::none, {}, alone ? poisson::Sharing{} : sharing);
}

/// The polynomial through `count` points of a profile from `first` on, at x.
double interpolated(const LineProfile& profile, std::size_t first, std::size_t count, double x) {
  const std::vector<double> shares =
      shares_in_polynomial(std::span(profile.places).subspan(first, count), x);
  return std::inner_product(shares.begin(), shares.end(), profile.values.data() + first, 0.0);
}

/// An index before and one after a coordinate, the same where it is met.
struct Around {
  std::int64_t below = 0;
  std::int64_t above = 0;
};

Around indices_around(const Grid& grid, int axis, bool faces, double x) {
  const GridAxis& line = grid.axis(axis);
  const double rounding = 1e-9 * line.length();
  const auto place = [&](std::int64_t n) {
    return faces ? line.faces[static_cast<std::size_t>(n)] : line.centre(n);
  };
  std::int64_t below = 0;
  while (below + 1 < line.count() && place(below + 1) <= x + rounding) {
    ++below;
  }
  const bool met = std::abs(place(below) - x) <= rounding || line.count() == 1;
  return {below, met ? below : below + 1};
}

}  // namespace

TimedFlow::TimedFlow(Problem problem, const poisson::Sharing& sharing)
    : plan_(plan_with_some_end(std::move(problem), sharing)), integrator_(make_integrator(plan_)) {
  integrator_->load(InitialFlow(plan_.problem(), plan_.grid()));
}

void TimedFlow::step(double dt) {
  for (const Stage& stage : stages_of(problem().scheme, dt, dt_before_)) {
    integrator_->advance(stage);
  }
  dt_before_ = dt;
  time_ += dt;
}

void TimedFlow::advance_evenly(double duration, double longest) {
  const auto steps = static_cast<std::int64_t>(std::ceil(duration / longest));
  for (std::int64_t n = 0; n < steps; ++n) {
    step(duration / static_cast<double>(steps));
  }
}

void TimedFlow::advance(double duration) {
  integrator_->restart_clock();
  StepRule rule = step_rule(problem(), grid(), integrator_->diagnose());
  rule.end_time = duration;
  rule.steps = HUGE_VAL;
  integrator_->set_rule(rule);
  for (StepState now; now.time < duration;) {
    for (std::int64_t n = min_steps_to(rule, now, duration); n > 0; --n) {
      integrator_->step();
    }
    now = integrator_->progress();
  }
  dt_before_ = 0.0;
  time_ += duration;
}

bool settle(TimedFlow& flow, const Steadiness& steadiness,
            const std::function<double(const Diagnosis&)>& watched,
            const std::function<void(double)>& told) {
  double before = 0.0;
  int calm = 0;
  while (flow.time() < steadiness.longest) {
    flow.advance(steadiness.interval);
    const double now = watched(flow.integrator().diagnose());
    told(flow.time());
    calm = std::abs(now - before) <= steadiness.tolerance * std::abs(now) ? calm + 1 : 0;
    before = now;
    if (calm == 2 || !std::isfinite(now)) {
      return calm == 2;
    }
  }
  return false;
}

LineProfile velocity_profile(const Grid& grid, const FlowState& state, std::size_t component,
                             std::size_t along, const Vector& place) {
  const int field = grid.storage(static_cast<int>(component));
  const int line = grid.storage(static_cast<int>(along));
  std::array<Around, 3> around;
  for (const int axis : storage_axes) {
    const double x = place[static_cast<std::size_t>(grid.physical(axis))];
    around[static_cast<std::size_t>(axis)] = indices_around(grid, axis, axis == field, x);
  }
  const Extents n = grid.extents();
  const std::vector<double>& values = state.fields[static_cast<std::size_t>(field)];
  LineProfile profile;
  for (std::int64_t at = 0; at < grid.axis(line).count(); ++at) {
    around[static_cast<std::size_t>(line)] = {at, at};
    double sum = 0.0;
    for (const int corner : {0, 1, 2, 3, 4, 5, 6, 7}) {
      std::array<std::int64_t, 3> index{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        index[axis] = (corner >> axis) % 2 == 0 ? around[axis].below : around[axis].above;
      }
      sum += values[static_cast<std::size_t>((index[0] * n.nj + index[1]) * n.nk + index[2])];
    }
    const auto of_line = static_cast<std::size_t>(at);
    profile.places.push_back(line == field ? grid.axis(line).faces[of_line]
                                           : grid.axis(line).centre(at));
    profile.values.push_back(sum / 8.0);
  }
  return profile;
}

std::vector<double> shares_in_polynomial(std::span<const double> places, double x) {
  std::vector<double> shares(places.size(), 1.0);
  for (std::size_t n = 0; n < places.size(); ++n) {
    for (std::size_t m = 0; m < places.size(); ++m) {
      if (m != n) {
        shares[n] *= (x - places[m]) / (places[n] - places[m]);
      }
    }
  }
  return shares;
}

double max_along(const LineProfile& profile) {
  constexpr std::size_t points = 6;
  constexpr int samples = 400;
  const std::size_t count = profile.values.size();
  const auto top = std::max_element(profile.values.begin(), profile.values.end());
  if (count < points) {
    return *top;
  }
  const auto peak = static_cast<std::size_t>(std::distance(profile.values.begin(), top));
  const std::size_t first = std::min(peak < points / 2 ? 0 : peak - points / 2, count - points);
  const double from = profile.places[peak == 0 ? 0 : peak - 1];
  const double to = profile.places[std::min(peak + 1, count - 1)];
  double most = *top;
  for (int n = 0; n <= samples; ++n) {
    const double x = from + (to - from) * n / samples;
    most = std::max(most, interpolated(profile, first, points, x));
  }
  return most;
}

double min_along(LineProfile profile) {
  for (double& value : profile.values) {
    value = -value;
  }
  return -max_along(profile);
}

}  // namespace bankfull::convection
