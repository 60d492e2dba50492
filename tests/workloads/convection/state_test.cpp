#include "bankfull/workloads/convection/state.hpp"

#include "bankfull/core/base/error.hpp"
#include "tests/workloads/convection/kept_state.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull::convection {
namespace {

/// A structure as the numbers in it. Each gets one of its own, so that a member which is not saved
/// shows, one that is added later too.
template <class Structure>
using NumbersOf = std::array<double, sizeof(Structure) / sizeof(double)>;

template <class Structure>
Structure with_distinct_numbers(double first) {
  NumbersOf<Structure> numbers;
  for (double& number : numbers) {
    number = first;
    first += 0.25;
  }
  return std::bit_cast<Structure>(numbers);
}

template <class Structure>
NumbersOf<Structure> numbers_in(const Structure& structure) {
  return std::bit_cast<NumbersOf<Structure>>(structure);
}

/// Counts have no bits of their own in numbers: they are set apart.
StepState distinct_state() {
  auto state = with_distinct_numbers<StepState>(3.5);
  state.steps = 123456789;
  state.limit = StepLimit::growth;
  return state;
}

/// Padding is not compared.
NumbersOf<StepState> numbers_beside_limit(StepState state) {
  EXPECT_EQ(state.limit, StepLimit::growth);
  NumbersOf<StepState> numbers = numbers_in(state);
  numbers.at(offsetof(StepState, limit) / sizeof(double)) = 0.0;
  return numbers;
}

TEST(State, HasAllOfTheClock) {
  const StepClock clock{.rule = {},
                        .progress = distinct_state(),
                        .next = {},
                        .of_flow = with_distinct_numbers<FlowRates>(101.0),
                        .noted = with_distinct_numbers<FlowRates>(201.0)};
  KeptState kept;
  save(clock, kept);
  const StepClock found = saved_clock(kept);
  EXPECT_EQ(numbers_beside_limit(found.progress), numbers_beside_limit(clock.progress));
  EXPECT_EQ(numbers_in(found.of_flow), numbers_in(clock.of_flow));
  EXPECT_EQ(numbers_in(found.noted), numbers_in(clock.noted));
}

/// They have no numbers that the next step could be planned by.
TEST(State, ReadsClocksOfOlderPrograms) {
  const StepClock clock{.progress = distinct_state(),
                        .of_flow = with_distinct_numbers<FlowRates>(101.0),
                        .noted = with_distinct_numbers<FlowRates>(201.0)};
  KeptState kept;
  save(clock, kept);
  std::vector<double> numbers = kept.numbers("clock/progress");
  numbers.resize(numbers.size() - 2);
  kept.numbers("clock/progress", numbers);
  const StepClock found = saved_clock(kept);
  StepState expected = clock.progress;
  expected.gain = 0.0;
  expected.stable = 0.0;
  EXPECT_EQ(numbers_beside_limit(found.progress), numbers_beside_limit(expected));
  EXPECT_EQ(numbers_in(found.noted), numbers_in(clock.noted));
}

TEST(State, RefusesAClockThatIsNone) {
  KeptState kept;
  save(StepClock{}, kept);
  for (const std::vector<std::int64_t>& counts :
       std::vector<std::vector<std::int64_t>>{{}, {1}, {-1, 0}, {1, -1}, {1, 1000}, {1, 2, 3}}) {
    KeptState other = kept;
    other.counts("clock/steps", counts);
    EXPECT_THROW(saved_clock(other), RuntimeFailure);
  }
  KeptState other = kept;
  other.numbers("clock/progress", {1.0, 2.0});
  EXPECT_THROW(saved_clock(other), RuntimeFailure);
}

TEST(State, HasAllOfADiagnosis) {
  constexpr std::size_t beside =
      (sizeof(Diagnosis) - sizeof(std::vector<Diagnosis::OfScalar>)) / sizeof(double);
  Diagnosis flow;
  flow.scalars = {with_distinct_numbers<Diagnosis::OfScalar>(11.0),
                  with_distinct_numbers<Diagnosis::OfScalar>(111.0)};
  flow.courant_rate = 0.5;
  flow.force_work = -0.25;
  PackedNumbers numbers;
  numbers.add(flow);
  EXPECT_EQ(numbers.values().size(),
            1 + beside + 2 * std::tuple_size_v<NumbersOf<Diagnosis::OfScalar>>);
  const Diagnosis found = numbers.take_diagnosis();
  EXPECT_TRUE(numbers.at_end());
  ASSERT_EQ(found.scalars.size(), flow.scalars.size());
  for (std::size_t s = 0; s < flow.scalars.size(); ++s) {
    EXPECT_EQ(numbers_in(found.scalars[s]), numbers_in(flow.scalars[s]));
  }
  EXPECT_EQ(found.courant_rate, flow.courant_rate);
  EXPECT_EQ(found.force_work, flow.force_work);
}

}  // namespace
}  // namespace bankfull::convection
