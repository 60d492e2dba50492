#pragma once

#include "bankfull/app/compare/comparison.hpp"

#include <nlohmann/json.hpp>

namespace bankfull::compare {

using Json = nlohmann::ordered_json;

// Parts that the JSON of comparisons and of histories have in common.

Json to_json(const Subject& subject);
Json to_json(const Change& change);
Json to_json(const std::vector<Difference>& differences);
Json to_json(const RecordedRun& run);

/// The document as indented text; bytes that are no UTF-8 become U+FFFD.
std::string document_text(const Json& document);

}  // namespace bankfull::compare
