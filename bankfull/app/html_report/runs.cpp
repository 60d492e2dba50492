#include "bankfull/app/html_report/runs.hpp"

#include "bankfull/app/output_file.hpp"
#include "bankfull/core/base/error.hpp"

#include <fmt/format.h>
#include <set>

namespace bankfull::html_report {
namespace {

namespace fs = std::filesystem;

/// Each file once, whatever inputs lead to it.
class Reader {
 public:
  void read(const fs::path& input) {
    std::vector<reproduce::RecordedReproduction> reproductions = reproduce::reproductions_in(input);
    const bool has_any = !reproductions.empty();
    for (reproduce::RecordedReproduction& one : reproductions) {
      if (is_new(one.file)) {
        inputs_.reproductions.push_back(std::move(one));
      }
    }
    if (!has_any) {
      add(recorded::read_runs(input));
    } else if (fs::is_directory(input)) {
      add(recorded::runs_in(input));
    }
  }

  Inputs take() { return std::move(inputs_); }

 private:
  bool is_new(const fs::path& file) { return known_.insert(destination_of(file)).second; }

  void add(std::vector<recorded::RecordedRun> runs) {
    for (recorded::RecordedRun& run : runs) {
      if (is_new(run.file)) {
        std::vector<Picture> pictures = last_pictures(run.file);
        inputs_.runs.push_back({.run = std::move(run), .pictures = std::move(pictures)});
      }
    }
  }

  std::set<fs::path> known_;
  Inputs inputs_;
};

void require_other_file(const fs::path& output, const fs::path& input) {
  if (destination_of(output) == destination_of(input)) {
    throw UsageError(fmt::format("--output {} is one of the results", output.string()),
                     "name another file");
  }
}

}  // namespace

Inputs read_inputs(const std::vector<fs::path>& inputs) {
  Reader reader;
  for (const fs::path& input : inputs) {
    reader.read(input);
  }
  return reader.take();
}

void require_no_input(const fs::path& output, const Inputs& inputs) {
  for (const ReportRun& one : inputs.runs) {
    require_other_file(output, one.run.file);
  }
  for (const reproduce::RecordedReproduction& one : inputs.reproductions) {
    require_other_file(output, one.file);
  }
}

std::vector<recorded::RecordedRun> recorded_in(const std::vector<ReportRun>& runs) {
  std::vector<recorded::RecordedRun> all;
  all.reserve(runs.size());
  for (const ReportRun& one : runs) {
    all.push_back(one.run);
  }
  return all;
}

}  // namespace bankfull::html_report
