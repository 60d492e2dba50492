#include "bankfull/app/reproduce/collect.hpp"

#include "bankfull/app/step.hpp"
#include "bankfull/core/measure/verdict_names.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::reproduce {
namespace {

namespace fs = std::filesystem;

constexpr const char* not_measured = "not measured";

bool is_of(const Step& step, const std::string& command) {
  return !step.command.empty() && step.command.front() == command;
}

fs::path file_of(const Step& step, const Workplace& place) {
  return place.folder / (step.name() + ".json");
}

/// The result of an earlier run of the same step, if it is complete and passed its checks.
std::optional<recorded::RecordedRun> earlier_result(const Step& step, const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return std::nullopt;
  }
  try {
    recorded::RecordedRun run = recorded::read_run(file);
    std::string line = "bankfull";
    for (const std::string& argument : step.command) {
      line += " " + argument;
    }
    const bool same = run.command.starts_with(line + " ");
    return same && run.result.complete() && run.result.verified() ? std::optional(std::move(run))
                                                                  : std::nullopt;
  } catch (const UsageError&) {
    return std::nullopt;  // it is none, and is run again
  }
}

/// Collective: what the root has found, on all ranks.
bool agreed(bool of_root, const Communicator& ranks) {
  ranks.broadcast(&of_root, sizeof of_root, 0);
  return of_root;
}

std::string reason_of(const StepOutcome& outcome) {
  if (outcome.code == ExitCode::interrupted) {
    return "it was interrupted";
  }
  return outcome.message.empty() ? "it failed; steps.log says why" : outcome.message;
}

/// Collective.
void run_one(const Step& step, const Workplace& place, const Communicator& ranks,
             StepResult& result) {
  const StepOutcome outcome =
      run_step(arguments_of(step, place), ranks, place.folder / "steps.log");
  result.code = outcome.code;
  if (ranks.is_root()) {
    try {
      result.run = recorded::read_run(result.file);
    } catch (const UsageError&) {
      result.reason = reason_of(outcome);
    }
  }
}

std::string wants_ranks(const Step& step) {
  return step.ranks == 1
             ? "it is of one rank; start it without mpirun"
             : fmt::format("it is of {0} ranks; start it with mpirun -n {0}", step.ranks);
}

/// Takes away the result of an earlier run, so that it does not pass for that of this one.
void clear(const fs::path& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
}

std::string verdict_of(const recorded::RecordedRun& run) {
  return run.result.complete() ? verdict_names.to_string(run.result.verdict()) : "incomplete";
}

Outcome outcome_of(const PlannedRow& planned, const std::vector<StepResult>& results) {
  Outcome outcome{.planned = &planned, .verdict = not_measured, .reason = planned.reason};
  if (!outcome.reason.empty()) {
    return outcome;
  }
  const StepResult& ours = results[*planned.ours];
  const StepResult* other = planned.other ? &results[*planned.other] : nullptr;
  for (const StepResult* result : {&ours, other}) {
    if (result != nullptr && !result->run) {
      outcome.reason = result->reason;
      return outcome;
    }
  }
  const Taken taken = take_row(*planned.row, *ours.run, other == nullptr ? nullptr : &*other->run);
  outcome.reason = taken.reason;
  if (taken.number) {
    outcome.value = taken.number->value;
    outcome.percent = taken.percent;
    outcome.device = recorded::device_text(*ours.run);
    outcome.verdict = verdict_of(*ours.run);
    outcome.noisy = ours.run->result.noisy() || (other != nullptr && other->run->result.noisy());
    if (other != nullptr && !other->run->result.verified()) {
      outcome.verdict = verdict_of(*other->run);
    }
  }
  return outcome;
}

}  // namespace

std::vector<std::string> arguments_of(const Step& step, const Workplace& place) {
  std::vector<std::string> arguments = step.command;
  arguments.insert(arguments.end(), {"--json", file_of(step, place).string(), "--progress",
                                     fmt::format("{}", place.progress)});
  const bool is_case = std::ranges::find(step.command, "--validate") == step.command.end();
  if (is_of(step, "convect") && is_case) {
    arguments.insert(arguments.end(),
                     {"--output", (place.folder / step.name()).string(), "--overwrite"});
  }
  return arguments;
}

std::vector<StepResult> run_steps(const Plan& plan, const Workplace& place,
                                  const Communicator& ranks) {
  std::vector<StepResult> results(plan.steps.size());
  bool interrupted = false;
  for (std::size_t n = 0; n < plan.steps.size(); ++n) {
    const Step& step = plan.steps[n];
    StepResult& result = results[n];
    result.file = file_of(step, place);
    if (ranks.is_root() && !place.overwrite) {
      result.run = earlier_result(step, result.file);
    }
    result.reused = agreed(result.run.has_value(), ranks);
    if (result.reused) {
      continue;
    }
    if (step.ranks != ranks.size()) {
      result.reason = wants_ranks(step);
    } else if (interrupted) {
      result.reason = "the run was interrupted before it";
    } else {
      place.say(n + 1, plan.steps.size(), step);
      ranks.on_root([&] { clear(result.file); });
      run_one(step, place, ranks, result);
      interrupted = result.code == ExitCode::interrupted;
    }
  }
  return results;
}

std::vector<Outcome> outcomes_of(const Plan& plan, const std::vector<StepResult>& results) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(plan.rows.size());
  for (const PlannedRow& row : plan.rows) {
    outcomes.push_back(outcome_of(row, results));
  }
  return outcomes;
}

ExitCode code_of(const std::vector<StepResult>& results) {
  for (const ExitCode code :
       {ExitCode::verification_failed, ExitCode::runtime_failure, ExitCode::interrupted}) {
    if (std::ranges::find(results, code, &StepResult::code) != results.end()) {
      return code;
    }
  }
  return ExitCode::ok;
}

}  // namespace bankfull::reproduce
