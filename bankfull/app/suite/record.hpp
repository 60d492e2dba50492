#pragma once

#include "bankfull/app/suite/plan.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::suite {

/// What became of a step.
enum class State {
  pending,   ///< not begun, or ended early: the next call does it
  done,      ///< its result is there, whatever its verdict
  refused,   ///< this machine cannot do it: too little memory, too many ranks
  failed,    ///< at run time
  left_out,  ///< time was up; the next call does it
};

inline constexpr auto state_names = enum_names<State>({{State::pending, "pending"},
                                                       {State::done, "done"},
                                                       {State::refused, "refused"},
                                                       {State::failed, "failed"},
                                                       {State::left_out, "left out"}});

struct RecordedStep {
  Step step;
  State state = State::pending;
  ExitCode code = ExitCode::ok;
  double seconds = 0.0;
  std::string message = {};  ///< why it was refused or failed
};

/// The contents of suite.json: what was to be run, and what became of it so far.
struct Record {
  Level level = Level::quick;
  std::string device;  ///< "cuda:0", "cpu"
  int ranks = 1;
  int threads = 1;
  std::vector<RecordedStep> steps;

  [[nodiscard]] bool complete() const;
};

/// As JSON; see docs/schema/suite.schema.json.
std::string to_json(const Record& record);

/// Throws UsageError naming the file where it is none.
Record parse_record(const std::string& text, const std::filesystem::path& file);

/// The files of a step in the folder of a suite.
std::filesystem::path result_of(const std::filesystem::path& folder, const Step& step);
std::filesystem::path log_of(const std::filesystem::path& folder, const Step& step);

/// What an earlier call has left in a folder; nothing where there is none. Throws UsageError where
/// it is of another suite than `wanted`.
std::optional<Record> earlier_record(const std::filesystem::path& folder, const Record& wanted);

/// Collective: the root's.
Record shared(const Record& record, const Communicator& ranks);

}  // namespace bankfull::suite
