#pragma once

#include "bankfull/app/recorded/recorded_run.hpp"
#include "bankfull/app/reproduce/plan.hpp"
#include "bankfull/app/reproduce/take.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::reproduce {

/// Where and how steps run.
struct Workplace {
  std::filesystem::path folder;  ///< of their results
  bool overwrite = false;        ///< run again what has a result there
  double progress = 30.0;        ///< seconds between lines of progress

  /// Called before a step runs, with its number from 1 and how many there are.
  std::function<void(std::size_t, std::size_t, const Step&)> say = {};
};

/// How a step ended.
struct StepResult {
  ExitCode code = ExitCode::ok;
  bool reused = false;                            ///< its result was there
  std::filesystem::path file = {};                ///< of its result
  std::optional<recorded::RecordedRun> run = {};  ///< on the root
  std::string reason = {};                        ///< why there is no result
};

/// The arguments that a step is run with in this folder.
std::vector<std::string> arguments_of(const Step& step, const Workplace& place);

/// Collective: runs the steps of a plan in turn, but for those whose results are there and those of
/// other numbers of ranks. After a signal the others do not run.
std::vector<StepResult> run_steps(const Plan& plan, const Workplace& place,
                                  const Communicator& ranks);

/// A row with what was measured.
struct Outcome {
  const PlannedRow* planned = nullptr;
  std::optional<double> value = {};    ///< in the row's unit
  std::optional<double> percent = {};  ///< of bankfull
  std::string device = {};
  bool noisy = false;        ///< one of the runs behind it was disturbed
  std::string verdict = {};  ///< of the runs behind it; "not measured"
  std::string reason = {};   ///< why there is no value
};

/// On the root.
std::vector<Outcome> outcomes_of(const Plan& plan, const std::vector<StepResult>& results);

/// What the program exits with: a failed verification before a failed run before a signal.
ExitCode code_of(const std::vector<StepResult>& results);

}  // namespace bankfull::reproduce
