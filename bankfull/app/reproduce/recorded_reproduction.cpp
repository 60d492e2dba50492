#include "bankfull/app/reproduce/recorded_reproduction.hpp"

#include "bankfull/app/input_file.hpp"
#include "bankfull/app/recorded/recorded_run.hpp"
#include "bankfull/app/reproduce/reproduction_json.hpp"
#include "bankfull/core/base/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

}  // namespace

RecordedReproduction parse_reproduction(const std::string& text, const fs::path& file) {
  try {
    const RecordedJson document = RecordedJson::parse(text);
    const int version = document.at("schema_version");
    require(version == reproduction_schema_version,
            fmt::format("{} has schema version {}; this program reads {}", file.string(), version,
                        reproduction_schema_version),
            how_to_record);
    RecordedReproduction reproduction{.file = file,
                                      .paper = document.at("paper"),
                                      .citation = document.at("citation"),
                                      .values_from = document.at("values_from"),
                                      .items = {}};
    for (const RecordedJson& item : document.at("items")) {
      reproduction.items.push_back(item_from(item));
    }
    return reproduction;
  } catch (const nlohmann::json::exception& failure) {
    throw UsageError(fmt::format("{} cannot be read as a reproduction of a paper ({})",
                                 file.string(), failure.what()),
                     how_to_record);
  }
}

std::vector<RecordedReproduction> reproductions_in(const fs::path& file_or_folder) {
  const bool is_folder = fs::is_directory(file_or_folder);
  std::vector<RecordedReproduction> found;
  for (const fs::path& file : is_folder ? recorded::json_files_in(file_or_folder)
                                        : std::vector<fs::path>{file_or_folder}) {
    const std::string text = text_of_input(file);
    // Results of runs are many and long: only what may be one is parsed here.
    if (text.find(reproduction_schema) != std::string::npos &&
        is_reproduction(RecordedJson::parse(text, nullptr, false))) {
      found.push_back(parse_reproduction(text, file));
    }
  }
  return found;
}

}  // namespace bankfull::reproduce
