#include "bankfull/workloads/convection/end_of_run.hpp"

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/convection/budget.hpp"

#include <bit>
#include <limits>
#include <vector>

namespace bankfull::convection {
namespace {

constexpr auto run_end_names = enum_names<RunEnd>({{RunEnd::steps, "steps"},
                                                   {RunEnd::time, "time"},
                                                   {RunEnd::steady, "steady"},
                                                   {RunEnd::converged, "converged"},
                                                   {RunEnd::interruption, "interruption"}});

constexpr const char* name_of_decision = "run/end";
constexpr const char* name_of_bounds = "run/until";

/// All that was noted is gone through again each time: of long runs not at every check.
bool is_time_to_judge(std::int64_t checks) {
  constexpr int of_each_doubling = 6;  // 64 times
  const auto every = std::bit_floor(static_cast<std::uint64_t>(checks)) >> of_each_doubling;
  return every == 0 || static_cast<std::uint64_t>(checks) % every == 0;
}

std::vector<double> numbers_of(const Until& until) {
  return {until.steady, until.converged, until.window};
}

}  // namespace

std::string to_string(RunEnd end) { return run_end_names.to_string(end); }

void EarlyEnd::judge(std::int64_t step, std::int64_t checks, const NusseltWindow& nusselt) {
  if (decision_ || !until_.any() || !is_time_to_judge(checks)) {
    return;
  }
  const std::optional<double> drift = nusselt.drift(until_.window);
  if (until_.steady > 0.0 && drift && *drift <= until_.steady) {
    decision_ = {step + steps_of_budgets, RunEnd::steady};
    return;
  }
  const std::optional<NusseltAverages> averages = nusselt.averages();
  if (until_.converged > 0.0 && averages && averages->error &&
      averages->to - averages->from >= until_.window && *averages->error <= until_.converged) {
    decision_ = {step + steps_of_budgets, RunEnd::converged};
  }
}

std::int64_t EarlyEnd::last_step() const {
  return decision_ ? decision_->last_step : std::numeric_limits<std::int64_t>::max();
}

std::optional<RunEnd> EarlyEnd::reason() const {
  return decision_ ? std::optional(decision_->reason) : std::nullopt;
}

void EarlyEnd::save(StateWriter& to) const {
  to.numbers(name_of_bounds, numbers_of(until_));
  to.counts(name_of_decision,
            decision_ ? std::vector<std::int64_t>{decision_->last_step,
                                                  static_cast<std::int64_t>(decision_->reason)}
                      : std::vector<std::int64_t>{0, 0});
}

void EarlyEnd::restore(const StateReader& from) {
  decision_.reset();
  const std::vector<std::int64_t> saved = from.counts(name_of_decision);
  if (saved.size() != 2) {
    throw RuntimeFailure("the state of the run does not record whether it has ended");
  }
  if (saved[0] > 0 && from.numbers(name_of_bounds) == numbers_of(until_)) {
    decision_ = {saved[0], saved[1] == static_cast<std::int64_t>(RunEnd::steady)
                               ? RunEnd::steady
                               : RunEnd::converged};
  }
}

bool has_ended(const Problem& problem, const StateReader& saved) {
  const StepState now = saved_clock(saved).progress;
  EarlyEnd early(problem);
  early.restore(saved);
  return (problem.steps > 0 && now.steps >= problem.steps) ||
         (problem.end_time > 0.0 && now.time >= problem.end_time) || now.steps >= early.last_step();
}

}  // namespace bankfull::convection
