#pragma once

#include "bankfull/app/convect/case.hpp"
#include "bankfull/app/convect/checkpoint_file.hpp"
#include "bankfull/app/convect/field_writer.hpp"
#include "bankfull/app/convect/probe_files.hpp"
#include "bankfull/app/convect/run_report.hpp"
#include "bankfull/app/folder_lock.hpp"
#include "bankfull/app/line_file.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace bankfull::convect {

/// The folder of a run: case.toml, run.json, series.csv, slices.csv, slices/*.png, profiles/*.csv,
/// spectra/*.csv, probes/*.csv, fields.csv, fields.xdmf or fields.pvd, fields/*, checkpoint/*.h5,
/// report.html and report-data.js; and movies/*.mp4, which are made of it later. Who writes to it
/// has its FolderLock, but for movies.
class RunDirectory {
 public:
  /// Changes nothing yet. Throws UsageError where the path is not a folder, cannot be written, is
  /// in use by another run, or holds anything; with `overwrite`, anything that is no run of this
  /// program. `example` is a name that tells runs apart, for what is said then.
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

  /// Whether what a run had told at a checkpoint is there still, whatever follows it.
  [[nodiscard]] bool holds(const ToldSoFar& told) const;

  /// Takes away what a run has written since it was saved at this step, pictures and later
  /// checkpoints among it, and its result; and writes the resolved case. Growing files are cut by
  /// who goes on with them. May be interrupted and done again. Throws RuntimeFailure.
  void go_back_to(const CheckpointHeader& saved, const Case& run) const;

  /// For movies of its pictures. Throws RuntimeFailure.
  void make_folder_of_movies() const;

  /// Throws UsageError where the file of --json is one of the run.
  void require_no_file_of_it(const std::optional<std::string>& json) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path case_file() const { return path_ / "case.toml"; }
  [[nodiscard]] std::filesystem::path result() const { return path_ / "run.json"; }
  [[nodiscard]] std::filesystem::path series() const { return path_ / "series.csv"; }
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
  void remove_statistics() const;
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

/// Writes what a run tells into its folder, which it makes when the run begins: each row and each
/// picture at once, so that a run that fails leaves what it found until then. Throws RuntimeFailure
/// naming a file that cannot be written, whose last whole row stays, and where the folder is no
/// longer that of this run.
class RunWriter final : public convection::Recorder {
 public:
  /// All must outlive the writer; `lock` is that of the directory. Changes nothing yet.
  RunWriter(const Case& run, const RunDirectory& directory, const FolderLock& lock);

  /// Goes on with the run that was saved so; it must outlive the writer.
  void go_on_from(const CheckpointHeader& saved) { saved_ = &saved; }

  /// What the report tells of the case, beside its physics.
  void set_report_facts(ReportFacts facts) { report_facts_ = std::move(facts); }

  /// Who hears of checkpoints, fields and reports that could not be written, and of the seconds
  /// that checkpoints took.
  struct CheckpointListener {
    std::function<void(const std::string&)> failed;
    std::function<void(double)> written;
  };
  void set_listener(CheckpointListener listener) { listener_ = std::move(listener); }

  void begin() override;
  void record(const convection::SeriesRow& row) override;
  void snapshot(const convection::SnapshotMoment& moment, const convection::Grid& grid,
                const convection::FlowReader& flow) override;

  /// Every ten rows, and for the report.
  [[nodiscard]] bool wants_statistics() override;

  /// Each file replaces what an earlier part of the run has left. What the disk has no room for
  /// while the run goes on is left out.
  void statistics(const convection::StatisticsSoFar& all) override;

  void probe(const convection::ProbeReading& reading) override;

  /// Copies them; a thread writes them.
  void fields(const convection::FieldMoment& moment, const convection::ToldFlow& flow) override;
  void finish_reading() noexcept override;

  /// The last two are kept. One that cannot be written does not end the run.
  void checkpoint(std::int64_t step, double time,
                  const std::function<void(convection::StateWriter&)>& save) override;

  /// Waits for the fields, and writes the report and run.json.
  void finish(const std::string& json);

  /// The report tells, where it still can, what a run failed by that has begun.
  void fail(const std::string& why);

  /// Whether there is a folder with what the run has told.
  [[nodiscard]] bool has_begun() const { return has_begun_; }

  /// What is left of a run that failed, as the end of a message: "what was found until then is in
  /// layer-run", and its last checkpoint, or that the folder is gone.
  [[nodiscard]] std::string what_is_left() const;

  [[nodiscard]] std::int64_t rows() const { return rows_; }

  /// Files of fields; after finish() only.
  [[nodiscard]] std::int64_t field_files() const { return fields_ ? fields_->list_lines() - 1 : 0; }

  [[nodiscard]] bool has_report() const { return report_ != nullptr; }

  /// Paths of the pictures so far.
  [[nodiscard]] const std::vector<std::filesystem::path>& pictures() const { return pictures_; }

  [[nodiscard]] const convection::SeriesRow& last_row() const { return last_row_; }

 private:
  void require_folder() const;
  void begin_fields(std::int64_t list_bytes);
  void begin_pictures(std::int64_t list_bytes);
  void begin_report();
  void finish_fields();
  void tell_messages();
  void warn(const std::string& message);
  void write_statistics(const convection::StatisticsSoFar& all) const;
  [[nodiscard]] ToldSoFar told_so_far() const;
  void write_checkpoint_at(std::int64_t step, double time,
                           const std::function<void(convection::StateWriter&)>& save);

  const Case* run_;
  const RunDirectory* directory_;
  const FolderLock* lock_;
  bool drives_heat_;
  bool has_begun_ = false;
  LineFile series_;
  LineFile slice_list_;
  ProbeFiles probes_;
  std::int64_t rows_ = 0;
  convection::SeriesRow last_row_;
  std::vector<std::string> slice_names_;
  std::vector<convection::ScalarRange> ranges_so_far_;  ///< of the colours of each slice
  std::vector<std::filesystem::path> pictures_;
  const CheckpointHeader* saved_ = nullptr;
  CheckpointListener listener_;
  std::unique_ptr<FieldWriter> fields_;
  ReportFacts report_facts_;
  std::unique_ptr<RunReport> report_;
  Stopwatch since_wish_;  ///< for profiles
};

}  // namespace bankfull::convect
