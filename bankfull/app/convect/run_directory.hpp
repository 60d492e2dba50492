#pragma once

#include "bankfull/app/convect/case.hpp"
#include "bankfull/app/convect/checkpoint_file.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::convect {

/// A growing file of a run that does not hold all that the run had written.
struct LostFile {
  std::filesystem::path path;
  std::string what;  ///< "is missing"
};

/// The folder of a run: case.toml, run.json, series.csv, slices.csv, slices/*.png, profiles/*.csv,
/// spectra/*.csv, probes/*.csv, fields.csv, fields.xdmf or fields.pvd, fields/*, checkpoint/*.h5,
/// report.html and report-data.js; and movies/*.mp4, which are made of it later. Who writes to it
/// has its FolderLock, but for movies.
class RunDirectory {
 public:
  /// Changes nothing yet. Throws UsageError where the path is not a folder, cannot be written, is
  /// in use by another run, or holds anything; with `overwrite`, anything that is no run of this
  /// program. `example` is a name that distinguishes runs, for what is said then.
  RunDirectory(std::filesystem::path path, bool overwrite, std::string example = "DIR");

  /// The folder of a run for an option ("--restart"). Throws UsageError with this remedy where
  /// there is none, or where it cannot be written.
  static RunDirectory of_run(const std::filesystem::path& path, const std::string& option,
                             const std::string& remedy);

  /// Throws UsageError as the constructor does for what the folder holds: by now, that is, when it
  /// is locked and nobody else can put anything there.
  void require_replaceable() const;

  /// Takes away what the earlier run has written there and nothing else (of pictures those that its
  /// slices.csv lists, and one that its end kept from being listed), and writes the resolved case.
  /// The folder must be there and locked. Whenever this is interrupted, what is there is known as a
  /// run. Throws RuntimeFailure.
  void create(const Case& run) const;

  /// The first growing file that does not have what a run had written at a checkpoint any more,
  /// whatever follows that.
  [[nodiscard]] std::optional<LostFile> lost_since(const ToldSoFar& told) const;

  /// Files of fields that were written before a checkpoint and are gone, in the order of the list.
  [[nodiscard]] std::vector<std::filesystem::path> missing_fields(const ToldSoFar& told) const;

  /// Takes away what a run has written since it was saved at this step, pictures and later
  /// checkpoints among it, and its result; but no profile or spectrum that this case does not have;
  /// and writes the resolved case. Growing files are cut by the run that continues them. May be
  /// interrupted and done again. Throws RuntimeFailure.
  void go_back_to(const CheckpointHeader& saved, const Case& run) const;

  /// One of its folders, where it is not there yet. Throws RuntimeFailure.
  static void make_folder(const std::filesystem::path& path);

  /// Throws RuntimeFailure where one of its folders is there no more.
  static void require_in_place(const std::filesystem::path& folder);

  /// Throws UsageError where the file of --json is one of the run.
  void require_no_file_of_it(const std::optional<std::string>& json) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path case_file() const { return path_ / "case.toml"; }
  [[nodiscard]] std::filesystem::path result() const { return path_ / "run.json"; }
  [[nodiscard]] std::filesystem::path series() const { return path_ / "series.csv"; }

  /// Profiles and spectra that a restart left as they were, for its case has none of that name:
  /// their names in the folder, a line each.
  [[nodiscard]] std::filesystem::path left_statistics() const {
    return path_ / "left_statistics.txt";
  }
  [[nodiscard]] std::filesystem::path slice_list() const { return path_ / "slices.csv"; }
  [[nodiscard]] std::filesystem::path slices() const { return path_ / "slices"; }
  [[nodiscard]] std::filesystem::path movies() const { return path_ / "movies"; }
  [[nodiscard]] std::filesystem::path report() const { return path_ / "report.html"; }
  [[nodiscard]] std::filesystem::path report_data() const { return path_ / "report-data.js"; }
  /// Whoever makes this file asks the run to end.
  [[nodiscard]] std::filesystem::path stop_file() const { return path_ / "stop"; }
  [[nodiscard]] std::filesystem::path profiles() const { return path_ / "profiles"; }
  [[nodiscard]] std::filesystem::path spectra() const { return path_ / "spectra"; }
  [[nodiscard]] std::filesystem::path probes() const { return path_ / "probes"; }
  [[nodiscard]] std::filesystem::path checkpoints() const { return path_ / "checkpoint"; }
  [[nodiscard]] std::filesystem::path fields() const { return path_ / "fields"; }
  [[nodiscard]] std::filesystem::path field_list() const { return path_ / "fields.csv"; }
  [[nodiscard]] std::filesystem::path field_index(FieldFormat format) const {
    return path_ / (format == FieldFormat::hdf5 ? "fields.xdmf" : "fields.pvd");
  }

 private:
  struct KnownRun {};
  RunDirectory(std::filesystem::path path, KnownRun /*by now*/)
      : path_(std::move(path)), overwrite_(false) {}

  [[nodiscard]] std::vector<std::filesystem::path> files() const;
  [[nodiscard]] bool holds_a_run() const;
  void require_no_links() const;
  void remove_earlier_run() const;
  void remove_temporary_files(const std::vector<std::string>& names) const;
  void remove_temporary_pictures() const;
  void remove_statistics(const Case* next) const;
  void list_left_statistics(const Case& next) const;
  void remove_left_statistics() const;
  void remove_probes(const std::vector<ToldFile>& kept) const;
  void remove_report() const;
  void remove_pictures(const std::vector<std::string>& listed) const;
  void remove_movies(const std::vector<std::string>& listed) const;
  void remove_fields(std::int64_t kept) const;
  void make_folders(const Case& run) const;

  std::filesystem::path path_;
  bool overwrite_;
  std::string example_;
};

}  // namespace bankfull::convect
