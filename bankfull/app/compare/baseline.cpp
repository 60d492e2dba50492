#include "bankfull/app/compare/baseline.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::compare {

Baseline::Baseline(const std::filesystem::path& path, const std::string& workload)
    : is_folder_(std::filesystem::is_directory(path)), runs_(recorded::read_runs(path)) {
  const std::string other = runs_.front().result.workload;
  std::erase_if(runs_, [&](const RecordedRun& run) { return run.result.workload != workload; });
  require(
      !runs_.empty(),
      fmt::format("--baseline {} is of the workload {}, not of {}", path.string(), other, workload),
      "give the result of a run of the same thing");
}

Comparison Baseline::compared_with(const std::string& json, double threshold) const {
  const std::vector<RecordedRun> runs{recorded::parse_run(json, "this run")};
  Comparison comparison = compare_runs(runs_, runs, threshold);
  require_fair(comparison, "give --baseline a run on the same machine, or use compare --anyway");
  if (is_folder_) {
    comparison.only_old.clear();  // a folder may hold whatever was ever measured
  }
  return comparison;
}

}  // namespace bankfull::compare
