#pragma once

#include "bankfull/app/convect/case.hpp"
#include "bankfull/app/convect/checkpoint_file.hpp"
#include "bankfull/app/convect/field_writer.hpp"
#include "bankfull/app/convect/picture_files.hpp"
#include "bankfull/app/convect/probe_files.hpp"
#include "bankfull/app/convect/run_directory.hpp"
#include "bankfull/app/convect/run_report.hpp"
#include "bankfull/app/folder_lock.hpp"
#include "bankfull/app/line_file.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bankfull::convect {

/// Writes the output of a run into its folder, which it makes when the run begins: each row and
/// each picture at once, so that a run that fails leaves what it found until then. Throws
/// RuntimeFailure naming a file that cannot be written, whose last whole row stays, and where the
/// folder is no longer that of this run.
class RunWriter final : public convection::Recorder {
 public:
  /// All must outlive the writer; `lock` is that of the directory. Changes nothing yet.
  RunWriter(const Case& run, const RunDirectory& directory, const FolderLock& lock);

  /// Goes on with the run that was saved so; it must outlive the writer.
  void go_on_from(const CheckpointHeader& saved) { saved_ = &saved; }

  /// What the report shows of the case, beside its physics.
  void set_report_facts(ReportFacts facts) { report_facts_ = std::move(facts); }

  /// Is notified of checkpoints, fields and reports that could not be written, and of the seconds
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
  /// during the run is left out.
  void statistics(const convection::StatisticsSoFar& all) override;

  void probe(const convection::ProbeReading& reading) override;

  /// Copies them; a thread writes them.
  void fields(const convection::FieldMoment& moment, const convection::ToldFlow& flow) override;
  void finish_reading() noexcept override;

  /// The last two are kept. One that cannot be written does not end the run.
  void checkpoint(const convection::CheckpointMoment& moment,
                  const std::function<void(convection::StateWriter&)>& save) override;

  /// Waits for the fields, and writes the report and run.json. Throws RuntimeFailure also where
  /// pictures, the last profiles or spectra could not be written.
  void finish(const std::string& json);

  /// Writes into the report, where it still can, why a run failed that had begun.
  void fail(const std::string& why);

  /// Whether there is a folder with what the run has written.
  [[nodiscard]] bool has_begun() const { return has_begun_; }

  /// What is left of a run that failed, as the end of a message: "the results so far are in
  /// layer-run", and its last checkpoint, or that the folder is gone.
  [[nodiscard]] std::string what_is_left() const;

  [[nodiscard]] std::int64_t rows() const { return rows_; }

  /// Files of fields; after finish() only.
  [[nodiscard]] std::int64_t field_files() const { return fields_ ? fields_->list_lines() - 1 : 0; }

  [[nodiscard]] bool has_report() const { return report_ != nullptr; }

  /// Paths of the pictures so far.
  [[nodiscard]] const std::vector<std::filesystem::path>& pictures() const {
    return pictures_.paths();
  }

  [[nodiscard]] const convection::SeriesRow& last_row() const { return last_row_; }

 private:
  void require_folder() const;
  void begin_fields(std::int64_t list_bytes);
  void begin_others(const ToldSoFar& told);
  void begin_report();
  void finish_fields();
  void tell_messages();
  void warn(const std::string& message);
  void note_missing(const std::string& why);
  void write_statistics(const convection::StatisticsSoFar& all) const;
  [[nodiscard]] ToldSoFar told_so_far() const;
  void write_checkpoint_at(const convection::CheckpointMoment& moment,
                           const std::function<void(convection::StateWriter&)>& save);

  const Case* run_;
  const RunDirectory* directory_;
  const FolderLock* lock_;
  bool drives_heat_;
  bool has_begun_ = false;
  LineFile series_;
  PictureFiles pictures_;
  ProbeFiles probes_;
  std::int64_t rows_ = 0;
  convection::SeriesRow last_row_;
  const CheckpointHeader* saved_ = nullptr;
  CheckpointListener listener_;
  std::unique_ptr<FieldWriter> fields_;
  ReportFacts report_facts_;
  std::unique_ptr<RunReport> report_;
  Stopwatch since_wish_;  ///< for profiles
  std::string missing_;   ///< why the first picture or result that is not there is not
};

}  // namespace bankfull::convect
