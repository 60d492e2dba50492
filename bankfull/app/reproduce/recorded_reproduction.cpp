#include "bankfull/app/reproduce/recorded_reproduction.hpp"

#include "bankfull/app/input_file.hpp"
#include "bankfull/app/recorded/recorded_run.hpp"
#include "bankfull/app/reproduce/reproduction_json.hpp"
#include "bankfull/core/base/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bankfull::reproduce {
namespace {

namespace fs = std::filesystem;
using RecordedJson = nlohmann::json;

constexpr const char* reproduction_schema = "bankfull/reproduction";
constexpr const char* how_to_record = "give the file that bankfull reproduce wrote with --json";
constexpr std::size_t max_reproduction_bytes = std::size_t{256} << 20;

std::optional<double> optional_number(const RecordedJson& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? std::nullopt
                                                   : std::optional(found->get<double>());
}

std::string optional_text(const RecordedJson& object, const char* key) {
  return object.value(key, std::string());
}

RecordedRow row_from(const RecordedJson& object) {
  RecordedRow row{.label = object.at("row"),
                  .unit = object.at("unit"),
                  .published = {},
                  .ours = optional_number(object, "ours"),
                  .percent = optional_number(object, "percent_of_bankfull"),
                  .verdict = object.at("verdict"),
                  .noisy = optional_text(object, "quietness") == "noisy",
                  .device = optional_text(object, "device"),
                  .reason = optional_text(object, "reason"),
                  .note = optional_text(object, "note")};
  for (const RecordedJson& published : object.at("published")) {
    row.published.push_back({.machine = published.at("machine"),
                             .value = optional_number(published, "value"),
                             .ratio = optional_number(published, "ratio")});
  }
  return row;
}

RecordedItem item_from(const RecordedJson& object) {
  RecordedItem item{.id = object.at("item"),
                    .title = object.at("title"),
                    .shows = optional_text(object, "shows"),
                    .instead = optional_text(object, "instead"),
                    .note = optional_text(object, "note"),
                    .rows = {}};
  for (const RecordedJson& row : object.at("rows")) {
    item.rows.push_back(row_from(row));
  }
  return item;
}

bool is_reproduction(const RecordedJson& document) {
  return document.is_object() && document.value("schema", RecordedJson()) == reproduction_schema;
}

std::string text_of_input(const fs::path& file) {
  return read_input_file(file, max_reproduction_bytes,
                         {.problem = fmt::format("{} cannot be read", file.string()),
                          .remedy = "give a file that a run wrote with --json, or a folder"});
}

/// What is wrong with a text: "cannot be read as ...".
class Unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

RecordedReproduction reproduction_from(const RecordedJson& document, const fs::path& file) {
  RecordedReproduction reproduction{.file = file,
                                    .paper = document.at("paper"),
                                    .citation = document.at("citation"),
                                    .values_from = document.at("values_from"),
                                    .items = {}};
  for (const RecordedJson& item : document.at("items")) {
    reproduction.items.push_back(item_from(item));
  }
  return reproduction;
}

RecordedReproduction reproduction_from_text(const std::string& text, const fs::path& file) {
  const RecordedJson document = RecordedJson::parse(text, nullptr, false);
  if (document.is_discarded()) {
    throw Unreadable("cannot be read as a reproduction of a paper: it is cut off, or no JSON");
  }
  try {
    const int version = document.at("schema_version");
    if (version != reproduction_schema_version) {
      throw Unreadable(fmt::format("has schema version {}; this program reads {}", version,
                                   reproduction_schema_version));
    }
    return reproduction_from(document, file);
  } catch (const nlohmann::json::exception&) {
    throw Unreadable(
        "cannot be read as a reproduction of a paper: a part is missing, or of a wrong type");
  }
}

/// Also of a file that was cut off, which is no JSON but names the schema.
bool is_meant_as_reproduction(const std::string& text) {
  // Results of runs are many and long: only what may be one is parsed here.
  if (text.find(reproduction_schema) == std::string::npos) {
    return false;
  }
  const RecordedJson document = RecordedJson::parse(text, nullptr, false);
  return document.is_discarded() || is_reproduction(document);
}

}  // namespace

RecordedReproduction parse_reproduction(const std::string& text, const fs::path& file) {
  try {
    return reproduction_from_text(text, file);
  } catch (const Unreadable& failure) {
    throw UsageError(fmt::format("{} {}", file.string(), failure.what()), how_to_record);
  }
}

std::vector<RecordedReproduction> reproductions_in(const fs::path& file_or_folder,
                                                   const recorded::Listener& tell) {
  std::vector<RecordedReproduction> found;
  if (!fs::is_directory(file_or_folder)) {
    const std::string text = text_of_input(file_or_folder);
    if (is_meant_as_reproduction(text)) {
      found.push_back(parse_reproduction(text, file_or_folder));
    }
    return found;
  }
  for (const fs::path& file : recorded::json_files_in(file_or_folder)) {
    const std::string text = text_of_input(file);
    if (!is_meant_as_reproduction(text)) {
      continue;
    }
    try {
      found.push_back(reproduction_from_text(text, file));
    } catch (const Unreadable& failure) {
      tell(fmt::format("{} {}; it is left out", file.string(), failure.what()));
    }
  }
  return found;
}

}  // namespace bankfull::reproduce
