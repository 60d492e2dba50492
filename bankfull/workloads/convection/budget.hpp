#pragma once

#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/state.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace bankfull::convection {

/// Steps over which budgets are closed in time.
inline constexpr std::int64_t steps_of_budgets = 2;

/// What the discretisation in time adds to the kinetic energy (velocity^2 / time) and to T^2 / 2 of
/// each scalar (scalar^2 / time), on average over two steps; less than zero where it takes. The
/// discretisation in space adds nothing, but that of bounded scalars: what keeps these within their
/// bounds takes from their variance.
struct TimeSchemeBudget {
  double energy = 0.0;
  std::vector<double> scalars;
  std::vector<double> numerical_dissipation;  ///< of each scalar; 0 of those that are not bounded
};

/// Weights of the values at the beginning, in between and at the end of two steps in the mean of
/// the parabola through them: Simpson's rule for steps of any length.
std::array<double, 3> weights_of_mean(double first_step, double second_step);

/// The flow at the ends of the last two steps, by which the budgets are closed in time:
///
///   (E(end) - E(beginning)) / duration - mean of the terms of dE/dt.
///
/// The mean is by the parabola through the terms, whose error for equal steps is of fourth order.
/// So what is left is the time scheme's, of second order in the step for Adams-Bashforth and of
/// third for Runge-Kutta; the mean of both ends of one step would err by second order itself.
class BudgetHistory {
 public:
  /// To be called in the order of the steps; those before one that was left out are forgotten.
  void add(std::int64_t step, double time, const Diagnosis& flow);

  /// For a run that continues later.
  void save(PackedNumbers& to) const;
  void restore(PackedNumbers& from);

  /// Nothing where the two steps before the last call's were not all added.
  [[nodiscard]] std::optional<TimeSchemeBudget> time_scheme() const;

  /// What the same two steps add to anything else that a flow keeps, beside the rate that the
  /// equations give it, for each time.
  using OfFlow = std::function<double(const Diagnosis& flow)>;
  [[nodiscard]] std::optional<double> leftover(const OfFlow& kept, const OfFlow& rate) const;

 private:
  struct Moment {
    double time = 0.0;
    Diagnosis flow;
  };

  /// Whether the last two steps are known.
  [[nodiscard]] bool is_whole() const { return moments_.size() == 3; }
  [[nodiscard]] double left(const OfFlow& kept, const OfFlow& rate) const;

  std::int64_t step_ = 0;
  std::vector<Moment> moments_;  ///< up to three, the latest last
};

}  // namespace bankfull::convection
