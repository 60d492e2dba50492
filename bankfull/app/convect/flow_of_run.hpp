#pragma once

#include "bankfull/app/convect/case.hpp"
#include "bankfull/app/convect/checkpoint_file.hpp"
#include "bankfull/workloads/convection/plan.hpp"
#include "bankfull/workloads/convection/transferred_flow.hpp"

#include <functional>
#include <memory>
#include <string>

namespace bankfull::convect {

/// The last whole checkpoint of a run, or a file of one, as what another run begins with. Builds
/// with HDF5 only.
class FlowOfRun {
 public:
  /// Throws UsageError about "initial.from" where there is no checkpoint, its flow does not fit the
  /// case, or a scalar of the case begins with nothing. `warn` hears of damaged files that are
  /// passed over.
  FlowOfRun(const Case& wanted, const std::function<void(const std::string&)>& warn);

  /// What begin() takes of the host's memory, in bytes.
  [[nodiscard]] std::int64_t host_bytes() const;

  /// Puts the flow on the grid of the case's plan, which must outlive this. Throws UsageError about
  /// "initial.from" where their boxes do not fit.
  void begin(const convection::Plan& plan);

  /// After begin().
  [[nodiscard]] const convection::FlowReader& flow() const { return *flow_; }

  /// "begins with step 60, time 0.3, of run/checkpoint/step-0000000060.h5, on 16x8x8 cells, in
  /// place of initial.temperature"
  [[nodiscard]] std::string told() const;

 private:
  std::unique_ptr<CheckpointReader> saved_;
  Case other_;
  std::string replaced_;  ///< initial values of the case, as the end of a message
  std::unique_ptr<convection::TransferredFlow> flow_;
};

}  // namespace bankfull::convect
