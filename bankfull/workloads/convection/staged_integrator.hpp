#pragma once

#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/tally.hpp"
#include "bankfull/workloads/convection/traffic.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace bankfull::convection {

/// The tuned schedule of any device: the order in which the parts of a stage follow stands here.
/// A flow lives in two sets of fields, its sides: a stage reads one and leaves the flow in the
/// other.
///
/// A Backend owns the fields and launches the work. It is built from a Plan, which outlives it:
///
///   set_stage(stage)         the coefficients of what is launched from now on
///   launch(part, to)         one part of a stage that leaves the flow in side `to`
///   launch_stage(to, all)    a whole stage: by all(), which launches its parts, or by a recording
///                            of that
///   mark(n), seconds_after(n)  the device's clock: from mark n to mark n + 1
///   set_fields(state, side)  all but ghosts, and zero tendencies
///   fields(side)             as a FlowState
///   tally_flow(side), tally_scalar(side, scalar)
///   pressure()               its poisson::Solver
///   finish()                 waits for all work
template <class Backend>
class StagedIntegrator final : public Integrator {
 public:
  explicit StagedIntegrator(Plan plan) : plan_(std::move(plan)), backend_(plan_) {}

  void advance(const Stage& stage) override {
    const std::size_t to = 1 - side_;
    backend_.set_stage(stage);
    backend_.launch_stage(to, [this, to] { launch_from(StagePart::advance, to); });
    side_ = to;
  }

  StageSeconds advance_timed(const Stage& stage) override {
    const std::size_t to = 1 - side_;
    backend_.set_stage(stage);
    for (std::size_t part = 0; part < stage_parts; ++part) {
      backend_.mark(part);
      backend_.launch(static_cast<StagePart>(part), to);
    }
    backend_.mark(stage_parts);
    side_ = to;
    StageSeconds seconds{};
    for (std::size_t part = 0; part < stage_parts; ++part) {
      seconds[part] = backend_.seconds_after(part);
    }
    return seconds;
  }

  void load(const FlowState& state) override {
    backend_.set_fields(state, side_);
    backend_.pressure().forget();
    launch_from(StagePart::divergence, side_);
    backend_.finish();
  }

  [[nodiscard]] FlowState state() const override { return backend_.fields(side_); }

  [[nodiscard]] Diagnosis diagnose() override {
    const FlowTally flow = backend_.tally_flow(side_);
    std::vector<ScalarTally> scalars;
    scalars.reserve(static_cast<std::size_t>(plan_.fields()));
    for (int scalar = 0; scalar < plan_.fields() - 3; ++scalar) {
      scalars.push_back(backend_.tally_scalar(side_, scalar));
    }
    return diagnosis_of(plan_.problem(), plan_.grid(), flow, scalars);
  }

  [[nodiscard]] poisson::Outcome pressure_outcome() const override {
    return backend_.pressure().outcome();
  }

  void forget_pressure() override { backend_.pressure().forget(); }

  [[nodiscard]] StageWork work() const override {
    const double solves = std::max(1, pressure_outcome().cycles);
    return stage_work(plan_, solves * backend_.pressure().traffic());
  }

  void finish() override { backend_.finish(); }

 private:
  /// A part and all that follow it.
  void launch_from(StagePart first, std::size_t to) {
    for (auto part = static_cast<std::size_t>(first); part < stage_parts; ++part) {
      backend_.launch(static_cast<StagePart>(part), to);
    }
  }

  Plan plan_;
  Backend backend_;
  std::size_t side_ = 0;  ///< that holds the flow
};

}  // namespace bankfull::convection
