#pragma once

#include "bankfull/app/html_report/pictures.hpp"
#include "bankfull/app/recorded/recorded_run.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::html_report {

/// A result that a report shows.
struct ReportRun {
  recorded::RecordedRun run;
  std::vector<Picture> pictures = {};
};

/// The results of files and folders in their order, each file once. Throws UsageError naming the
/// one that has none.
std::vector<ReportRun> read_inputs(const std::vector<std::filesystem::path>& inputs);

/// Throws UsageError where the report would take the place of one of these results.
void require_no_input(const std::filesystem::path& output, const std::vector<ReportRun>& runs);

}  // namespace bankfull::html_report
