#include "bankfull/app/html_report/runs.hpp"

#include "bankfull/app/output_file.hpp"
#include "bankfull/core/base/error.hpp"

#include <fmt/format.h>
#include <set>

namespace bankfull::html_report {

namespace fs = std::filesystem;

std::vector<ReportRun> read_inputs(const std::vector<fs::path>& inputs) {
  std::set<fs::path> known;
  std::vector<ReportRun> runs;
  for (const fs::path& input : inputs) {
    for (recorded::RecordedRun& run : recorded::read_runs(input)) {
      if (known.insert(destination_of(run.file)).second) {
        std::vector<Picture> pictures = last_pictures(run.file);
        runs.push_back({.run = std::move(run), .pictures = std::move(pictures)});
      }
    }
  }
  return runs;
}

void require_no_input(const fs::path& output, const std::vector<ReportRun>& runs) {
  for (const ReportRun& one : runs) {
    if (destination_of(output) == destination_of(one.run.file)) {
      throw UsageError(fmt::format("--output {} is one of the results", output.string()),
                       "name another file");
    }
  }
}

}  // namespace bankfull::html_report
