#pragma once

#include "bankfull/app/compare/comparison.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::compare {

/// Recorded runs that a new one is to be compared with.
class Baseline {
 public:
  /// Reads a result or a folder of them. Throws UsageError where there is none, or none of this
  /// workload. Results that cannot be read are told.
  Baseline(const std::filesystem::path& path, const std::string& workload,
           const recorded::Listener& tell = write_error);

  /// Throws UsageError where nothing of it was measured at a place that has these names, which are
  /// a part of Subject::place: those that are known before a run.
  void require_place(const Names& here) const;

  [[nodiscard]] bool is_folder() const { return is_folder_; }

  /// Compares the run of this JSON with those of the baseline; `threshold` is a fraction. Throws
  /// UsageError where they are of other things or other machines.
  [[nodiscard]] Comparison compared_with(const std::string& json, double threshold) const;

 private:
  std::string path_;
  bool is_folder_;
  std::vector<RecordedRun> runs_;
};

}  // namespace bankfull::compare
