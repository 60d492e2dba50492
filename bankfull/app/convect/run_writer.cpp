#include "bankfull/app/convect/run_writer.hpp"

#include "bankfull/app/convect/checkpoints.hpp"
#include "bankfull/app/convect/field_index.hpp"
#include "bankfull/app/convect/picture_list.hpp"
#include "bankfull/app/convect/profile_file.hpp"
#include "bankfull/app/convect/series_file.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/convection/heat_path.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>

namespace bankfull::convect {
namespace {

namespace fs = std::filesystem;
using convection::SeriesRow;

/// The whole lines of a file but the first; none of one that is not there.
std::vector<std::string> lines_after_heading(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

RunWriter::RunWriter(const Case& run, const RunDirectory& directory, const FolderLock& lock)
    : run_(&run),
      directory_(&directory),
      lock_(&lock),
      drives_heat_(convection::heat_path_of(run.problem) != nullptr) {}

void RunWriter::begin() {
  require_folder();
  if (saved_ != nullptr) {
    directory_->go_back_to(*saved_, *run_);
    has_begun_ = true;
    series_ = LineFile(directory_->series(), saved_->told.series_bytes);
    rows_ = saved_->told.series_lines - 1;
    begin_others(saved_->told);
  } else {
    directory_->create(*run_);
    has_begun_ = true;
    series_ = LineFile(directory_->series(), series_heading(run_->problem));
    begin_others({});
  }
}

/// Continues the files that were begun, and begins the others.
void RunWriter::begin_others(const ToldSoFar& told) {
  pictures_ = PictureFiles(*run_,
                           {.folder = directory_->path(),
                            .files = directory_->slices(),
                            .list = directory_->slice_list()},
                           told.slice_list_bytes);
  probes_ = ProbeFiles(*run_, directory_->probes(), told.probes);
  begin_fields(told.field_list_bytes);
  begin_report();
}

/// What an earlier process has written is part of it.
void RunWriter::begin_report() {
  if (!run_->report) {
    return;
  }
  ReportData data(*run_, report_facts_, series_heading(run_->problem), slice_names(run_->slices));
  for (const std::string& line : lines_after_heading(directory_->series())) {
    data.add_row(line);
  }
  for (const std::string& line : lines_after_heading(directory_->slice_list())) {
    data.add_picture(line);
  }
  report_ = std::make_unique<RunReport>(
      std::move(data),
      RunReport::Places{.page = directory_->report(), .data = directory_->report_data()}, *lock_);
  report_->begin(saved_ != nullptr ? saved_->taken.seconds : 0.0);
}

void RunWriter::begin_fields(std::int64_t list_bytes) {
  if (run_->cadence.fields.any()) {
    fields_ = std::make_unique<FieldWriter>(
        *run_,
        FieldWriter::Places{.files = directory_->fields(),
                            .list = directory_->field_list(),
                            .index = directory_->field_index(run_->fields.format)},
        list_bytes);
  } else if (list_bytes > 0) {
    // No more fields are written, but those that there are stay.
    const LineFile cut_back(directory_->field_list(), list_bytes);
    const convection::Grid grid(run_->problem.axes);
    StagedFile(directory_->field_index(run_->fields.format),
               index_text(layout_of(*run_, grid), listed_fields(directory_->field_list())))
        .replace();
  }
}

void RunWriter::finish_fields() {
  if (fields_) {
    fields_->finish();
    note_missing(fields_->missing());
  }
  tell_messages();
}

void RunWriter::tell_messages() {
  std::vector<std::string> messages;
  if (fields_) {
    messages = fields_->take_messages();
  }
  if (report_) {
    std::ranges::move(report_->take_messages(), std::back_inserter(messages));
  }
  for (const std::string& message : messages) {
    warn(message);
  }
}

void RunWriter::warn(const std::string& message) {
  if (listener_.failed) {
    listener_.failed(message);
  }
  if (report_) {
    report_->data().add_warning(message);
  }
}

void RunWriter::finish_reading() noexcept {
  if (fields_) {
    fields_->finish_reading();
  }
}

void RunWriter::fields(const convection::FieldMoment& moment, const convection::ToldFlow& flow) {
  require_folder();
  directory_->require_in_place(directory_->fields());
  fields_->write(moment, flow);
  tell_messages();
}

void RunWriter::probe(const convection::ProbeReading& reading) {
  require_folder();
  probes_.add(reading);
}

void RunWriter::require_folder() const {
  if (!lock_->holds()) {
    throw RuntimeFailure("cannot write to the folder " + directory_->path().string());
  }
}

void RunWriter::record(const SeriesRow& row) {
  require_folder();
  tell_messages();
  const std::string line = series_line(row, run_->problem, drives_heat_);
  series_.append(line);
  last_row_ = row;
  ++rows_;
  if (report_) {
    report_->data().add_row(line);
    report_->data().set_resolution(row.resolution);
    if (run_->cadence.statistics.empty() && report_->is_due()) {
      report_->write();
    }
  }
}

void RunWriter::note_missing(const std::string& why) {
  if (missing_.empty()) {
    missing_ = why;
  }
}

bool RunWriter::wants_statistics() {
  constexpr std::int64_t rows_between = 10;
  since_wish_.restart();
  return rows_ % rows_between == 0 || (report_ && report_->is_due());
}

void RunWriter::snapshot(const convection::SnapshotMoment& moment, const convection::Grid& grid,
                         const convection::FlowReader& flow) {
  if (run_->slice_data) {
    finish_fields();  // HDF5 is used by one thread at a time
  }
  for (std::size_t n = 0; n < run_->slices.size(); ++n) {
    require_folder();
    directory_->require_in_place(directory_->slices());
    try {
      const std::string line = pictures_.add(n, moment, grid, flow);
      if (report_) {
        report_->data().add_picture(line);
      }
    } catch (const NoRoom& failure) {
      warn(fmt::format("{}; the run continues without this picture", failure.what()));
      note_missing(failure.what());
    }
  }
}

void RunWriter::statistics(const convection::StatisticsSoFar& all) {
  require_folder();
  try {
    write_statistics(all);
  } catch (const RuntimeFailure& failure) {
    if (all.at_end) {
      note_missing(failure.what());  // which takes nothing else away
      return;
    }
    warn(fmt::format("{}; the run continues", failure.what()));
  }
  if (!all.at_end && report_ && report_->is_due()) {
    report_->write(since_wish_.seconds());
  }
}

void RunWriter::write_statistics(const convection::StatisticsSoFar& all) const {
  if (!all.profiles.empty()) {
    directory_->make_folder(directory_->profiles());
  }
  for (const convection::Profile& profile : all.profiles) {
    write_profile(directory_->profiles(), profile);
  }
  if (!all.spectra.empty()) {
    directory_->make_folder(directory_->spectra());
  }
  for (const convection::Spectrum& spectrum : all.spectra) {
    write_spectrum(directory_->spectra(), spectrum);
  }
  if (report_) {
    report_->data().set_profiles(all.profiles);
  }
}

void RunWriter::checkpoint(const convection::CheckpointMoment& moment,
                           const std::function<void(convection::StateWriter&)>& save) {
  require_folder();
  const Stopwatch writing;
  finish_fields();
  try {
    write_checkpoint_at(moment, save);
  } catch (const RuntimeFailure& failure) {
    const std::vector<fs::path> last = checkpoints_in(directory_->checkpoints());
    warn(fmt::format("{}; the run continues, and its last checkpoint is {}", failure.what(),
                     last.empty() ? "none" : last.front().string()));
    return;
  }
  if (listener_.written) {
    listener_.written(writing.seconds());
  }
}

ToldSoFar RunWriter::told_so_far() const {
  const ToldSoFar before = saved_ != nullptr ? saved_->told : ToldSoFar{};
  return {.series_bytes = series_.size(),
          .series_lines = rows_ + 1,
          .slice_list_bytes = pictures_.list_bytes(),
          .slice_list_lines = pictures_.list_lines(),
          .field_list_bytes = fields_ ? fields_->list_bytes() : before.field_list_bytes,
          .field_list_lines = fields_ ? fields_->list_lines() : before.field_list_lines,
          .probes = probes_.told()};
}

void RunWriter::write_checkpoint_at(const convection::CheckpointMoment& moment,
                                    const std::function<void(convection::StateWriter&)>& save) {
  const fs::path folder = directory_->checkpoints();
  directory_->make_folder(folder);
  // What the checkpoint counts on must not be lost where it is not.
  series_.flush();
  pictures_.flush();
  probes_.flush();
  if (fields_) {
    fields_->flush_list();
  }
  if constexpr (build::hdf5) {
    write_checkpoint({.path = folder / checkpoint_name(moment.step),
                      .threads = threads_of_checkpoints(run_->problem)},
                     {.step = moment.step,
                      .time = moment.time,
                      .resolved_case = run_->resolved,
                      .told = told_so_far(),
                      .taken = moment.taken},
                     save);
  }
  remove_old_checkpoints(folder);
}

void RunWriter::finish(const std::string& json) {
  finish_fields();
  require_folder();
  if (report_) {
    // Before the result: a folder that has one is complete.
    report_->data().end(json);
    report_->finish();
    tell_messages();
  }
  StagedFile(directory_->result(), json).replace();
  if (!missing_.empty()) {
    throw RuntimeFailure(missing_);
  }
}

void RunWriter::fail(const std::string& why) {
  if (report_ && lock_->holds()) {
    report_->data().fail(why);
    report_->finish();
    tell_messages();
  }
}

std::string RunWriter::what_is_left() const {
  const std::string folder = directory_->path().string();
  if (!lock_->is_in_place()) {
    return "the folder " + folder +
           " was removed, renamed or replaced during the run, and nothing of the run is left there";
  }
  const std::vector<fs::path> saved = checkpoints_in(directory_->checkpoints());
  const std::string left =
      "the results so far are in " + folder +
      (saved.empty() ? "" : ", and its last checkpoint is " + saved.front().string());
  return lock_->holds() ? left
                        : fmt::format("{} in it was removed or replaced during the run; {}",
                                      FolderLock::file_name, left);
}

}  // namespace bankfull::convect
