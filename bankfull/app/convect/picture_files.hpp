#pragma once

#include "bankfull/app/convect/case.hpp"
#include "bankfull/app/convect/slice.hpp"
#include "bankfull/app/line_file.hpp"
#include "bankfull/workloads/convection/run.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::convect {

/// The pictures of a run's slices, the values beside them where they are asked for, and their list.
class PictureFiles {
 public:
  struct Places {
    std::filesystem::path folder;  ///< the run's
    std::filesystem::path files;   ///< slices/
    std::filesystem::path list;    ///< slices.csv
  };

  PictureFiles() = default;

  /// Begins the list of a case with pictures, or continues one of `list_bytes`. The case
  /// outlives it. Throws RuntimeFailure.
  PictureFiles(const Case& run, Places places, std::int64_t list_bytes);

  /// Draws a slice of the flow and adds its picture; returns its line in the list. Throws
  /// RuntimeFailure.
  std::string add(std::size_t slice, const convection::SnapshotMoment& moment,
                  const convection::Grid& grid, const convection::FlowReader& flow);

  /// Waits until the list is on disk.
  void flush() const { list_.flush(); }

  /// Paths, in the order of the list.
  [[nodiscard]] const std::vector<std::filesystem::path>& paths() const { return paths_; }

  [[nodiscard]] std::int64_t list_bytes() const { return list_.size(); }
  [[nodiscard]] std::int64_t list_lines() const;

 private:
  void read_list();

  const Case* run_ = nullptr;
  Places places_;
  LineFile list_;
  std::vector<std::string> names_;                      ///< of slices
  std::vector<convection::ScalarRange> ranges_so_far_;  ///< of the colours of each slice
  std::vector<std::filesystem::path> paths_;
};

}  // namespace bankfull::convect
