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
  /// workload.
  Baseline(const std::filesystem::path& path, const std::string& workload);

  [[nodiscard]] bool is_folder() const { return is_folder_; }

  /// Compares the run of this JSON with those of the baseline; `threshold` is a fraction. Throws
  /// UsageError where they are of other things or other machines.
  [[nodiscard]] Comparison compared_with(const std::string& json, double threshold) const;

 private:
  bool is_folder_;
  std::vector<RecordedRun> runs_;
};

}  // namespace bankfull::compare
