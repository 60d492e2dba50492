#include "bankfull/app/compare/comparison_json.hpp"

#include "bankfull/app/compare/json_parts.hpp"

namespace bankfull::compare {
namespace {

Json to_json(const Source& source) {
  Json runs = Json::array();
  for (const RecordedRun& run : *source.runs) {
    runs.push_back(compare::to_json(run));
  }
  return {{"path", source.path.string()}, {"runs", runs}};
}

template <class Item>
Json array_of(const std::vector<Item>& items) {
  Json json = Json::array();
  for (const Item& item : items) {
    json.push_back(compare::to_json(item));
  }
  return json;
}

std::string verdict_of(const Comparison& comparison) {
  if (comparison.failed) {
    return "failed";
  }
  return comparison.has_regressions() ? "regression" : "ok";
}

}  // namespace

std::string comparison_to_json(const Comparison& comparison, const Source& old_source,
                               const Source& new_source) {
  return document_text({{"schema", "bankfull/comparison"},
                        {"schema_version", comparison_schema_version},
                        {"verdict", verdict_of(comparison)},
                        {"threshold", comparison.threshold},
                        {"old", to_json(old_source)},
                        {"new", to_json(new_source)},
                        {"measurements", array_of(comparison.measurements)},
                        {"ceilings", array_of(comparison.ceilings)},
                        {"differences", compare::to_json(comparison.differences)},
                        {"unfair", comparison.unfair},
                        {"only_old", array_of(comparison.only_old)},
                        {"only_new", array_of(comparison.only_new)}});
}

}  // namespace bankfull::compare
