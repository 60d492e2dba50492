#include "bankfull/workloads/convection/step_control.hpp"

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/base/nan.hpp"
#include "bankfull/core/comm/communicator.hpp"

#include <algorithm>

namespace bankfull::convection {
namespace {

constexpr auto limit_names = enum_names<StepLimit>({{StepLimit::given, "given"},
                                                    {StepLimit::courant, "courant"},
                                                    {StepLimit::diffusion, "diffusion"},
                                                    {StepLimit::waves, "waves"},
                                                    {StepLimit::bounds, "bounds"},
                                                    {StepLimit::forces, "forces"},
                                                    {StepLimit::growth, "growth"},
                                                    {StepLimit::longest, "longest"},
                                                    {StepLimit::end, "end"}});

}  // namespace

std::string to_string(StepLimit limit) { return limit_names.to_string(limit); }

FlowRates largest_of_ranks(const Communicator* ranks, const FlowRates& mine) {
  if (ranks == nullptr) {
    return mine;
  }
  FlowRates found = mine;
  for (const FlowRates& of_rank : ranks->all_gather(mine)) {
    found.advection = larger_or_nan(found.advection, of_rank.advection);
    found.buoyancy = larger_or_nan(found.buoyancy, of_rank.buoyancy);
    found.exchange = larger_or_nan(found.exchange, of_rank.exchange);
  }
  return found;
}

std::int64_t min_steps_to(const StepRule& rule, const StepState& progress, double time) {
  const double left = time - progress.time;
  if (progress.steps == 0 || left <= progress.dt) {
    return 1;
  }
  if (rule.fixed > 0.0) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(left / rule.fixed));
  }
  // dt (g + g^2 + ... + g^n) >= left
  const double sum = left / progress.dt / max_growth;
  const double steps = std::log1p(sum * (max_growth - 1.0)) / std::log(max_growth);
  constexpr double many = 1e9;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(many, steps)));
}

}  // namespace bankfull::convection
