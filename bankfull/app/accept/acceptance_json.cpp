#include "bankfull/app/accept/acceptance_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace bankfull::accept {
namespace {

using Json = nlohmann::ordered_json;

void add_if_known(Json& object, const char* key, std::optional<double> value) {
  if (value) {
    object[key] = *value;
  }
}

Json to_object(const Judgement& judgement, const std::vector<double>& rates) {
  Json object = {
      {"gauge", judgement.gauge},   {"unit", judgement.unit},
      {"rate", judgement.rate},     {"rates", rates},
      {"spread", judgement.spread}, {"finding", finding_names.to_string(judgement.finding)}};
  add_if_known(object, "of_baseline", judgement.of_baseline);
  add_if_known(object, "of_others", judgement.of_others);
  if (!judgement.reason.empty()) {
    object["reason"] = judgement.reason;
  }
  return object;
}

Json to_object(const DeviceReport& report) {
  Json gauges = Json::array();
  for (std::size_t n = 0; n < report.judgements.size(); ++n) {
    gauges.push_back(to_object(report.judgements[n], report.readings[n].rates));
  }
  Json object = {{"host", report.name.host},
                 {"device", report.name.device},
                 {"model", report.name.model},
                 {"board", report.name.board},
                 {"phase", phase_names.to_string(report.phase)},
                 {"verdict", finding_names.to_string(report.verdict())},
                 {"exit_code", static_cast<int>(report.code)},
                 {"gauges", gauges}};
  if (report.use_before > 0.0) {
    object["use_before"] = report.use_before;
  }
  if (!report.message.empty()) {
    object["message"] = report.message;
  }
  return object;
}

Json to_object(const JointRun& run) {
  Json object = {{"gauge", run.gauge}, {"unit", run.unit}, {"rate", run.rate}};
  add_if_known(object, "of_others", run.of_others);
  return object;
}

template <class Item>
Json to_array(const std::vector<Item>& items) {
  Json array = Json::array();
  for (const Item& item : items) {
    array.push_back(to_object(item));
  }
  return array;
}

bool any(const Acceptance& acceptance, Finding finding) {
  return std::ranges::any_of(
      acceptance.devices, [&](const DeviceReport& report) { return report.verdict() == finding; });
}

}  // namespace

std::string verdict_text(const Acceptance& acceptance) {
  if (acceptance.code != ExitCode::ok && acceptance.code != ExitCode::below_threshold) {
    return "failed";
  }
  if (any(acceptance, Finding::slow)) {
    return "failed";
  }
  if (any(acceptance, Finding::disturbed)) {
    return "disturbed";
  }
  return any(acceptance, Finding::good) ? "accepted" : "no baseline";
}

std::string to_json(const Acceptance& acceptance) {
  return Json{{"schema", "bankfull/acceptance"},
              {"schema_version", 1},
              {"verdict", verdict_text(acceptance)},
              {"exit_code", static_cast<int>(acceptance.code)},
              {"baseline", acceptance.baseline},
              {"devices", to_array(acceptance.devices)},
              {"together", to_array(acceptance.together)}}
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace bankfull::accept
