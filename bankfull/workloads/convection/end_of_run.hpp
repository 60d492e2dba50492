#pragma once

#include "bankfull/workloads/convection/nusselt_window.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/state.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace bankfull::convection {

/// What ended a run.
enum class RunEnd {
  steps,         ///< it has taken as many as it was to
  time,          ///< it has come as far as it was to
  steady,        ///< its Nusselt numbers no longer change: Problem::until
  converged,     ///< their averages are as certain as asked for
  interruption,  ///< somebody asked it to end early
};

std::string to_string(RunEnd end);

/// Ends a run by what its Nusselt numbers have come to. It then takes as many steps more as budgets
/// are closed over, so that its last row has them.
class EarlyEnd {
 public:
  explicit EarlyEnd(const Problem& problem) : until_(problem.until) {}

  /// To be called after each check of the flow, with their number. What is decided stays so.
  void judge(std::int64_t step, std::int64_t checks, const NusseltWindow& nusselt);

  /// The step that ends the run, of whatever number where nothing ends it yet.
  [[nodiscard]] std::int64_t last_step() const;

  /// Why; nothing where nothing ends it yet.
  [[nodiscard]] std::optional<RunEnd> reason() const;

  /// What was decided by other bounds is forgotten.
  void save(StateWriter& to) const;
  void restore(const StateReader& from);

 private:
  struct Decision {
    std::int64_t last_step = 0;
    RunEnd reason = RunEnd::steady;
  };

  Until until_;
  std::optional<Decision> decision_;
};

/// Whether a run that was saved so has nothing left to do.
bool has_ended(const Problem& problem, const StateReader& saved);

}  // namespace bankfull::convection
