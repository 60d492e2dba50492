#include "bankfull/app/compare/baseline.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::compare {
namespace {

constexpr const char* on_the_same_machine =
    "give --baseline a run on the same machine, or use compare --anyway";

}  // namespace

Baseline::Baseline(const std::filesystem::path& path, const std::string& workload,
                   const recorded::Listener& tell)
    : path_(path.string()),
      is_folder_(std::filesystem::is_directory(path)),
      runs_(recorded::read_runs(path, tell)) {
  const std::string other = runs_.front().result.workload;
  std::erase_if(runs_, [&](const RecordedRun& run) { return run.result.workload != workload; });
  require(
      !runs_.empty(),
      fmt::format("--baseline {} is of the workload {}, not of {}", path.string(), other, workload),
      "give the result of a run of the same thing");
}

void Baseline::require_place(const Names& here) const {
  const std::vector<Group> groups = measurements_of(runs_);
  const bool is_known = std::ranges::any_of(groups, [&](const Group& group) {
    return std::ranges::all_of(here, [&](const auto& name) {
      const auto found = group.subject.place.find(name.first);
      return found != group.subject.place.end() && found->second == name.second;
    });
  });
  require(groups.empty() || is_known,
          fmt::format("--baseline {} was recorded on {}, and this run is on {}", path_,
                      groups.empty() ? "" : groups.front().subject.place_text(),
                      Subject{.workload = {}, .name = {}, .place = here}.place_text()),
          on_the_same_machine);
}

Comparison Baseline::compared_with(const std::string& json, double threshold) const {
  const std::vector<RecordedRun> runs{recorded::parse_run(json, "this run")};
  Comparison comparison = compare_runs(runs_, runs, threshold);
  require_fair(comparison, on_the_same_machine);
  if (is_folder_) {
    comparison.only_old.clear();  // a folder may hold whatever was ever measured
  }
  return comparison;
}

}  // namespace bankfull::compare
