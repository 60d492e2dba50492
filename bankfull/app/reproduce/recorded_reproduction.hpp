#pragma once

#include "bankfull/app/console.hpp"
#include "bankfull/app/recorded/recorded_run.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// What `bankfull reproduce` has written with --json, read back; see
// docs/schema/reproduction.schema.json.

namespace bankfull::reproduce {

struct RecordedValue {
  std::string machine;          ///< of the paper
  std::optional<double> value;  ///< empty: the paper has none for this machine
  std::optional<double> ratio;  ///< ours over it
};

struct RecordedRow {
  std::string label;
  std::string unit;
  std::vector<RecordedValue> published;
  std::optional<double> ours;  ///< empty: not measured, for `reason`
  std::optional<double> percent;
  std::string verdict;
  bool noisy = false;
  std::string device;
  std::string reason;
  std::string note;
};

struct RecordedItem {
  std::string id;
  std::string title;
  std::string shows;    ///< what it shows if that is no measurement
  std::string instead;  ///< and what there is in its place
  std::string note;
  std::vector<RecordedRow> rows;
};

struct RecordedReproduction {
  std::filesystem::path file;
  std::string paper;
  std::string citation;
  std::string values_from;
  std::vector<RecordedItem> items;
};

/// Throws UsageError naming the file where it cannot be read.
RecordedReproduction parse_reproduction(const std::string& text, const std::filesystem::path& file);

/// Those in a file, or in all JSON files of a folder and its folders, sorted by path; none where
/// there is something else. Those of a folder whose content cannot be read are left out and told;
/// throws UsageError where a file that is named itself cannot be read.
std::vector<RecordedReproduction> reproductions_in(const std::filesystem::path& file_or_folder,
                                                   const recorded::Listener& tell = write_error);

}  // namespace bankfull::reproduce
