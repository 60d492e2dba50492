#pragma once

#include "bankfull/app/convect/case.hpp"
#include "bankfull/app/convect/checkpoint_file.hpp"
#include "bankfull/app/line_file.hpp"
#include "bankfull/workloads/convection/run_probes.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::convect {

/// Names of the files that a case's probes make: "wake.csv".
std::vector<std::string> probe_file_names(const Case& wanted);

/// The files of a run's probes, a row for each point and time: step, time, x, y, z and the fields.
class ProbeFiles {
 public:
  ProbeFiles() = default;  ///< of a run without probes

  /// Begins the files of a case, and continues those that a run had written as far as `told`. The
  /// folder is there; it holds no others of these names. The case outlives it. Throws
  /// RuntimeFailure.
  ProbeFiles(const Case& run, const std::filesystem::path& folder,
             const std::vector<ToldFile>& told);

  /// Adds a row for each point, all of them or none. Throws RuntimeFailure.
  void add(const convection::ProbeReading& reading);

  /// Waits until all rows are on disk.
  void flush() const;

  [[nodiscard]] std::vector<ToldFile> told() const;
  [[nodiscard]] std::size_t count() const { return files_.size(); }

 private:
  const Case* run_ = nullptr;
  std::vector<LineFile> files_;
  std::vector<std::int64_t> lines_;
};

}  // namespace bankfull::convect
