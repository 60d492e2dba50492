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
  /// case, or a scalar of the case begins with nothing, or with two things. `warn` hears of damaged
  /// files that are passed over.
  FlowOfRun(const Case& wanted, const convection::Plan& plan,
            const std::function<void(const std::string&)>& warn);

  [[nodiscard]] const convection::FlowReader& flow() const { return *flow_; }

  /// "begins with step 60, time 0.3, of run/checkpoint/step-0000000060.h5, on 16x8x8 cells"
  [[nodiscard]] std::string told() const;

 private:
  std::unique_ptr<CheckpointReader> saved_;
  Case other_;
  std::unique_ptr<convection::TransferredFlow> flow_;
};

}  // namespace bankfull::convect
