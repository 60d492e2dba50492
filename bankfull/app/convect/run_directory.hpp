#pragma once

#include "bankfull/app/convect/case.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace bankfull::convect {

/// The folder of a run: case.toml, run.json, series.csv, slices.csv and slices/*.png.
class RunDirectory {
 public:
  /// Changes nothing yet. Throws UsageError where the path is not a folder, cannot be written, or
  /// holds anything; with `overwrite`, anything that is no run of this program.
  RunDirectory(std::filesystem::path path, bool overwrite);

  /// Makes the folder, takes away what the earlier run has written there and nothing else (of
  /// pictures those that its slices.csv lists), and writes the resolved case.
  void create(const Case& run) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path case_file() const { return path_ / "case.toml"; }
  [[nodiscard]] std::filesystem::path result() const { return path_ / "run.json"; }
  [[nodiscard]] std::filesystem::path series() const { return path_ / "series.csv"; }
  [[nodiscard]] std::filesystem::path slice_list() const { return path_ / "slices.csv"; }
  [[nodiscard]] std::filesystem::path slices() const { return path_ / "slices"; }

 private:
  void remove_earlier_run() const;

  std::filesystem::path path_;
};

/// Writes what a run tells into its folder, which it makes when the run begins: each row and each
/// picture at once, so that a run that fails leaves what it found until then. Throws RuntimeFailure
/// naming a file that cannot be written; its last whole row stays.
class RunWriter final : public convection::Recorder {
 public:
  /// Both must outlive the writer. Changes nothing yet.
  RunWriter(const Case& run, const RunDirectory& directory);

  void begin() override;
  void record(const convection::SeriesRow& row) override;
  void snapshot(std::int64_t number, double time, const convection::Grid& grid,
                const convection::FlowState& state) override;

  /// Whether there is a folder with what the run has told.
  [[nodiscard]] bool has_begun() const { return has_begun_; }

  [[nodiscard]] std::int64_t rows() const { return rows_; }

  /// Paths of the pictures so far.
  [[nodiscard]] const std::vector<std::filesystem::path>& pictures() const { return pictures_; }

  [[nodiscard]] const convection::SeriesRow& last_row() const { return last_row_; }

 private:
  const Case* run_;
  const RunDirectory* directory_;
  bool drives_heat_;
  bool has_begun_ = false;
  std::ofstream series_;
  std::ofstream slice_list_;
  std::int64_t rows_ = 0;
  convection::SeriesRow last_row_;
  std::vector<std::string> slice_names_;
  std::vector<std::filesystem::path> pictures_;
};

}  // namespace bankfull::convect
