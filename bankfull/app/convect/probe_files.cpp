#include "bankfull/app/convect/probe_files.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::convect {
namespace {

using convection::ProbeRequest;

std::string file_of(const ProbeRequest& probe) { return probe.name + ".csv"; }

std::string heading_of(const ProbeRequest& probe, const convection::Problem& problem) {
  std::string heading = "step,time,x,y,z";
  for (const int field : probe.fields) {
    const auto n = static_cast<std::size_t>(field);
    heading += ",";
    heading += field < 3 ? velocity_fields[n] : problem.scalars[n - 3].name;
  }
  return heading;
}

}  // namespace

std::vector<std::string> probe_file_names(const Case& wanted) {
  const std::vector<ProbeRequest>& probes = wanted.cadence.probes;
  std::vector<std::string> names(probes.size());
  std::ranges::transform(probes, names.begin(), file_of);
  return names;
}

ProbeFiles::ProbeFiles(const Case& run, const std::filesystem::path& folder,
                       const std::vector<ToldFile>& told)
    : run_(&run) {
  for (const ProbeRequest& probe : run.cadence.probes) {
    const std::string name = file_of(probe);
    const auto before =
        std::ranges::find_if(told, [&](const ToldFile& one) { return one.name == name; });
    if (before == told.end()) {
      files_.emplace_back(folder / name, heading_of(probe, run.problem));
      lines_.push_back(1);
    } else {
      files_.emplace_back(folder / name, before->bytes);
      lines_.push_back(before->lines);
    }
  }
}

void ProbeFiles::add(const convection::ProbeReading& reading) {
  const ProbeRequest& probe = run_->cadence.probes[reading.probe];
  std::string rows;
  auto value = reading.values.begin();
  for (const convection::Vector& point : probe.points) {
    rows += rows.empty() ? "" : "\n";
    rows += fmt::format("{},{},{},{},{}", reading.step, reading.time, point[0], point[1], point[2]);
    for (std::size_t n = 0; n < probe.fields.size(); ++n) {
      rows += fmt::format(",{}", *value++);
    }
  }
  files_[reading.probe].append(rows);
  lines_[reading.probe] += static_cast<std::int64_t>(probe.points.size());
}

void ProbeFiles::flush() const {
  for (const LineFile& file : files_) {
    file.flush();
  }
}

std::vector<ToldFile> ProbeFiles::told() const {
  std::vector<ToldFile> all;
  for (std::size_t n = 0; n < files_.size(); ++n) {
    all.push_back({file_of(run_->cadence.probes[n]), files_[n].size(), lines_[n]});
  }
  return all;
}

}  // namespace bankfull::convect
