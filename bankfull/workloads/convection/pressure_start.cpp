#include "bankfull/workloads/convection/pressure_start.hpp"

#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/memory/resident.hpp"
#include "bankfull/workloads/convection/plan.hpp"

namespace bankfull::convection {
namespace {

template <class T>
std::int64_t bytes_of_a_field(const Plan& plan) {
  return resident_bytes(field_set_bytes<T>(Layout(plan.block().extents(), 1, sizeof(T)), 1));
}

}  // namespace

bool extrapolates_pressure(const Plan& plan) {
  const Problem& problem = plan.problem();
  return plan.solver() == PressureSolver::multigrid && problem.schedule == Schedule::tuned &&
         problem.scheme == TimeScheme::adams_bashforth && !problem.implicit_anywhere();
}

std::int64_t bytes_of_past_pressure(const Plan& plan) {
  if (!extrapolates_pressure(plan)) {
    return 0;
  }
  const std::int64_t before = plan.problem().precision == Precision::fp32
                                  ? bytes_of_a_field<float>(plan)
                                  : bytes_of_a_field<double>(plan);
  return before + bytes_of_a_field<float>(plan);
}

Traffic traffic_of_start(const Plan& plan) {
  if (!extrapolates_pressure(plan)) {
    return {};
  }
  const double bytes = 2.0 * static_cast<double>(bytes_of(plan.problem().precision)) +
                       static_cast<double>(sizeof(float));
  return static_cast<double>(plan.problem().cells()) *
         Traffic{.bytes_read = bytes, .bytes_written = bytes, .flops = StartFlops::start};
}

}  // namespace bankfull::convection
