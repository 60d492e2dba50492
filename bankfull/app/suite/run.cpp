#include "bankfull/app/suite/run.hpp"

#include "bankfull/app/output_file.hpp"
#include "bankfull/app/step.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <algorithm>
#include <array>

namespace bankfull::suite {
namespace {

namespace fs = std::filesystem;

void save(const Record& record, const fs::path& folder, const Communicator& ranks) {
  ranks.on_root([&] { StagedFile(folder / "suite.json", to_json(record)).replace(); });
}

/// With where its results go.
std::vector<std::string> with_places(const fs::path& folder, const Step& step) {
  std::vector<std::string> arguments = step.arguments;
  arguments.insert(arguments.end(), {"--json", result_of(folder, step).string(), "--quiet"});
  if (step.arguments.front() == "convect") {
    arguments.insert(arguments.end(), {"--output", (folder / step.name).string(), "--overwrite"});
  }
  return arguments;
}

State state_after(ExitCode code) {
  switch (code) {
    case ExitCode::usage:
      return State::refused;
    case ExitCode::runtime_failure:
      return State::failed;
    case ExitCode::interrupted:
      return State::pending;
    default:
      return State::done;
  }
}

/// Collective: the root's clock decides.
bool time_is_left(const Stopwatch& watch, double seconds, const Communicator& ranks) {
  bool left = watch.seconds() < seconds;
  ranks.broadcast(&left, sizeof left, 0);
  return left;
}

void run_one(RecordedStep& recorded, const fs::path& folder, const Communicator& ranks) {
  const Stopwatch watch;
  const StepOutcome outcome =
      run_step(with_places(folder, recorded.step), ranks, log_of(folder, recorded.step));
  recorded.code =
      static_cast<ExitCode>(ranks.max(std::int64_t{static_cast<std::int64_t>(outcome.code)}));
  recorded.state = state_after(recorded.code);
  recorded.message = outcome.message;
  recorded.seconds = watch.seconds();
}

bool is_to_do(const RecordedStep& recorded) {
  return recorded.state == State::pending || recorded.state == State::left_out ||
         recorded.state == State::failed;
}

ExitCode gravest(const Record& record) {
  const auto any = [&](ExitCode code) {
    return std::ranges::any_of(record.steps, [&](const RecordedStep& recorded) {
      return recorded.code == code && recorded.state != State::refused;
    });
  };
  constexpr std::array by_gravity{ExitCode::interrupted, ExitCode::verification_failed,
                                  ExitCode::runtime_failure};
  const auto* const found = std::ranges::find_if(by_gravity, any);
  return found == by_gravity.end() ? ExitCode::ok : *found;
}

}  // namespace

ExitCode run(Record& record, const fs::path& folder, double seconds, const Communicator& ranks,
             const Listener& listener) {
  const Stopwatch watch;
  save(record, folder, ranks);
  for (RecordedStep& recorded : record.steps) {
    if (!is_to_do(recorded)) {
      continue;
    }
    if (!time_is_left(watch, seconds, ranks)) {
      recorded.state = State::left_out;
      continue;
    }
    listener.begins(recorded);
    run_one(recorded, folder, ranks);
    save(record, folder, ranks);
    listener.ended(recorded);
    if (recorded.code == ExitCode::interrupted) {
      break;
    }
  }
  save(record, folder, ranks);
  return gravest(record);
}

}  // namespace bankfull::suite
