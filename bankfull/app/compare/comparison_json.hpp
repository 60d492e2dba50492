#pragma once

#include "bankfull/app/compare/comparison.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::compare {

/// Version of the JSON of comparisons, described by docs/schema/comparison.schema.json.
inline constexpr int comparison_schema_version = 1;

/// The runs of one side and where they were read from.
struct Source {
  std::filesystem::path path;
  const std::vector<RecordedRun>* runs = nullptr;
};

/// A comparison as indented JSON text.
std::string comparison_to_json(const Comparison& comparison, const Source& old_source,
                               const Source& new_source);

}  // namespace bankfull::compare
