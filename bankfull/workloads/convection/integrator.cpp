#include "bankfull/workloads/convection/integrator.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/workloads/convection/scalar_reference.hpp"

#include <algorithm>
#include <utility>

namespace bankfull::convection {
namespace {

/// 0 of velocities.
double reference_of(const Plan& plan, int field) {
  return field < 3 ? 0.0 : plan.stepped().scalars[static_cast<std::size_t>(field - 3)].reference;
}

void add(double by, const Box& part, double* values) {
  if (by != 0.0 && values != nullptr) {
    const auto count = static_cast<std::size_t>(part.extents().count());
    std::transform(values, values + count, values, [by](double value) { return value + by; });
  }
}

/// A flow less the reference values of a plan's scalars. Both outlive it.
class LessReferences final : public FlowReader {
 public:
  LessReferences(const FlowReader& flow, const Plan& plan) : flow_(flow), plan_(plan) {}

  void read(int field, const Box& part, double* values) const override {
    flow_.read(field, part, values);
    add(-reference_of(plan_, field), part, values);
  }

 private:
  const FlowReader& flow_;
  const Plan& plan_;
};

}  // namespace

void Integrator::load(const FlowReader& flow) { load_stepped(LessReferences(flow, plan())); }

void Integrator::read(int field, const Box& part, double* values) const {
  if (field == plan().pressure_field()) {
    read_pressure(part, values);
    return;
  }
  read_stepped(field, part, values);
  add(reference_of(plan(), field), part, values);
}

void Integrator::read_copied(int field, const Box& part, double* values) const {
  read_copied_stepped(field, part, values);
  add(reference_of(plan(), field), part, values);
}

void Integrator::set_gathered(std::vector<std::vector<FieldElement>> lists) {
  gathered_ = std::move(lists);
  prepare_to_gather(gathered_);
}

std::vector<double> Integrator::gathered(std::size_t list) const {
  std::vector<double> values = gathered_stepped(list, gathered_[list]);
  for (std::size_t n = 0; n < values.size(); ++n) {
    values[n] += reference_of(plan(), gathered_[list][n].field);
  }
  return values;
}

Diagnosis Integrator::diagnose() {
  Diagnosis found = diagnose_stepped();
  add_references(plan().stepped(), found);
  return found;
}

std::unique_ptr<Integrator> make_integrator(const Plan& plan) {
  plan.require_memory();
  if (plan.problem().schedule == Schedule::reference) {
    return make_reference_integrator(plan);
  }
  if constexpr (build::cuda) {
    if (plan.problem().device.is_cuda()) {
      return plan.problem().precision == Precision::fp32 ? make_cuda_integrator<float>(plan)
                                                         : make_cuda_integrator<double>(plan);
    }
  }
  return make_cpu_integrator(plan);
}

}  // namespace bankfull::convection
