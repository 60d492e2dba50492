#include "bankfull/workloads/convection/plan.hpp"

#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/memory/capacity.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/pressure.hpp"
#include "bankfull/workloads/convection/scheme.hpp"

#include <fmt/format.h>
#include <utility>

namespace bankfull::convection {
namespace {

Problem validated(Problem problem) {
  problem.validate();
  return problem;
}

template <class Real>
std::int64_t tuned_field_bytes(const Plan& plan) {
  const Layout layout(plan.grid().extents(), 1, sizeof(Real));
  const int sets = has_sources(plan.problem()) ? 4 : 3;  // the flow twice, and its tendencies
  return field_set_bytes<Real>(layout, sets * plan.fields());
}

std::int64_t integrator_bytes(const Plan& plan) {
  if (plan.problem().schedule == Schedule::reference) {
    return reference_integrator_bytes(plan);
  }
  const bool single = plan.problem().precision == Precision::fp32;
  return (single ? tuned_field_bytes<float>(plan) : tuned_field_bytes<double>(plan)) +
         pressure_bytes(plan);
}

}  // namespace

Plan::Plan(Problem problem)
    : problem_(validated(std::move(problem))),
      grid_(problem_.axes),
      solver_(chosen_solver(problem_, grid_)),
      stages_(static_cast<int>(stages_of(problem_.scheme, 1.0, 1.0).size())),
      ghosts_(continuations_of(problem_, grid_)),
      device_bytes_(integrator_bytes(*this)) {}

std::int64_t Plan::state_bytes() const {
  return problem_.cells() * fields() * static_cast<std::int64_t>(sizeof(double));
}

void Plan::require_memory() const {
  const std::string what = fmt::format("a flow on {} x {} x {} cells", problem_.axes[0].cells,
                                       problem_.axes[1].cells, problem_.axes[2].cells);
  const std::string remedy = "use fewer cells, --set cells=..., or --set precision=fp32";
  if (!problem_.device.is_cuda()) {
    require_capacity(problem_.device, device_bytes() + state_bytes(), what, remedy);
    return;
  }
  require_capacity(problem_.device, device_bytes(), what, remedy);
  require_capacity(Device::cpu(), state_bytes(), "the initial state of " + what, remedy);
}

}  // namespace bankfull::convection
