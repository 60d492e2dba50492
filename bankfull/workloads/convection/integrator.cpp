#include "bankfull/workloads/convection/integrator.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/memory/capacity.hpp"
#include "bankfull/workloads/convection/cpu_integrator.hpp"
#include "bankfull/workloads/convection/cuda_integrator.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/pressure.hpp"
#include "bankfull/workloads/convection/reference_integrator.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::convection {
namespace {

bool has_sources(const Problem& problem) {
  const auto given = [](const PointFunction& function) { return static_cast<bool>(function); };
  return std::any_of(problem.force.begin(), problem.force.end(), given) ||
         std::any_of(problem.scalars.begin(), problem.scalars.end(),
                     [&](const Scalar& scalar) { return given(scalar.source); });
}

template <class Real>
std::int64_t tuned_bytes(const Problem& problem) {
  const Grid grid(problem.axes);
  const Layout layout(grid.extents(), 1, sizeof(Real));
  const int count = 3 + static_cast<int>(problem.scalars.size());
  const int sets = has_sources(problem) ? 4 : 3;  // the flow twice, and its tendencies
  return field_set_bytes<Real>(layout, sets * count) + pressure_bytes(problem, grid);
}

template <class Real>
std::unique_ptr<Integrator> make_tuned(const Problem& problem) {
  if constexpr (build::cuda) {
    if (problem.device.is_cuda()) {
      return make_cuda_integrator<Real>(problem);
    }
  }
  return make_cpu_integrator<Real>(problem);
}

}  // namespace

std::int64_t integrator_bytes(const Problem& problem) {
  if (problem.schedule == Schedule::reference) {
    return reference_integrator_bytes(problem);
  }
  return problem.precision == Precision::fp32 ? tuned_bytes<float>(problem)
                                              : tuned_bytes<double>(problem);
}

std::int64_t state_bytes(const Problem& problem) {
  const auto fields = 3 + static_cast<std::int64_t>(problem.scalars.size());
  return problem.cells() * fields * static_cast<std::int64_t>(sizeof(double));
}

void require_memory(const Problem& problem) {
  const std::string what = fmt::format("a flow on {} x {} x {} cells", problem.axes[0].cells,
                                       problem.axes[1].cells, problem.axes[2].cells);
  const std::string remedy = "use fewer cells, --set cells=..., or --set precision=fp32";
  const std::int64_t bytes = integrator_bytes(problem);
  if (!problem.device.is_cuda()) {
    require_capacity(problem.device, bytes + state_bytes(problem), what, remedy);
    return;
  }
  require_capacity(problem.device, bytes, what, remedy);
  require_capacity(Device::cpu(), state_bytes(problem), "the initial state of " + what, remedy);
}

std::unique_ptr<Integrator> make_integrator(const Problem& problem) {
  problem.validate();
  require_memory(problem);
  if (problem.schedule == Schedule::reference) {
    return make_reference_integrator(problem);
  }
  return problem.precision == Precision::fp32 ? make_tuned<float>(problem)
                                              : make_tuned<double>(problem);
}

}  // namespace bankfull::convection
