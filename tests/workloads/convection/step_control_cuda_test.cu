#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/convection/step_control.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

struct Situation {
  StepRule rule;
  StepState last;
  FlowRates rates;
};

/// What follows from a situation.
struct Steps {
  StepState next;
  StepState planned;
  StepState after;  ///< by a clock that has taken the next one

  BANKFULL_HOST_DEVICE static Steps of(const Situation& from) {
    const StepState next = next_step(from.rule, from.last, from.rates);
    StepClock clock{from.rule, from.last, next, from.rates, from.rates};
    clock.noted.advection *= 0.7;
    clock.end_step();
    return {next, planned_step(from.rule, from.last), clock.next};
  }
};

struct TakeSteps {
  const Situation* from;
  Steps* steps;

  __device__ void operator()(std::int64_t, std::int64_t, std::int64_t n) const {
    steps[n] = Steps::of(from[n]);
  }
};

/// Numbers of a sequence, one after the other.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : seed_(seed) {}

  bool one_in(int count) { return symmetric() < 2.0 / count - 1.0; }
  /// Between 10^low and 10^high.
  double magnitude(double low, double high) {
    return std::pow(10.0, low + (high - low) * 0.5 * (symmetric() + 1.0));
  }
  /// The same, or 0 once in four times.
  double magnitude_or_none(double low, double high) {
    return one_in(4) ? 0.0 : magnitude(low, high);
  }

 private:
  double symmetric() { return random_symmetric(seed_, number_++); }

  std::uint64_t seed_;
  std::uint64_t number_ = 0;
};

StepRule drawn_rule(Draw& draw) {
  StepRule rule;
  rule.scheme = draw.one_in(2) ? TimeScheme::runge_kutta : TimeScheme::adams_bashforth;
  rule.implicit = draw.one_in(3);
  rule.planned = draw.one_in(2);
  rule.fixed = draw.one_in(5) ? draw.magnitude(-5, 0) : 0.0;
  rule.courant = draw.magnitude(-1, 0);
  rule.longest = draw.one_in(4) ? draw.magnitude(-4, 0) : HUGE_VAL;
  rule.at_rest = draw.one_in(4) ? draw.magnitude(-4, 0) : HUGE_VAL;
  rule.moved = draw.magnitude_or_none(-2, 2);
  rule.pushed = draw.magnitude_or_none(-2, 2);
  rule.end_time = draw.one_in(3) ? 1.0 + draw.magnitude(-6, 0) : HUGE_VAL;
  rule.steps = draw.one_in(2) ? HUGE_VAL : 1000.0;
  rule.turning = draw.magnitude_or_none(-2, 2);
  rule.fastest_diffusion = draw.magnitude_or_none(-1, 4);
  rule.implicit_decay = rule.implicit ? draw.magnitude(-1, 3) : 0.0;
  rule.slowest_diffusion = draw.magnitude_or_none(-3, 2);
  rule.min_diffusivity = draw.magnitude_or_none(-6, -2);
  rule.buoyancy_difference = draw.magnitude_or_none(-2, 2);
  return rule;
}

StepState drawn_state(Draw& draw) {
  StepState last;
  last.steps = draw.one_in(4) ? 0 : (draw.one_in(3) ? 1 : 7);
  if (last.steps > 0) {
    last.time = 1.0;
    last.dt = draw.magnitude(-4, -1);
    last.dt_before = draw.magnitude(-4, -1);
    last.rates = {draw.magnitude_or_none(-2, 3), draw.magnitude_or_none(-2, 3),
                  draw.magnitude_or_none(-2, 3)};
    last.largest_courant = draw.magnitude(-3, 1);
    last.largest_courant_at_end = draw.magnitude(-3, 1);
    last.gain = draw.magnitude_or_none(-2, 3);
    last.stable = draw.magnitude_or_none(-4, 0);
    last.min_margin = draw.magnitude(0, 2);
  }
  return last;
}

std::vector<Situation> situations() {
  std::vector<Situation> result;
  Draw draw(11);
  constexpr int random = 20000;
  for (int n = 0; n < random; ++n) {
    Situation from;
    from.rule = drawn_rule(draw);
    from.last = drawn_state(draw);
    from.rates = {draw.magnitude_or_none(-2, 3), draw.magnitude_or_none(-2, 3),
                  draw.one_in(2) ? draw.magnitude(-2, 3) : 0.0};
    result.push_back(from);
  }
  result.push_back({});  // at rest, without any limit
  result.push_back({.rates = {std::nan(""), 1.0, 0.0}});
  return result;
}

void expect_near(double found, double expected, const char* what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found)) << what;
  } else if (std::isinf(expected)) {
    EXPECT_EQ(found, expected) << what;
  } else {
    constexpr double rounding = 50.0 * std::numeric_limits<double>::epsilon();
    EXPECT_NEAR(found, expected, rounding * std::abs(expected)) << what;
  }
}

void expect_same_step(const StepState& found, const StepState& expected) {
  EXPECT_EQ(found.steps, expected.steps);
  EXPECT_EQ(to_string(found.limit), to_string(expected.limit));
  expect_near(found.time, expected.time, "time");
  expect_near(found.dt, expected.dt, "dt");
  expect_near(found.dt_before, expected.dt_before, "dt before");
  expect_near(found.pace, expected.pace, "pace");
  expect_near(found.weight, expected.weight, "weight");
  expect_near(found.rates.advection, expected.rates.advection, "rate of advection");
  expect_near(found.rates.buoyancy, expected.rates.buoyancy, "rate of buoyancy");
  expect_near(found.rates.exchange, expected.rates.exchange, "rate of exchange");
  expect_near(found.largest_courant, expected.largest_courant, "largest Courant number");
  expect_near(found.largest_courant_at_end, expected.largest_courant_at_end, "the same at ends");
  expect_near(found.min_margin, expected.min_margin, "least margin");
  expect_near(found.gain, expected.gain, "gain");
  expect_near(found.stable, expected.stable, "stable");
}

/// GPUs form ratios and roots without branches, to rounding.
TEST(StepControlOnGpu, ChoosesTheStepsOfTheHost) {
  const std::vector<Situation> from = situations();
  const Stream stream(Device::cuda(0));
  const Buffer<Situation> on_gpu(MemorySpace::device, from.size());
  const Buffer<Steps> steps(MemorySpace::device, from.size());
  copy_bytes(on_gpu.data(), from.data(), on_gpu.bytes(), stream);
  const Box row{0, 1, 0, 1, 0, static_cast<std::int64_t>(from.size())};
  for_each(stream, row, TakeSteps{on_gpu.data(), steps.data()});
  std::vector<Steps> found(from.size());
  copy_bytes(found.data(), steps.data(), steps.bytes(), stream);
  stream.synchronize();
  for (std::size_t n = 0; n < from.size() && !testing::Test::HasFailure(); ++n) {
    SCOPED_TRACE("situation " + std::to_string(n));
    const Steps expected = Steps::of(from[n]);
    expect_same_step(found[n].next, expected.next);
    expect_same_step(found[n].planned, expected.planned);
    expect_same_step(found[n].after, expected.after);
  }
}

}  // namespace
}  // namespace bankfull::convection
