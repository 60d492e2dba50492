#pragma once

#include "bankfull/app/convect/case.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/plan.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace bankfull::convect {

/// The last whole checkpoint of a run, or a file of one, as what another run begins with.
class FlowOfRun {
 public:
  virtual ~FlowOfRun() = default;

  /// What begin() takes of the host's memory, in bytes.
  [[nodiscard]] virtual std::int64_t host_bytes() const = 0;

  /// Puts the flow on the grid of the case's plan, which must outlive this. Throws UsageError about
  /// "initial.from" where their boxes do not fit.
  virtual void begin(const convection::Plan& plan) = 0;

  /// After begin().
  [[nodiscard]] virtual const convection::FlowReader& flow() const = 0;

  /// "begins with step 60, time 0.3, of run/checkpoint/step-0000000060.h5, on 16x8x8 cells, in
  /// place of initial.temperature"
  [[nodiscard]] virtual std::string told() const = 0;
};

/// Throws UsageError about "initial.from" where there is no checkpoint, its flow does not fit the
/// case, or a scalar of the case begins with nothing. `warn` is called for damaged files that are
/// passed over. Builds with HDF5 only.
std::unique_ptr<FlowOfRun> flow_of_run(const Case& wanted,
                                       const std::function<void(const std::string&)>& warn);

}  // namespace bankfull::convect
