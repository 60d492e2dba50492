#include "bankfull/app/suite/report.hpp"

#include <string>

namespace bankfull::suite {
namespace {

namespace fs = std::filesystem;

/// A step that was refused or failed may have a result of an earlier suite there.
bool has_result(const RecordedStep& recorded) {
  return recorded.state == State::done || recorded.code == ExitCode::interrupted;
}

}  // namespace

std::vector<fs::path> results_of(const Record& record, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const RecordedStep& recorded : record.steps) {
    const fs::path in_own_folder = folder / recorded.step.name / "run.json";
    const fs::path file = result_of(folder, recorded.step);
    std::error_code ignored;
    if (!has_result(recorded)) {
      continue;
    }
    if (fs::is_regular_file(in_own_folder, ignored)) {
      files.push_back(in_own_folder);
    } else if (fs::is_regular_file(file, ignored)) {
      files.push_back(file);
    }
  }
  return files;
}

StepOutcome write_report(const Record& record, const fs::path& folder, const Communicator& ranks) {
  std::vector<std::string> arguments{"report"};
  ranks.on_root([&] {
    for (const fs::path& file : results_of(record, folder)) {
      arguments.push_back(file.string());
    }
  });
  bool is_empty = arguments.size() == 1;
  ranks.broadcast(&is_empty, sizeof is_empty, 0);
  if (is_empty) {
    return {};
  }
  if (!ranks.is_root()) {
    arguments.push_back(folder.string());  // which it does not read
  }
  arguments.insert(arguments.end(), {"--output", (folder / "report.html").string()});
  return run_step(arguments, ranks, folder / "report.txt");
}

}  // namespace bankfull::suite
