#include "bankfull/app/suite/record.hpp"

#include "bankfull/app/input_file.hpp"
#include "bankfull/app/step.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bankfull::suite {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* schema_name = "bankfull/suite";
constexpr int schema_version = 1;
constexpr std::size_t max_file_bytes = 16 << 20;

Json to_object(const RecordedStep& recorded) {
  Json object = {{"name", recorded.step.name},
                 {"command", command_line_of(recorded.step.arguments)},
                 {"arguments", recorded.step.arguments},
                 {"purpose", recorded.step.purpose},
                 {"state", state_names.to_string(recorded.state)},
                 {"exit_code", static_cast<int>(recorded.code)},
                 {"seconds", recorded.seconds}};
  if (!recorded.message.empty()) {
    object["message"] = recorded.message;
  }
  return object;
}

RecordedStep step_from(const Json& object, const fs::path& file) {
  const std::string state = object.at("state");
  const std::string problem = fmt::format("{}: '{}' is no state of a step", file.string(), state);
  return {.step = {.name = object.at("name"),
                   .arguments = object.at("arguments"),
                   .purpose = object.at("purpose")},
          .state = state_names.parse(state, problem),
          .code = static_cast<ExitCode>(object.at("exit_code").get<int>()),
          .seconds = object.at("seconds"),
          .message = object.value("message", std::string())};
}

bool same_steps(const Record& a, const Record& b) {
  return std::ranges::equal(a.steps, b.steps, [](const RecordedStep& x, const RecordedStep& y) {
    return x.step.name == y.step.name && x.step.arguments == y.step.arguments;
  });
}

}  // namespace

bool Record::complete() const {
  return std::ranges::none_of(steps, [](const RecordedStep& recorded) {
    return recorded.state == State::pending || recorded.state == State::left_out;
  });
}

std::string to_json(const Record& record) {
  Json steps = Json::array();
  for (const RecordedStep& recorded : record.steps) {
    steps.push_back(to_object(recorded));
  }
  return Json{{"schema", schema_name},
              {"schema_version", schema_version},
              {"level", level_names.to_string(record.level)},
              {"device", record.device},
              {"ranks", record.ranks},
              {"threads", record.threads},
              {"complete", record.complete()},
              {"steps", steps}}
             .dump(2) +
         "\n";
}

Record parse_record(const std::string& text, const fs::path& file) {
  const std::string problem = fmt::format("{} is not the record of a suite", file.string());
  try {
    const Json document = Json::parse(text);
    if (document.at("schema") != schema_name || document.at("schema_version") != schema_version) {
      throw UsageError(problem, "give another folder");
    }
    Record record{.level = level_names.parse(document.at("level").get<std::string>(), problem),
                  .device = document.at("device"),
                  .ranks = document.at("ranks"),
                  .threads = document.at("threads"),
                  .steps = {}};
    for (const Json& object : document.at("steps")) {
      record.steps.push_back(step_from(object, file));
    }
    return record;
  } catch (const nlohmann::json::exception&) {
    throw UsageError(problem, "give another folder");
  }
}

fs::path result_of(const fs::path& folder, const Step& step) {
  return folder / (step.name + ".json");
}

fs::path log_of(const fs::path& folder, const Step& step) { return folder / (step.name + ".txt"); }

std::optional<Record> earlier_record(const fs::path& folder, const Record& wanted) {
  const fs::path file = folder / "suite.json";
  if (!fs::exists(file)) {
    return std::nullopt;
  }
  const InputRefusal refusal{.problem = fmt::format("{} cannot be read", file.string()),
                             .remedy = "give another folder"};
  Record earlier = parse_record(read_input_file(file, max_file_bytes, refusal), file);
  if (!same_steps(earlier, wanted)) {
    throw UsageError(
        fmt::format("{} holds another suite ({}, on {}, {} ranks)", folder.string(),
                    level_names.to_string(earlier.level), earlier.device, earlier.ranks),
        "give another folder, or --overwrite");
  }
  return earlier;
}

Record shared(const Record& record, const Communicator& ranks) {
  const std::string own = to_json(record);
  const auto texts = ranks.all_gather(std::vector<char>(own.begin(), own.end()));
  return parse_record(std::string(texts.front().begin(), texts.front().end()), "suite.json");
}

}  // namespace bankfull::suite
