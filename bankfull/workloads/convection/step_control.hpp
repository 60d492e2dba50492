#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/base/reciprocal.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <cmath>
#include <cstdint>
#include <string>

namespace bankfull {
class Communicator;
}

namespace bankfull::convection {

/// What made a step as long as it was.
enum class StepLimit : int {
  given,      ///< the case fixes it
  courant,    ///< the Courant number asked for
  diffusion,  ///< stability, mostly of diffusion
  waves,      ///< stability, mostly of what is carried, turned and stratified
  bounds,     ///< that scalars with bounded advection stay within them
  forces,     ///< what forces and moving walls do to a fluid at rest
  growth,     ///< the step before
  longest,    ///< the longest that the case lets pass
  end,        ///< the end of the run
};

std::string to_string(StepLimit limit);

/// How fast a flow changes, largest values over the box.
struct FlowRates {
  double advection = 0.0;  ///< sum of |u| / h over the axes, see advective_rate
  double buoyancy = 0.0;   ///< squared frequency of internal waves, see buoyancy_rate
  double exchange = 0.0;   ///< of bounded scalars, see exchange_rate; 0: there are none
};

/// The largest rates over all ranks, NaN if any rank has one: all choose the same step. Collective
/// over `ranks`, which are null where there is one only.
FlowRates largest_of_ranks(const Communicator* ranks, const FlowRates& mine);

/// From what the length of a step follows, beside the flow. Rates are 1 / time; a limit that a case
/// does not have is infinite.
struct StepRule {
  TimeScheme scheme = TimeScheme::adams_bashforth;
  bool implicit = false;  ///< diffusion is so along some axes
  bool planned = false;   ///< steps are chosen one step ahead; see next_step
  double fixed = 0.0;     ///< length of all steps; 0: they are chosen
  double courant = 0.0;   ///< the largest Courant number
  double longest = HUGE_VAL;
  double at_rest = HUGE_VAL;  ///< limit by forces and moving walls
  double moved = 0.0;         ///< rate of advection that moving walls make of a fluid at rest
  double pushed = 0.0;        ///< by which forces raise it in each unit of time

  double end_time = HUGE_VAL;
  double steps = HUGE_VAL;  ///< that the run is long

  double turning = 0.0;              ///< 2 |Omega|
  double fastest_diffusion = 0.0;    ///< largest eigenvalue of diffusion along explicit axes
  double implicit_decay = 0.0;       ///< of the mode as long as the shortest implicit axis
  double slowest_diffusion = 0.0;    ///< the same of the least diffusive quantity along one axis
  double min_diffusivity = 0.0;      ///< length^2 / time
  double buoyancy_difference = 0.0;  ///< acceleration by the whole range of all scalars
};

/// Where a run is.
struct StepState {
  std::int64_t steps = 0;
  double time = 0.0;
  double dt = 0.0;         ///< of the last step; 0: there was none
  double dt_before = 0.0;  ///< of the step before that
  double pace = 0.0;       ///< the longer of both: the last step of a run may be next to nothing
  double weight = 0.0;     ///< of a divergence: see weight_of_divergence
  StepLimit limit = StepLimit::given;
  FlowRates rates;  ///< of the flow that the last step started from; the largest between the
                    ///< stages of the step before count too
  double largest_courant = 0.0;         ///< of all steps: dt times the rate of advection
  double largest_courant_at_end = 0.0;  ///< the same with the rate that a step came to
  double min_margin = HUGE_VAL;         ///< of all steps: the longest stable step over dt
  double gain = 0.0;    ///< of the rate of advection in each unit of time, in the step before
  double stable = 0.0;  ///< the longest stable step by `rates`; 0: unknown
};

namespace detail {

/// The longest step and its reason, of several limits.
struct Shortest {
  double dt = HUGE_VAL;
  StepLimit limit = StepLimit::given;

  BANKFULL_HOST_DEVICE void take(double candidate, StepLimit reason) {
    if (candidate < dt) {
      dt = candidate;
      limit = reason;
    }
  }
};

BANKFULL_HOST_DEVICE inline double fourth_power(double x) { return x * x * x * x; }

/// Part of the largest stable step that is taken.
inline constexpr double stability_margin = 0.9;

/// The same of a step that was planned when the flow was slower.
inline constexpr double stability_margin_of_planned = 0.95;

/// By how much more than it has gained a flow is planned to be faster one step later, relatively.
inline constexpr double margin_of_plan = 0.005;

/// By how much undamped waves may grow in a whole run under Adams-Bashforth 2, relatively: with
/// steps that are chosen, and before a run with fixed steps is no longer called stable.
inline constexpr double growth_by_chosen_steps = 1e-3;
inline constexpr double growth_by_fixed_steps = 1e-2;

/// Half axes of an ellipse around 0 within which a scheme damps exp(z t / dt), as
/// (Re z / diffusion)^2 + (Im z / waves)^2 <= 1: a wave may be carried along one axis and
/// diffused along another, so any Re z goes with any Im z. Of Adams-Bashforth 2 the part with
/// little diffusion is left to `longest_without_growth`.
///
/// Implicit diffusion along further axes, of any strength and factored, leaves all of the ellipse
/// of Adams-Bashforth 2 stable. Of Runge-Kutta 3, whose first two stages go beyond that step's
/// share of the decay, it takes the end of the real axis: 2.415.
struct StabilityEllipse {
  double waves;
  double diffusion;
};

BANKFULL_HOST_DEVICE inline StabilityEllipse stability_ellipse(TimeScheme scheme,
                                                               bool implicit = false) {
  return scheme == TimeScheme::runge_kutta ? StabilityEllipse{1.73, implicit ? 2.41 : 2.51}
                                           : StabilityEllipse{0.85, 1.0};
}

/// The longest stage of a scheme, over the step. The first: rates of the flow that it starts from
/// are known. Later ones of Runge-Kutta 3 are shorter by a third and more.
BANKFULL_HOST_DEVICE inline double longest_stage(TimeScheme scheme) {
  return scheme == TimeScheme::runge_kutta ? 8.0 / 15.0 : 1.0;
}

/// Adams-Bashforth 2 amplifies an oscillation of frequency w by w^4 dt^3 / 4 each unit of time.
/// That must not be more than what diffusion takes from the wave, or than `allowed` (1 / time).
///
/// - A wave along an axis of angle t a cell has a frequency of at most `waves` sin t and a decay of
///   at least `slowest_diffusion` D sin^2(t / 2): for all t that is dt^3 <= 1.69 D / w^4 for small
///   w dt. With the margin 1.3 covers all orders up to w dt = 0.75, beyond which the ellipse ends;
///   0.8 does where the damping is by implicit diffusion, which damps strong waves less.
/// - Inertial oscillations may be as large as the box, and not be damped at all.
/// - Internal waves of wave number k have frequencies below sqrt(k times the difference of
///   buoyancy), so w^4 grows as k^2, as their decay does.
BANKFULL_HOST_DEVICE inline double longest_without_growth(const StepRule& rule, double waves,
                                                          double buoyancy, double allowed) {
  const double damped = rule.implicit ? 0.8 : 1.3;
  const double carried =
      ratio(damped * rule.slowest_diffusion + 4.0 * allowed, fourth_power(waves));
  const double turned = ratio(4.0 * allowed, fourth_power(rule.turning));
  const double range = rule.buoyancy_difference;
  const double stratified =
      4.0 * (ratio(rule.min_diffusivity, range * range) + ratio(allowed, buoyancy * buoyancy));
  return std::cbrt(std::fmin(carried, std::fmin(turned, stratified)));
}

/// The longest step for which a scheme is stable, and keeps bounded scalars within their bounds,
/// without a margin.
BANKFULL_HOST_DEVICE inline Shortest longest_stable_step(const StepRule& rule,
                                                         const FlowRates& rates) {
  const double waves = rates.advection + std::fmax(rule.turning, root(rates.buoyancy));
  const StabilityEllipse ellipse = stability_ellipse(rule.scheme, rule.implicit);
  const double by_waves = waves * (1.0 / ellipse.waves);
  const double by_diffusion = rule.fastest_diffusion * (1.0 / ellipse.diffusion);
  Shortest stable;
  const double squared = by_waves * by_waves + by_diffusion * by_diffusion;
  stable.take(squared > 0.0 ? reciprocal_root(squared) : HUGE_VAL,
              by_diffusion > by_waves ? StepLimit::diffusion : StepLimit::waves);
  if (rule.scheme == TimeScheme::adams_bashforth) {
    const double run = std::fmin(rule.end_time, rule.steps * stable.dt);
    const double growth = rule.fixed > 0.0 ? growth_by_fixed_steps : growth_by_chosen_steps;
    stable.take(longest_without_growth(rule, waves, rates.buoyancy, ratio(growth, run)),
                StepLimit::waves);
  }
  if (rates.exchange > 0.0) {
    stable.take(ratio(1.0, longest_stage(rule.scheme) * rates.exchange), StepLimit::bounds);
  }
  return stable;
}

/// By how much a flow has gained speed since the last step began, for each unit of time.
BANKFULL_HOST_DEVICE inline double gain_since(const StepState& last, double rate) {
  const double gained = last.steps > 0 ? rate - last.rates.advection : 0.0;
  return gained > 0.0 ? ratio(gained, last.dt) : 0.0;
}

/// The longest step with the Courant number asked for, at its end too if the flow keeps gaining
/// speed: dt (rate + dt gain) = Courant number.
BANKFULL_HOST_DEVICE inline double longest_by_courant(double courant, double rate, double gain) {
  return ratio(2.0 * courant, rate + root(rate * rate + 4.0 * gain * courant));
}

/// Implicit diffusion is stable at any step, but accurate no longer where that spans what happens
/// to the whole box: a step may take this part of the time that diffusion needs across it.
inline constexpr double part_of_decay = 0.1;

}  // namespace detail

/// By how much a chosen step may be longer than the one before.
inline constexpr double max_growth = 1.1;

/// What multigrid may leave of the divergence over a step is a part of what slower flows are, so
/// that they are solved for as well: below this Courant number it falls with that.
inline constexpr double slow_courant = 0.1;

/// By what multigrid multiplies a divergence before it is compared with what may be left: the pace
/// of the step, and more where the flow, and what walls and forces make of it, is slow.
BANKFULL_HOST_DEVICE inline double weight_of_divergence(const StepRule& rule, double pace,
                                                        double advection) {
  constexpr double least = 1e-100;  // a fluid at rest
  const double courant = pace * std::fmax(advection, rule.moved + pace * rule.pushed);
  constexpr double per_slow = 1.0 / slow_courant;
  return ratio(pace, std::fmin(1.0, std::fmax(least, courant * per_slow)));
}

namespace detail {

/// What limits a step whatever the flow is.
BANKFULL_HOST_DEVICE inline void limit_of_any_flow(const StepRule& rule, const StepState& last,
                                                   Shortest& chosen) {
  chosen.take(ratio(part_of_decay, rule.implicit_decay), StepLimit::diffusion);
  chosen.take(rule.at_rest, StepLimit::forces);
  chosen.take(rule.longest, StepLimit::longest);
  if (last.steps > 0) {
    chosen.take(max_growth * last.dt, StepLimit::growth);
  }
}

/// Of the step after one, by the flow that this one starts from: it has come to be as fast as its
/// gain makes it, and goes on so. `limit`: what stability has.
BANKFULL_HOST_DEVICE inline Shortest planned_length(const StepRule& rule, const StepState& last,
                                                    StepLimit limit) {
  const double rate = (1.0 + margin_of_plan) * last.rates.advection + last.dt * last.gain;
  Shortest chosen;
  chosen.take(longest_by_courant(rule.courant, rate, last.gain), StepLimit::courant);
  chosen.take(stability_margin * last.stable, limit);
  limit_of_any_flow(rule, last, chosen);
  return chosen;
}

/// The first steps have nothing to plan by.
BANKFULL_HOST_DEVICE inline bool has_plan(const StepRule& rule, const StepState& last) {
  return rule.planned && last.steps > 1 && last.stable > 0.0;
}

BANKFULL_HOST_DEVICE inline Shortest chosen_length(const StepRule& rule, const StepState& last,
                                                   const FlowRates& rates, const Shortest& stable) {
  Shortest chosen;
  if (rule.fixed > 0.0) {
    chosen.take(rule.fixed, StepLimit::given);
  } else if (has_plan(rule, last)) {
    chosen = planned_length(rule, last, stable.limit);
    chosen.take(ratio(rule.courant, rates.advection), StepLimit::courant);
    chosen.take(stability_margin_of_planned * stable.dt, stable.limit);
  } else {
    const double gain = gain_since(last, rates.advection);
    chosen.take(longest_by_courant(rule.courant, rates.advection, gain), StepLimit::courant);
    chosen.take(stability_margin * stable.dt, stable.limit);
    limit_of_any_flow(rule, last, chosen);
  }
  return chosen;
}

/// The step of a length, or to the end of the run, but for what depends on the flow.
BANKFULL_HOST_DEVICE inline StepState step_of_length(const StepRule& rule, const StepState& last,
                                                     const Shortest& chosen) {
  constexpr double with_rounding = 1.0 + 1e-6;  // the last step takes what rounding has left too
  const double left = rule.end_time - last.time;
  const bool ends = left <= with_rounding * chosen.dt;
  StepState next = last;
  next.dt_before = last.dt;
  next.dt = ends ? left : chosen.dt;
  next.pace = std::fmax(next.dt, next.dt_before);
  next.limit = ends ? StepLimit::end : chosen.limit;
  next.time = ends ? rule.end_time : last.time + next.dt;
  next.steps = last.steps + 1;
  return next;
}

}  // namespace detail

/// The step to take from a flow of these rates, and where it leads. A chosen step is the longest
/// that has the Courant number asked for, is stable with a margin, does not span what implicit
/// diffusion does to the whole box, and is at most a tenth longer than the one before; the last one
/// ends the run.
///
/// A planned step is one chosen so by the flow that the step before it starts from: its length is
/// known before the flow is that it starts from. By this one it is shortened where it would pass
/// the Courant number, or a narrower margin of stability.
BANKFULL_HOST_DEVICE inline StepState next_step(const StepRule& rule, const StepState& last,
                                                const FlowRates& rates) {
  const detail::Shortest stable = detail::longest_stable_step(rule, rates);
  StepState next =
      detail::step_of_length(rule, last, detail::chosen_length(rule, last, rates, stable));
  next.weight = weight_of_divergence(rule, next.pace, rates.advection);
  next.rates = rates;
  next.largest_courant = std::fmax(last.largest_courant, next.dt * rates.advection);
  next.min_margin = std::fmin(last.min_margin, ratio(stable.dt, next.dt));
  next.gain = detail::gain_since(last, rates.advection);
  next.stable = stable.dt;
  return next;
}

/// How far next_step will lead, and where to, unless the flow turns out so fast that it shortens
/// the step.
BANKFULL_HOST_DEVICE inline StepState planned_step(const StepRule& rule, const StepState& last) {
  detail::Shortest chosen;
  if (rule.fixed > 0.0) {
    chosen.take(rule.fixed, StepLimit::given);
  } else {
    chosen = detail::planned_length(rule, last, StepLimit::waves);
  }
  return detail::step_of_length(rule, last, chosen);
}

/// Notes what a step came to: by the largest rates in it, and of the flow that it left.
BANKFULL_HOST_DEVICE inline void note_end_of_step(StepState& progress, const FlowRates& rates) {
  progress.largest_courant_at_end =
      std::fmax(progress.largest_courant_at_end, progress.dt * rates.advection);
}

/// The clock of a schedule that chooses a step when the one before it ends, beside other work.
struct StepClock {
  StepRule rule;
  StepState progress;  ///< of the steps taken
  StepState next;      ///< the step to come
  FlowRates of_flow;   ///< by which it is chosen
  FlowRates noted;     ///< largest since `of_flow` was formed

  /// Chooses the step to come, by what has been noted of the flow since the last choice too.
  BANKFULL_HOST_DEVICE void choose() {
    of_flow = {larger_rate(of_flow.advection, noted.advection),
               larger_rate(of_flow.buoyancy, noted.buoyancy),
               larger_rate(of_flow.exchange, noted.exchange)};
    noted = {};
    next = next_step(rule, progress, of_flow);
  }

  /// The chosen step has been taken; chooses the one after it.
  BANKFULL_HOST_DEVICE void end_step() {
    progress = next;
    note_end_of_step(progress, noted);
    of_flow = {};
    choose();
  }

 private:
  /// NaN wins, as everywhere where rates are formed.
  BANKFULL_HOST_DEVICE static double larger_rate(double a, double b) {
    return a > b || std::isnan(a) ? a : b;
  }
};

/// The least number of steps, 1 at least, that can lead to a time.
std::int64_t min_steps_to(const StepRule& rule, const StepState& progress, double time);

}  // namespace bankfull::convection
