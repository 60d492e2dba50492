#pragma once

#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <string>

namespace bankfull {

/// Version of the JSON's shape; docs/schema/run-result.schema.json describes it. A change that old
/// readers would misread raises it.
inline constexpr int run_result_schema_version = 1;

/// The result with its context (machine, build, ranks, date, command line) as indented JSON text.
std::string to_json(const RunResult& result, const std::string& command_line,
                    const RankSurvey& ranks);

}  // namespace bankfull
