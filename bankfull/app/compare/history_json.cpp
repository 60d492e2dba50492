#include "bankfull/app/compare/history_json.hpp"

#include "bankfull/app/compare/json_parts.hpp"

#include <algorithm>

namespace bankfull::compare {
namespace {

Json to_json(const Entry& entry) {
  Json json = compare::to_json(*entry.occurrence.run);
  json["seconds"] = entry.seconds;
  json["noisy"] = entry.noisy;
  if (entry.percent) {
    json["percent_of_bankfull"] = *entry.percent;
  }
  if (entry.ratio) {
    json["ratio"] = *entry.ratio;
  }
  if (!entry.defect.empty()) {
    json["invalid"] = entry.defect;
  }
  return json;
}

Json to_json(const Step& step) {
  return {{"run", step.entry},
          {"change", compare::to_json(step.change)},
          {"differences", compare::to_json(step.differences)}};
}

Json to_json(const Course& course) {
  Json json = compare::to_json(course.subject);
  json["per"] = to_string(course.unit);
  json["runs"] = Json::array();
  for (const Entry& entry : course.entries) {
    json["runs"].push_back(to_json(entry));
  }
  json["steps"] = Json::array();
  for (const Step& step : course.steps) {
    json["steps"].push_back(to_json(step));
  }
  if (course.latest) {
    json["latest"] = compare::to_json(*course.latest);
  }
  return json;
}

}  // namespace

std::string history_to_json(const std::vector<Course>& courses, const std::filesystem::path& folder,
                            double threshold) {
  Json list = Json::array();
  for (const Course& course : courses) {
    list.push_back(to_json(course));
  }
  const bool regressed = std::ranges::any_of(courses, &Course::has_regressed);
  return document_text({{"schema", "bankfull/history"},
                        {"schema_version", history_schema_version},
                        {"verdict", regressed ? "regression" : "ok"},
                        {"threshold", threshold},
                        {"path", folder.string()},
                        {"courses", list}});
}

}  // namespace bankfull::compare
