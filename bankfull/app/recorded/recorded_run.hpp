#pragma once

#include "bankfull/app/console.hpp"
#include "bankfull/core/measure/context.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/run_result_json.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::recorded {

/// A result that a run has written with --json, read back: of schema version 1 or 2. What earlier
/// results did not record has its default, such as a quiet machine whose state nobody watched.
struct RecordedRun {
  std::filesystem::path file;
  int schema_version = run_result_schema_version;
  std::string date;     ///< when it was written, "2026-11-23T14:12:32Z"
  std::string command;  ///< the command line
  std::vector<UsedOption> options;
  std::vector<Figure> environment;  ///< variables, as texts
  std::vector<FactGroup>
      context;       ///< "system", "cpu", "gpu0", "build", "ranks" ...; without titles
  RunResult result;  ///< without attachment
};

/// The fact `name` of the group `key` of its context as text: ("cpu", "model"). Empty: not
/// recorded.
std::optional<std::string> fact(const RecordedRun& run, const std::string& key,
                                const std::string& name);

/// The value of a figure as text, numbers with six significant digits; without its unit.
std::string text_of(const Figure& figure);

/// The figure of this name as a number, where it is one.
std::optional<double> number(const std::vector<Figure>& figures, const std::string& name);

/// What the run was on: the names of its GPUs, or the model of its processor with the threads used.
std::string device_text(const RecordedRun& run);

/// The same of a measurement, which in a scaling run is on some of the ranks.
std::string device_text(const RecordedRun& run, const Measurement& measurement);

/// Throws UsageError naming the file where the text is no result of a run.
RecordedRun parse_run(const std::string& text, const std::filesystem::path& file);

/// Throws UsageError where the file cannot be read or is no result of a run.
RecordedRun read_run(const std::filesystem::path& file);

/// The JSON files of a folder and its folders, sorted by path.
std::vector<std::filesystem::path> json_files_in(const std::filesystem::path& folder);

/// What is told of files that are left out, in one line each.
using Listener = std::function<void(const std::string&)>;

/// The results among those; other files there are somebody else's. Results whose content cannot be
/// read, such as those of a run that was cut off, are left out and told.
std::vector<RecordedRun> runs_in(const std::filesystem::path& folder,
                                 const Listener& tell = write_error);

/// The results in a file, or in all JSON files of a folder and its folders as by runs_in, sorted by
/// path. Throws UsageError where there is none.
std::vector<RecordedRun> read_runs(const std::filesystem::path& file_or_folder,
                                   const Listener& tell = write_error);

}  // namespace bankfull::recorded
