#pragma once

#include "bankfull/core/base/nan.hpp"
#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/workloads/convection/cpu/flow.hpp"
#include "bankfull/workloads/convection/step_control.hpp"

#include <memory>
#include <vector>

namespace bankfull::convection {

/// What the ranks that share a flow exchange in a stage. Nothing on one rank.
template <class Real>
class FlowHalo {
 public:
  /// Collective, as all that follows.
  FlowHalo(const Plan& plan, const FlowOnCpu<Real>& flow) : ranks_(plan.ranks()) {
    if (ranks_ != nullptr) {
      all_ = make(plan, flow, flow.count);
      two_ = make(plan, flow, two);
      one_ = make(plan, flow, 1);
    }
  }

  /// The ghosts of all fields that are other ranks' cells, for the next stage. Those at the ends of
  /// rows are not among them.
  void exchange_all(FieldSet<Real>& fields) { exchange(all_.get(), fields, fields.count()); }

  /// The ghosts of the first two fields: velocities across planes and rows, for the divergence, or
  /// Room of the cells.
  void exchange_two(FieldSet<Real>& fields) { exchange(two_.get(), fields, two); }

  void exchange_one(FieldSet<Real>& fields) { exchange(one_.get(), fields, 1); }

  /// The largest of all ranks: they all choose the same step.
  [[nodiscard]] FlowRates largest(const FlowRates& mine) const {
    if (ranks_ == nullptr) {
      return mine;
    }
    FlowRates found = mine;
    for (const FlowRates& of_rank : ranks_->all_gather(mine)) {
      found.advection = larger_or_nan(found.advection, of_rank.advection);
      found.buoyancy = larger_or_nan(found.buoyancy, of_rank.buoyancy);
      found.exchange = larger_or_nan(found.exchange, of_rank.exchange);
    }
    return found;
  }

 private:
  static constexpr int two = 2;

  [[nodiscard]] std::unique_ptr<HaloExchange<Real>> make(const Plan& plan,
                                                         const FlowOnCpu<Real>& flow,
                                                         int fields) const {
    const Decomposition cut = plan.cut();
    const bool both = cut.grid().i > 1 && cut.grid().j > 1;
    return make_halo_exchange<Real>(
        HaloSetup{.ranks = *ranks_,
                  .decomposition = cut,
                  .layout = flow.layout,
                  .shape = {1, both ? HaloShape::Reach::edges : HaloShape::Reach::faces},
                  .fields = fields},
        flow.executor.team());
  }

  void exchange(HaloExchange<Real>* by, FieldSet<Real>& fields, int count) {
    if (by == nullptr) {
      return;
    }
    origins_.clear();
    for (int field = 0; field < count; ++field) {
      origins_.push_back(fields[field].row(0, 0));
    }
    by->exchange(origins_);
  }

  const Communicator* ranks_;
  std::unique_ptr<HaloExchange<Real>> all_;
  std::unique_ptr<HaloExchange<Real>> two_;
  std::unique_ptr<HaloExchange<Real>> one_;
  std::vector<Real*> origins_;
};

}  // namespace bankfull::convection
