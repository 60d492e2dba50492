#include "bankfull/app/compare/json_parts.hpp"

namespace bankfull::compare {
namespace {

Json to_json(const Side& side) {
  Json json{{"seconds", side.seconds}, {"runs", side.runs}, {"samples", side.samples}};
  if (side.percent) {
    json["percent_of_bankfull"] = *side.percent;
  }
  return json;
}

Json object_of(const Names& names) {
  Json json = Json::object();
  for (const auto& [name, value] : names) {
    json[name] = value;
  }
  return json;
}

}  // namespace

Json to_json(const Subject& subject) {
  return {{"workload", subject.workload},
          {"name", subject.name},
          {"identity", object_of(subject.identity)},
          {"choices", object_of(subject.choices)},
          {"place", object_of(subject.place)}};
}

Json to_json(const Change& change) {
  Json json = to_json(change.subject);
  json["per"] = to_string(change.unit);
  json["old"] = to_json(change.before);
  json["new"] = to_json(change.after);
  json["ratio"] = change.ratio.value;
  if (change.ratio.interval) {
    json["interval"] = {{"low", change.ratio.interval->low},
                        {"high", change.ratio.interval->high},
                        {"confidence", 0.95}};
  }
  json["verdict"] = to_string(change.outcome);
  if (!change.reason.empty()) {
    json["reason"] = change.reason;
  }
  return json;
}

Json to_json(const std::vector<Difference>& differences) {
  Json json = Json::array();
  for (const Difference& difference : differences) {
    json.push_back({{"what", difference.what},
                    {"old", difference.old_values},
                    {"new", difference.new_values}});
  }
  return json;
}

Json to_json(const RecordedRun& run) {
  return {{"file", run.file.string()},
          {"date", run.date},
          {"workload", run.result.workload},
          {"revision", recorded::fact(run, "build", "revision").value_or("")}};
}

std::string document_text(const Json& document) {
  constexpr int indent = 2;
  return document.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace bankfull::compare
