#pragma once

#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <string>
#include <vector>

namespace bankfull {

/// Version of the JSON's shape, which docs/schema/run-result.schema.json describes; those of
/// earlier versions stand beside it. A change that old readers would misread raises it.
inline constexpr int run_result_schema_version = 2;

/// What an option of the command was.
struct UsedOption {
  std::string name;    ///< "target-seconds"
  std::string value;   ///< as it is written on a command line; empty: none
  std::string source;  ///< "command line", "environment" or "default"
};

/// How the program was called.
struct Invocation {
  std::string command_line = {};
  std::vector<UsedOption> options = {};  ///< all of the command
};

/// The result with its context (machine, build, ranks, environment, date, command line and options)
/// as indented JSON text.
std::string to_json(const RunResult& result, const Invocation& invocation, const RankSurvey& ranks);

/// That context alone, which no run belongs to.
std::string context_to_json(const Invocation& invocation, const RankSurvey& ranks);

}  // namespace bankfull
