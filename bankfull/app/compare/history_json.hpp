#pragma once

#include "bankfull/app/compare/history.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::compare {

/// Version of the JSON of histories, described by docs/schema/history.schema.json.
inline constexpr int history_schema_version = 1;

/// The courses of the results in a folder as indented JSON text; `threshold` is a fraction.
std::string history_to_json(const std::vector<Course>& courses, const std::filesystem::path& folder,
                            double threshold);

}  // namespace bankfull::compare
