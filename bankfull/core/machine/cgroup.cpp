#include "bankfull/core/machine/cgroup.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace bankfull {
namespace {

constexpr const char* hierarchy = "sys/fs/cgroup";

/// The group in /proc/self/cgroup: the line of version 2 is "0::/user.slice/job.scope".
std::string path_of_group(const SystemFiles& files) {
  std::istringstream lines(files.text("proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0::/")) {
      return line.substr(4);
    }
  }
  return {};
}

/// "max 100000" or "200000 100000": microseconds of processor time in each period.
std::optional<double> processors_allowed(const std::string& cpu_max) {
  std::istringstream words(cpu_max);
  double quota = 0.0;
  double period = 0.0;
  return words >> quota >> period && period > 0.0 ? std::optional(quota / period) : std::nullopt;
}

template <class T>
void keep_least(std::optional<T>& least, const std::optional<T>& value) {
  if (value && (!least || *value < *least)) {
    least = value;
  }
}

}  // namespace

Cgroup::Cgroup(SystemFiles files) : files_(std::move(files)), path_(path_of_group(files_)) {
  // In a container the path may lead outside of what is mounted there: its root is the group.
  std::string path = path_;
  while (!path.empty()) {
    const std::string folder = std::string(hierarchy) + "/" + path;
    if (files_.exists(folder)) {
      folders_.push_back(folder);
    }
    const std::size_t slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
  }
  folders_.emplace_back(hierarchy);
}

std::vector<Figure> Cgroup::settings() const {
  std::optional<double> processors;
  std::optional<std::int64_t> memory;
  for (const std::string& folder : folders_) {
    keep_least(processors, processors_allowed(files_.text(folder + "/cpu.max").value_or("")));
    keep_least(memory, files_.number(folder + "/memory.max"));
  }
  std::vector<Figure> all;
  if (files_.exists("proc/self/cgroup")) {
    all.push_back({.name = "cgroup", .value = "/" + path_});
  }
  const auto allowed = files_.text(folders_.front() + "/cpuset.cpus.effective");
  if (allowed && !allowed->empty()) {
    all.push_back({.name = "cgroup_processors", .value = *allowed});
  }
  add_known(all, "cgroup_processor_time", processors, "processors");
  add_known(all, "cgroup_memory", memory, "B");
  return all;
}

std::vector<QuotaPeriods> Cgroup::quota_periods() const {
  std::vector<QuotaPeriods> all;
  for (const std::string& folder : folders_) {
    if (!processors_allowed(files_.text(folder + "/cpu.max").value_or(""))) {
      continue;
    }
    const auto periods = files_.number_after(folder + "/cpu.stat", "nr_periods");
    const auto throttled = files_.number_after(folder + "/cpu.stat", "nr_throttled");
    if (periods && throttled) {
      all.push_back({.folder = folder, .all = *periods, .throttled = *throttled});
    }
  }
  return all;
}

std::optional<QuotaPeriods> most_throttled(const std::vector<QuotaPeriods>& before,
                                           const std::vector<QuotaPeriods>& after) {
  std::optional<QuotaPeriods> worst;
  for (const QuotaPeriods& now : after) {
    const auto then = std::find_if(before.begin(), before.end(), [&](const QuotaPeriods& group) {
      return group.folder == now.folder;
    });
    if (then == before.end() || now.all < then->all || now.throttled < then->throttled) {
      continue;
    }
    const QuotaPeriods passed{.folder = now.folder,
                              .all = now.all - then->all,
                              .throttled = now.throttled - then->throttled};
    if (!worst || passed.share() > worst->share()) {
      worst = passed;
    }
  }
  return worst;
}

}  // namespace bankfull
