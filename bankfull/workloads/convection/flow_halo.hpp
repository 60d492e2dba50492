#pragma once

#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/workloads/convection/plan.hpp"

#include <memory>
#include <vector>

namespace bankfull::convection {

/// What the ranks that share a flow exchange in a stage. Nothing on one rank.
template <class Real>
class FlowHalo {
 public:
  /// Collective, as all that follows. `queue`: the team that packs fields in host memory, or the
  /// stream that works on those of a GPU.
  template <class Queue>
  FlowHalo(const Plan& plan, const Layout& layout, const Queue& queue)
      : cuts_rows_(plan.cut().grid().j > 1) {
    if (plan.is_shared()) {
      all_ = make(plan, layout, plan.fields(), queue);
      two_ = make(plan, layout, two, queue);
      one_ = make(plan, layout, 1, queue);
    }
  }

  /// The ghosts of all fields that are other ranks' cells, for the next stage. Those at the ends of
  /// rows are not among them.
  void exchange_all(FieldSet<Real>& fields) {
    start_all(fields);
    finish_all();
  }

  /// What is sent must be in place: the first and last planes and rows of cells.
  void start_all(FieldSet<Real>& fields) { start(all_.get(), fields, fields.count()); }
  void finish_all() { finish(all_.get()); }

  /// The ghosts of velocities across cut axes, for the divergence.
  void exchange_velocities(FieldSet<Real>& fields) {
    start_velocities(fields);
    finish_velocities();
  }

  void start_velocities(FieldSet<Real>& fields) {
    cuts_rows_ ? start(two_.get(), fields, two) : start(one_.get(), fields, 1);
  }
  void finish_velocities() { finish(cuts_rows_ ? two_.get() : one_.get()); }

  /// The ghosts of both limiter ratios.
  void exchange_limiter_ratios(FieldSet<Real>& ratios) {
    start(two_.get(), ratios, two);
    finish(two_.get());
  }

  void exchange_one(FieldSet<Real>& fields) {
    start(one_.get(), fields, 1);
    finish(one_.get());
  }

  /// Whether exchanges may be recorded in a Graph.
  [[nodiscard]] bool recordable() const {
    return all_ == nullptr || (all_->recordable() && two_->recordable() && one_->recordable());
  }

 private:
  static constexpr int two = 2;

  template <class Queue>
  [[nodiscard]] static std::unique_ptr<HaloExchange<Real>> make(const Plan& plan,
                                                                const Layout& layout, int fields,
                                                                const Queue& queue) {
    const Decomposition cut = plan.cut();
    const bool both = cut.grid().i > 1 && cut.grid().j > 1;
    return make_halo_exchange<Real>(
        HaloSetup{.ranks = *plan.ranks(),
                  .decomposition = cut,
                  .layout = layout,
                  .shape = {1, both ? HaloShape::Reach::edges : HaloShape::Reach::faces},
                  .fields = fields},
        queue);
  }

  void start(HaloExchange<Real>* by, FieldSet<Real>& fields, int count) {
    if (by == nullptr) {
      return;
    }
    origins_.clear();
    for (int field = 0; field < count; ++field) {
      origins_.push_back(fields[field].row(0, 0));
    }
    by->start(origins_);
  }

  static void finish(HaloExchange<Real>* by) {
    if (by != nullptr) {
      by->finish();
    }
  }

  bool cuts_rows_;  ///< along axis 1, whose velocity is field 1
  std::unique_ptr<HaloExchange<Real>> all_;
  std::unique_ptr<HaloExchange<Real>> two_;
  std::unique_ptr<HaloExchange<Real>> one_;
  std::vector<Real*> origins_;
};

}  // namespace bankfull::convection
