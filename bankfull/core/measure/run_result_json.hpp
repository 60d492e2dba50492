#pragma once

#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <string>
#include <vector>

namespace bankfull {

/// Version of the JSON format, described by docs/schema/run-result.schema.json; schemas of
/// earlier versions are kept beside it. Increment it for changes that old readers would misread.
inline constexpr int run_result_schema_version = 2;

/// The value that an option of the command had.
struct UsedOption {
  std::string name;    ///< "target-seconds"
  std::string value;   ///< as written on a command line; empty if none
  std::string source;  ///< "command line", "environment" or "default"
};

/// How the program was invoked.
struct Invocation {
  std::string command_line = {};         ///< the program and its arguments
  std::vector<UsedOption> options = {};  ///< every option of the command
  Stopwatch since_start = {};            ///< runs since the command began; not recorded
};

/// The result with its context (machine, build, ranks, environment, date, command line and options)
/// as indented JSON text.
std::string to_json(const RunResult& result, const Invocation& invocation, const RankSurvey& ranks);

/// The context alone, without a run.
std::string context_to_json(const Invocation& invocation, const RankSurvey& ranks);

}  // namespace bankfull
