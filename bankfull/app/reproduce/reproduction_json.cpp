#include "bankfull/app/reproduce/reproduction_json.hpp"

#include "bankfull/app/reproduce/print.hpp"
#include "bankfull/app/step.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace bankfull::reproduce {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN: what is missing is null.
Json number_or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

void add_text(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) {
    object[key] = text;
  }
}

Json published_of(const Outcome& outcome) {
  Json values = Json::array();
  for (const Published& published : outcome.planned->row->published) {
    values.push_back({{"machine", published.machine},
                      {"value", number_or_null(published.value)},
                      {"ratio", number_or_null(ratio_of(outcome, published))}});
  }
  return values;
}

Json row_of(const Outcome& outcome) {
  const PlannedRow& planned = *outcome.planned;
  Json row{{"row", planned.row->label},
           {"unit", planned.row->unit},
           {"published", published_of(outcome)},
           {"ours", number_or_null(outcome.value)},
           {"verdict", outcome.verdict}};
  if (outcome.percent) {
    row["percent_of_bankfull"] = *outcome.percent;
  }
  add_text(row, "quietness", !outcome.value ? "" : outcome.noisy ? "noisy" : "quiet");
  add_text(row, "device", outcome.device);
  add_text(row, "reason", outcome.reason);
  add_text(row, "note", planned.row->note);
  row["steps"] = Json::array();
  for (const auto& step : {planned.ours, planned.other}) {
    if (step) {
      row["steps"].push_back(*step);
    }
  }
  return row;
}

Json item_of(const Item& item, const std::vector<Outcome>& outcomes) {
  Json object{{"item", item.id}, {"title", item.title}};
  add_text(object, "shows", item.shows);
  add_text(object, "instead", item.instead);
  add_text(object, "note", item.note);
  object["rows"] = Json::array();
  for (const Outcome& outcome : outcomes) {
    if (outcome.planned->item == &item) {
      object["rows"].push_back(row_of(outcome));
    }
  }
  return object;
}

Json step_of(const Step& step, const StepResult& result) {
  Json object{{"command", command_line_of(step.command)},
              {"ranks", step.ranks},
              {"file", result.file.string()},
              {"reused", result.reused},
              {"exit_code", static_cast<int>(result.code)},
              {"has_result", result.run.has_value()}};
  add_text(object, "date", result.run ? result.run->date : "");
  add_text(object, "reason", result.reason);
  return object;
}

}  // namespace

std::string to_json(const Plan& plan, const std::vector<StepResult>& results,
                    const std::vector<Outcome>& outcomes, const Invocation& invocation,
                    const RankSurvey& ranks) {
  Json document{{"schema", "bankfull/reproduction"},
                {"schema_version", reproduction_schema_version},
                {"paper", plan.paper->key},
                {"citation", plan.paper->citation},
                {"values_from", plan.paper->found}};
  document["items"] = Json::array();
  for (const Item* item : plan.items) {
    document["items"].push_back(item_of(*item, outcomes));
  }
  document["steps"] = Json::array();
  for (std::size_t n = 0; n < plan.steps.size(); ++n) {
    document["steps"].push_back(step_of(plan.steps[n], results[n]));
  }
  document["context"] = Json::parse(context_to_json(invocation, ranks)).at("context");
  constexpr int indent = 2;
  // Invalid UTF-8 in names of files becomes U+FFFD.
  return document.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace bankfull::reproduce
