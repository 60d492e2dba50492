#pragma once

#include "bankfull/app/html_report/pictures.hpp"
#include "bankfull/app/recorded/recorded_run.hpp"
#include "bankfull/app/reproduce/recorded_reproduction.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::html_report {

/// A result that a report shows.
struct ReportRun {
  recorded::RecordedRun run;
  std::vector<Picture> pictures = {};
};

/// What a report is given.
struct Inputs {
  std::vector<ReportRun> runs;
  std::vector<reproduce::RecordedReproduction> reproductions = {};
};

/// The results of runs and the reproductions of papers in files and folders, in their order, each
/// file once. Throws UsageError naming the one that has neither.
Inputs read_inputs(const std::vector<std::filesystem::path>& inputs);

/// Throws UsageError where the report would take the place of one of its inputs.
void require_no_input(const std::filesystem::path& output, const Inputs& inputs);

/// The runs without what a report adds to them.
std::vector<recorded::RecordedRun> recorded_in(const std::vector<ReportRun>& runs);

}  // namespace bankfull::html_report
