#pragma once

#include "bankfull/app/reproduce/collect.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/measure/run_result_json.hpp"

#include <string>
#include <vector>

namespace bankfull::reproduce {

/// Version of the JSON format, described by docs/schema/reproduction.schema.json.
inline constexpr int reproduction_schema_version = 1;

/// A reproduction with its context as indented JSON text.
std::string to_json(const Plan& plan, const std::vector<StepResult>& results,
                    const std::vector<Outcome>& outcomes, const Invocation& invocation,
                    const RankSurvey& ranks);

}  // namespace bankfull::reproduce
