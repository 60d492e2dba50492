#include "bankfull/workloads/convection/budget.hpp"

namespace bankfull::convection {

std::array<double, 3> weights_of_mean(double first_step, double second_step) {
  const double both = first_step + second_step;
  return {(2.0 - second_step / first_step) / 6.0, both * both / (6.0 * first_step * second_step),
          (2.0 - first_step / second_step) / 6.0};
}

void BudgetHistory::add(std::int64_t step, double time, const Diagnosis& flow) {
  if (!moments_.empty() && step != step_ + 1) {
    moments_.clear();
  }
  if (moments_.size() == 3) {
    moments_.erase(moments_.begin());
  }
  moments_.push_back({time, flow});
  step_ = step;
}

void BudgetHistory::save(PackedNumbers& to) const {
  to.add(static_cast<double>(step_));
  to.add(static_cast<double>(moments_.size()));
  for (const auto& [time, flow] : moments_) {
    to.add(time);
    to.add(flow);
  }
}

void BudgetHistory::restore(PackedNumbers& from) {
  step_ = static_cast<std::int64_t>(from.take());
  moments_.clear();
  for (double left = from.take(); left > 0.0; --left) {
    const double time = from.take();
    moments_.push_back({time, from.take_diagnosis()});
  }
}

double BudgetHistory::left(const OfFlow& kept, const OfFlow& rate) const {
  const Moment& first = moments_[0];
  const Moment& middle = moments_[1];
  const Moment& last = moments_[2];
  const std::array<double, 3> weights =
      weights_of_mean(middle.time - first.time, last.time - middle.time);
  return (kept(last.flow) - kept(first.flow)) / (last.time - first.time) -
         (weights[0] * rate(first.flow) + weights[1] * rate(middle.flow) +
          weights[2] * rate(last.flow));
}

std::optional<double> BudgetHistory::leftover(const OfFlow& kept, const OfFlow& rate) const {
  return is_whole() ? std::optional(left(kept, rate)) : std::nullopt;
}

std::optional<TimeSchemeBudget> BudgetHistory::time_scheme() const {
  if (!is_whole()) {
    return std::nullopt;
  }
  const Moment& first = moments_.front();
  const Moment& last = moments_.back();
  TimeSchemeBudget found;
  found.energy = left([](const Diagnosis& flow) { return flow.kinetic_energy; },
                      [](const Diagnosis& flow) { return flow.energy_rate(); });
  for (std::size_t s = 0; s < last.flow.scalars.size(); ++s) {
    // T^2 = (T - r)^2 + 2 r (T - r) + r^2: the last does not change, nor need it be there.
    const double of_square = left(
        [s](const Diagnosis& flow) {
          const Diagnosis::OfScalar& scalar = flow.scalars[s];
          return 0.5 * scalar.less_reference.mean_square - scalar.corrected_variance;
        },
        [s](const Diagnosis& flow) {
          const Diagnosis::OfScalar& scalar = flow.scalars[s];
          return scalar.less_reference.wall_production + scalar.less_reference.source_production -
                 scalar.dissipation;
        });
    const double of_mean =
        left([s](const Diagnosis& flow) { return flow.scalars[s].less_reference.mean; },
             [s](const Diagnosis& flow) { return flow.scalars[s].supply; });
    found.scalars.push_back(of_square + last.flow.scalars[s].reference * of_mean);
    found.numerical_dissipation.push_back(
        (first.flow.scalars[s].corrected_variance - last.flow.scalars[s].corrected_variance) /
        (last.time - first.time));
  }
  return found;
}

}  // namespace bankfull::convection
