#include "bankfull/app/convect/run_directory.hpp"

#include "bankfull/app/convect/case_file.hpp"
#include "bankfull/app/convect/checkpoints.hpp"
#include "bankfull/app/convect/picture_list.hpp"
#include "bankfull/app/convect/profile_file.hpp"
#include "bankfull/app/convect/slice.hpp"
#include "bankfull/app/convect/slice_file.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/app/result_path.hpp"
#include "bankfull/build_config.hpp"
#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/io/staged_path.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/convection/heat_path.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace bankfull::convect {
namespace {

namespace fs = std::filesystem;
using convection::SeriesRow;

[[noreturn]] void refuse_folder(const fs::path& path, const std::string& why) {
  throw UsageError("cannot write the run to " + path.string() + ": " + why,
                   "name another folder with --output");
}

/// The nearest folder above that is there; "." has none where the working folder was removed.
fs::path existing_parent(const fs::path& path) {
  std::error_code error;
  fs::path parent = fs::absolute(path, error).parent_path();
  if (error) {
    refuse_folder(path, "the working folder: " + error.message());
  }
  while (!fs::exists(parent, error) && parent.has_relative_path()) {
    parent = parent.parent_path();
  }
  return parent;
}

void require_writable(const fs::path& given, const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    refuse_folder(given, folder.string() + " is not a folder");
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    refuse_folder(given, "no permission to write to " + folder.string());
  }
}

/// What stands there itself: a link is a link.
fs::file_type type_of(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type();
}

// The first words of every resolved case: by them a folder is known as that of a run.
constexpr const char* case_heading = "# The case as it ran, every default filled in";

bool is_of_a_run(const fs::path& case_file) {
  if (type_of(case_file) != fs::file_type::regular) {
    return false;  // a pipe would keep us waiting
  }
  std::ifstream file(case_file);
  std::string line;
  return std::getline(file, line) && line.starts_with(case_heading);
}

/// What is in a folder; nothing of one that cannot be read.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  return names;
}

/// "temperature-y", with a number where several slices would have the same name.
std::vector<std::string> names_of(const std::vector<SliceRequest>& slices) {
  std::vector<std::string> names;
  for (const SliceRequest& slice : slices) {
    const char* normal = convection::axis_names[static_cast<std::size_t>(slice.normal)];
    std::string name = fmt::format("{}-{}", slice.field, normal);
    for (int n = 2; std::find(names.begin(), names.end(), name) != names.end(); ++n) {
      name = fmt::format("{}-{}-{}", slice.field, n, normal);
    }
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> files_of(const std::vector<ListedPicture>& pictures) {
  std::vector<std::string> files;
  files.reserve(pictures.size());
  for (const ListedPicture& picture : pictures) {
    files.push_back(picture.file);
  }
  return files;
}

/// Of each slice the picture after those that are listed: a run that was killed may have left one.
std::vector<std::string> unlisted_pictures(const fs::path& case_file,
                                           const std::vector<std::string>& listed) {
  std::vector<std::string> pictures;
  try {
    for (const std::string& slice : names_of(load_case(case_file, {}).slices)) {
      std::int64_t number = 0;
      while (std::find(listed.begin(), listed.end(), "slices/" + picture_name(slice, number)) !=
             listed.end()) {
        ++number;
      }
      pictures.push_back("slices/" + picture_name(slice, number));
    }
  } catch (const UsageError&) {
    // Of another version of this program, or changed by hand: then it tells nothing.
  }
  return pictures;
}

/// Whether a file begins with so many bytes that are so many whole lines.
bool begins_with_lines(const fs::path& path, std::int64_t bytes, std::int64_t lines) {
  if (bytes == 0) {
    return true;
  }
  if (type_of(path) != fs::file_type::regular) {
    return false;
  }
  std::ifstream file(path, std::ios::binary);
  std::int64_t left = bytes;
  std::int64_t found = 0;
  std::string line;
  while (left > 0 && std::getline(file, line)) {
    left -= static_cast<std::int64_t>(line.size()) + (file.eof() ? 0 : 1);
    ++found;
  }
  return left == 0 && found == lines;
}

[[noreturn]] void fail_to_change(const fs::path& path, const char* what, int error) {
  throw RuntimeFailure(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(error)));
}

void make_folder(const fs::path& path) {
  if (mkdir(path.c_str(), 0777) != 0 && type_of(path) != fs::file_type::directory) {
    fail_to_change(path, "make", errno);
  }
}

void remove_if_there(const fs::path& path) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT) {
    fail_to_change(path, "remove", errno);
  }
}

/// Files of a folder, and what killed runs left of them.
void remove_staged(const fs::path& folder, const std::vector<std::string>& names) {
  if (type_of(folder) != fs::file_type::directory) {
    return;
  }
  const std::vector<std::string> there = names_in(folder);
  for (const std::string& name : names) {
    remove_if_there(folder / name);
    for (const std::string& other : there) {
      if (is_temporary_of(other, name)) {
        remove_if_there(folder / other);
      }
    }
  }
}

std::string text_of_case(const Case& run) {
  return fmt::format("{}; written by bankfull {}.\n{}", case_heading, build_facts().version,
                     run.resolved);
}

std::string series_heading(const convection::Problem& problem) {
  std::string heading =
      "step,time,dt,dt_limit,courant,nusselt_lower,nusselt_upper,nusselt_volume,nusselt_thermal,"
      "nusselt_kinetic,reynolds,kinetic_energy,dissipation,buoyancy_work,wall_work,force_work,"
      "time_scheme_work,divergence,cycles,ns_per_cell_step,max_u,max_v,max_w,"
      "cell_peclet,cell_over_batchelor,resolution";
  for (const convection::Scalar& scalar : problem.scalars) {
    heading += fmt::format(
        ",{0}_mean,{0}_least,{0}_most,{0}_mean_square,{0}_dissipation,{0}_wall_production,"
        "{0}_source_production,{0}_time_scheme_production",
        scalar.name);
    if (scalar.advection == convection::Advection::bounded) {
      heading += fmt::format(",{}_numerical_dissipation", scalar.name);
    }
    heading += fmt::format(
        ",{0}_flux_lower,{0}_flux_upper,{0}_flux_volume,{0}_difference,{0}_sherwood_lower,"
        "{0}_sherwood_upper,{0}_sherwood_volume",
        scalar.name);
  }
  return heading;
}

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

/// Nothing where it is not known.
std::string cell_of(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string nusselt_cells(const SeriesRow& row, bool drives_heat) {
  const convection::Nusselt& nusselt = row.nusselt;
  return drives_heat ? fmt::format("{},{},{},{},{}", nusselt.lower, nusselt.upper, nusselt.volume,
                                   nusselt.thermal, cell_of(nusselt.kinetic))
                     : ",,,,";
}

std::string energy_cells(const SeriesRow& row) {
  const convection::Diagnosis& flow = row.diagnosis;
  return fmt::format("{},{},{},{},{},{}", flow.kinetic_energy, flow.dissipation, flow.buoyancy_work,
                     flow.wall_work, flow.force_work,
                     row.time_scheme ? cell_of(row.time_scheme->energy) : "");
}

std::string scalar_cells(const SeriesRow& row, std::size_t number) {
  const convection::Diagnosis::OfScalar& scalar = row.diagnosis.scalars[number];
  return fmt::format("{},{},{},{},{},{},{},{}", scalar.mean, scalar.min, scalar.max,
                     scalar.mean_square, scalar.dissipation, scalar.wall_production,
                     scalar.source_production,
                     row.time_scheme ? cell_of(row.time_scheme->scalars[number]) : "");
}

/// Of bounded scalars; beside the others', which have none.
std::string numerical_cell(const SeriesRow& row, std::size_t number) {
  return "," + (row.time_scheme ? cell_of(row.time_scheme->numerical_dissipation[number])
                                : std::string());
}

std::string series_line(const SeriesRow& row, const convection::Problem& problem,
                        bool drives_heat) {
  const convection::Diagnosis& flow = row.diagnosis;
  std::string line = fmt::format(
      "{},{},{},{},{},{},{},{:.4g},{},{},{},{},{}", row.step, row.time, row.dt,
      to_string(row.limit), row.courant,
      nusselt_cells(row, drives_heat) + "," + cell_of(convection::reynolds_number(problem, flow)),
      energy_cells(row), flow.divergence, row.cycles, row.seconds_per_cell_step * 1e9,
      flow.fastest_along[0], flow.fastest_along[1], flow.fastest_along[2]);
  const std::optional<double>& peclet = row.resolution.cell_peclet;
  line += fmt::format(",{},{},{}", peclet ? fmt::format("{:.4g}", *peclet) : "",
                      cell_of(row.resolution.cell_over_batchelor),
                      is_resolved(row.resolution) ? "resolved" : "under-resolved");
  for (std::size_t s = 0; s < flow.scalars.size(); ++s) {
    line += "," + scalar_cells(row, s);
    if (problem.scalars[s].advection == convection::Advection::bounded) {
      line += numerical_cell(row, s);
    }
    for (const convection::NamedNumber& number :
         convection::scalar_flux_figures(problem, s, flow)) {
      line += "," + cell_of(number.value);
    }
  }
  return line;
}

}  // namespace

RunDirectory::RunDirectory(fs::path path, bool overwrite, std::string example)
    : path_(std::move(path)), overwrite_(overwrite), example_(std::move(example)) {
  if (path_.empty()) {
    throw UsageError("--output is empty", "name a folder");
  }
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path_, error);
  if (status.type() == fs::file_type::none) {
    refuse_folder(path_, error.message());
  }
  if (!fs::exists(status)) {
    require_writable(path_, existing_parent(path_));
    return;
  }
  require_writable(path_, path_);
  FolderLock::require_free(path_);
  require_replaceable();
}

RunDirectory RunDirectory::of_run(const fs::path& path, const std::string& option,
                                  const std::string& remedy) {
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("{} {}: {}", option, path.string(), why), remedy);
  };
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    refuse(fs::exists(path, error) ? "it is not a folder" : "there is no such folder");
  }
  if (access(path.c_str(), W_OK | X_OK) != 0) {
    refuse("no permission to write there");
  }
  if (!is_of_a_run(path / "case.toml")) {
    refuse("it holds no run");
  }
  RunDirectory directory(path, KnownRun{});
  directory.require_no_links();
  return directory;
}

std::vector<fs::path> RunDirectory::files() const {
  return {case_file(),
          result(),
          series(),
          slice_list(),
          stop_file(),
          report(),
          report_data(),
          field_list(),
          field_index(FieldFormat::hdf5),
          field_index(FieldFormat::vtk)};
}

/// Before its case.toml has got its name, a run has nothing but that under a temporary one.
bool RunDirectory::holds_a_run() const {
  const std::vector<std::string> names = names_in(path_);
  return is_of_a_run(case_file()) ||
         std::all_of(names.begin(), names.end(), [&](const std::string& name) {
           return name == FolderLock::file_name ||
                  is_temporary_of(name, case_file().filename().string());
         });
}

void RunDirectory::require_no_links() const {
  for (const fs::path& file : files()) {
    const fs::file_type type = type_of(file);
    // A link of this name is replaced itself, not what it leads to.
    if (type != fs::file_type::not_found && type != fs::file_type::regular &&
        type != fs::file_type::symlink) {
      refuse_folder(path_, file.filename().string() + " in it is not a file");
    }
  }
  for (const fs::path& folder :
       {slices(), movies(), profiles(), spectra(), probes(), checkpoints(), fields()}) {
    const fs::file_type type = type_of(folder);
    if (type != fs::file_type::not_found && type != fs::file_type::directory) {
      refuse_folder(path_, folder.filename().string() +
                               " in it is not a folder of its own, and links are not followed");
    }
  }
}

void RunDirectory::require_replaceable() const {
  std::vector<std::string> names = names_in(path_);
  names.erase(std::remove(names.begin(), names.end(), FolderLock::file_name), names.end());
  if (names.empty()) {
    return;
  }
  if (!overwrite_) {
    throw UsageError("the folder " + path_.string() + " is there already and not empty",
                     "give --overwrite to replace the run in it, or another folder with --output, "
                     "as --output " +
                         example_);
  }
  if (!holds_a_run()) {
    refuse_folder(path_, "it holds something else than a run, which --overwrite does not replace");
  }
  require_no_links();
}

void RunDirectory::remove_earlier_run() const {
  // The result first: a folder that has one is complete. The case last, by which it is known.
  remove_if_there(result());
  remove_report();
  remove_if_there(stop_file());
  const std::vector<std::string> listed = files_of(listed_pictures(slice_list()));
  remove_pictures(listed);
  remove_pictures(unlisted_pictures(case_file(), listed));
  remove_movies(listed);
  rmdir(movies().c_str());  // which refuses where it holds what is not the run's
  for (const std::string& name : names_in(checkpoints())) {
    if (is_checkpoint_name(name) || is_temporary_checkpoint(name)) {
      remove_if_there(checkpoints() / name);
    }
  }
  rmdir(checkpoints().c_str());  // which refuses as below
  remove_statistics();
  rmdir(profiles().c_str());
  rmdir(spectra().c_str());
  remove_probes({});
  rmdir(probes().c_str());
  remove_fields(0);
  rmdir(fields().c_str());
  remove_temporary_pictures();
  rmdir(slices().c_str());  // which refuses where it holds what is not the run's
  remove_if_there(slice_list());
  remove_if_there(series());
}

void RunDirectory::remove_report() const {
  remove_if_there(report());
  remove_if_there(report_data());
}

/// Profiles and spectra that the case in the folder asks for, and temporary ones.
void RunDirectory::remove_statistics() const {
  std::vector<std::string> of_profiles;
  std::vector<std::string> of_spectra;
  try {
    const Case earlier = load_case(case_file(), {});
    of_profiles = profile_names(earlier);
    of_spectra = spectrum_names(earlier);
  } catch (const UsageError&) {
    return;  // of another version of this program, or changed by hand: then it tells nothing
  }
  remove_staged(profiles(), of_profiles);
  remove_staged(spectra(), of_spectra);
}

/// Those that the case in the folder asks for, but for what a run goes on with.
void RunDirectory::remove_probes(const std::vector<ToldFile>& kept) const {
  if (type_of(probes()) != fs::file_type::directory) {
    return;
  }
  try {
    for (const std::string& name : probe_file_names(load_case(case_file(), {}))) {
      if (std::ranges::none_of(kept, [&](const ToldFile& one) { return one.name == name; })) {
        remove_if_there(probes() / name);
      }
    }
  } catch (const UsageError&) {
    // As above.
  }
}

/// All but the first ones of the list. The index goes with them; who goes on writes it again.
void RunDirectory::remove_fields(std::int64_t kept) const {
  for (const FieldFormat format : {FieldFormat::hdf5, FieldFormat::vtk}) {
    remove_if_there(field_index(format));
  }
  std::vector<ListedFields> listed = listed_fields(field_list());
  listed.resize(std::min(listed.size(), static_cast<std::size_t>(kept)));
  for (const std::string& name : names_in(fields())) {
    const bool is_kept = std::ranges::any_of(
        listed, [&name](const ListedFields& one) { return fs::path(one.file).filename() == name; });
    if (!is_kept && (is_field_file_name(name) || is_temporary_field_file(name))) {
      remove_if_there(fields() / name);
    }
  }
  if (kept == 0) {
    remove_if_there(field_list());
  }
}

void RunDirectory::remove_pictures(const std::vector<std::string>& listed) const {
  for (const std::string& picture : listed) {
    for (const fs::path& file : {path_ / picture, data_beside(path_ / picture)}) {
      const fs::file_type type = type_of(file);
      if (type == fs::file_type::regular || type == fs::file_type::symlink) {
        remove_if_there(file);
      }
    }
  }
}

/// Of the slices that have pictures.
void RunDirectory::remove_movies(const std::vector<std::string>& listed) const {
  if (type_of(movies()) != fs::file_type::directory) {
    return;
  }
  std::set<std::string> of_the_run;
  for (const std::string& picture : listed) {
    of_the_run.insert(movie_name(slice_of(picture)));
  }
  for (const std::string& name : names_in(movies())) {
    const std::string file = name.substr(0, name.find(temporary_mark));
    if (of_the_run.count(file) != 0 && (name == file || is_temporary_of(name, file))) {
      remove_if_there(movies() / name);
    }
  }
}

void RunDirectory::remove_temporary_files(const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    for (const fs::path& file : files()) {
      if (is_temporary_of(name, file.filename().string())) {
        remove_if_there(path_ / name);
      }
    }
  }
}

void RunDirectory::remove_temporary_pictures() const {
  for (const std::string& name : names_in(slices())) {
    for (const std::string& ending : {std::string(".png"), std::string(".h5")}) {
      const std::size_t end = name.find(ending);
      if (end != std::string::npos && is_temporary_of(name, name.substr(0, end + ending.size()))) {
        remove_if_there(slices() / name);
      }
    }
  }
}

bool RunDirectory::holds(const ToldSoFar& told) const {
  return begins_with_lines(series(), told.series_bytes, told.series_lines) &&
         begins_with_lines(slice_list(), told.slice_list_bytes, told.slice_list_lines) &&
         begins_with_lines(field_list(), told.field_list_bytes, told.field_list_lines) &&
         std::ranges::all_of(told.probes, [this](const ToldFile& probe) {
           return begins_with_lines(probes() / probe.name, probe.bytes, probe.lines);
         });
}

void RunDirectory::go_back_to(const CheckpointHeader& saved, const Case& run) const {
  remove_if_there(result());
  if (!run.report) {
    remove_report();  // else it is replaced
  }
  remove_if_there(stop_file());
  for (const fs::path& checkpoint : checkpoints_in(checkpoints())) {
    // They are of what is now computed again; one of this step has been read.
    if (checkpoint.filename() > checkpoint_name(saved.step)) {
      remove_if_there(checkpoint);
    }
  }
  std::vector<std::string> listed = files_of(listed_pictures(slice_list()));
  remove_pictures(unlisted_pictures(case_file(), listed));
  const std::int64_t kept = std::max<std::int64_t>(0, saved.told.slice_list_lines - 1);
  listed.erase(
      listed.begin(),
      listed.begin() + std::min<std::int64_t>(kept, static_cast<std::int64_t>(listed.size())));
  remove_pictures(listed);
  if (saved.told.slice_list_bytes == 0) {
    remove_if_there(slice_list());
  }
  remove_statistics();
  remove_probes(saved.told.probes);
  remove_temporary_files(names_in(path_));
  remove_temporary_pictures();
  remove_fields(std::max<std::int64_t>(0, saved.told.field_list_lines - 1));
  StagedFile(case_file(), text_of_case(run)).replace();
  make_folders(run);
}

void RunDirectory::make_folders(const Case& run) const {
  if (!run.slices.empty() && run.cadence.snapshots > 0) {
    make_folder(slices());
  }
  if (run.cadence.fields.any()) {
    make_folder(fields());
  }
  if (!run.cadence.probes.empty()) {
    make_folder(probes());
  }
}

void RunDirectory::make_folder_of_movies() const { make_folder(movies()); }

void RunDirectory::create(const Case& run) const {
  const std::vector<std::string> stale = names_in(path_);
  StagedFile written_case(case_file(), text_of_case(run));
  remove_earlier_run();
  remove_temporary_files(stale);
  written_case.replace();
  make_folders(run);
}

void RunDirectory::require_no_file_of_it(const std::optional<std::string>& json) const {
  const std::string of_the_run = "a file of the run itself";
  for (const fs::path& file : files()) {
    require_other_than(json, file, of_the_run);
  }
  require_other_than(json, path_ / FolderLock::file_name, of_the_run);
  require_outside(json, slices(), of_the_run);
  require_outside(json, movies(), of_the_run);
  require_outside(json, profiles(), of_the_run);
  require_outside(json, spectra(), of_the_run);
  require_outside(json, probes(), of_the_run);
  require_outside(json, checkpoints(), of_the_run);
  require_outside(json, fields(), of_the_run);
  require_no_folder_of(json, path_, "the folder of the run, or one above it");
}

RunWriter::RunWriter(const Case& run, const RunDirectory& directory, const FolderLock& lock)
    : run_(&run),
      directory_(&directory),
      lock_(&lock),
      drives_heat_(convection::heat_path_of(run.problem) != nullptr),
      slice_names_(names_of(run.slices)),
      ranges_so_far_(run.slices.size(), no_range) {}

void RunWriter::begin() {
  require_folder();
  if (saved_ != nullptr) {
    const ToldSoFar& told = saved_->told;
    directory_->go_back_to(*saved_, *run_);
    has_begun_ = true;
    series_ = LineFile(directory_->series(), told.series_bytes);
    rows_ = told.series_lines - 1;
    begin_pictures(told.slice_list_bytes);
    probes_ = ProbeFiles(*run_, directory_->probes(), told.probes);
    begin_fields(told.field_list_bytes);
    begin_report();
    return;
  }
  directory_->create(*run_);
  has_begun_ = true;
  series_ = LineFile(directory_->series(), series_heading(run_->problem));
  begin_pictures(0);
  probes_ = ProbeFiles(*run_, directory_->probes(), {});
  begin_fields(0);
  begin_report();
}

/// What an earlier process has told is part of it.
void RunWriter::begin_report() {
  if (!run_->report) {
    return;
  }
  ReportData data(*run_, report_facts_, series_heading(run_->problem), slice_names_);
  for (const std::string& line : lines_after_heading(directory_->series())) {
    data.add_row(line);
  }
  for (const std::string& line : lines_after_heading(directory_->slice_list())) {
    data.add_picture(line);
  }
  report_ = std::make_unique<RunReport>(
      std::move(data),
      RunReport::Places{.page = directory_->report(), .data = directory_->report_data()}, *lock_);
  report_->begin();
}

void RunWriter::begin_pictures(std::int64_t list_bytes) {
  if (list_bytes == 0) {
    if (!run_->slices.empty() && run_->cadence.snapshots > 0) {
      slice_list_ = LineFile(directory_->slice_list(), "file,time,field,normal,at,least,most");
    }
    return;
  }
  slice_list_ = LineFile(directory_->slice_list(), list_bytes);
  for (const ListedPicture& picture : listed_pictures(directory_->slice_list())) {
    pictures_.push_back(directory_->path() / picture.file);
    for (std::size_t n = 0; n < slice_names_.size(); ++n) {
      if (slice_of(picture.file) == slice_names_[n]) {
        ranges_so_far_[n] = both(ranges_so_far_[n], picture.range);
      }
    }
  }
}

void RunWriter::begin_fields(std::int64_t list_bytes) {
  if (run_->cadence.fields.any()) {
    fields_ = std::make_unique<FieldWriter>(
        *run_,
        FieldWriter::Places{.files = directory_->fields(),
                            .list = directory_->field_list(),
                            .index = directory_->field_index(run_->fields.format)},
        list_bytes);
  }
}

void RunWriter::finish_fields() {
  if (fields_) {
    fields_->finish();
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
  if (type_of(directory_->fields()) != fs::file_type::directory) {
    throw RuntimeFailure(directory_->fields().string() + " was removed or replaced during the run");
  }
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

bool RunWriter::wants_statistics() {
  constexpr std::int64_t rows_between = 10;
  since_wish_.restart();
  return rows_ % rows_between == 0 || (report_ && report_->is_due());
}

void RunWriter::snapshot(const convection::SnapshotMoment& moment, const convection::Grid& grid,
                         const convection::FlowReader& flow) {
  for (std::size_t n = 0; n < run_->slices.size(); ++n) {
    const SliceRequest& slice = run_->slices[n];
    convection::ScalarRange& so_far = ranges_so_far_[n];
    const SlicePlane plane = slice_plane(slice, run_->problem, grid, flow);
    SlicePicture drawn = draw_slice(slice, plane, grid,
                                    range_beforehand(slice, run_->problem, moment.scalars, so_far));
    so_far = both(so_far, {drawn.least, drawn.most});
    if (run_->frames) {
      drawn.picture =
          framed(drawn.picture, caption_of(slice, grid, drawn, moment.time, moment.step));
    }
    const std::string name = picture_name(slice_names_[n], moment.number);
    require_folder();
    if (type_of(directory_->slices()) != fs::file_type::directory) {
      throw RuntimeFailure(directory_->slices().string() +
                           " was removed or replaced during the run");
    }
    if constexpr (build::hdf5) {
      if (run_->slice_data) {
        write_slice(data_beside(directory_->slices() / name), slice, plane, moment);
      }
    }
    write_png(directory_->slices() / name, drawn.picture);
    pictures_.push_back(directory_->slices() / name);
    const std::string line =
        fmt::format("slices/{},{},{},{},{},{},{}", name, moment.time, slice.field,
                    convection::axis_names[static_cast<std::size_t>(slice.normal)], slice.position,
                    drawn.least, drawn.most);
    slice_list_.append(line);
    if (report_) {
      report_->data().add_picture(line);
    }
  }
}

void RunWriter::statistics(const convection::StatisticsSoFar& all) {
  require_folder();
  if (all.at_end) {
    write_statistics(all);
    return;
  }
  try {
    write_statistics(all);
  } catch (const RuntimeFailure& failure) {
    warn(fmt::format("{}; the run goes on", failure.what()));
  }
  if (report_ && report_->is_due()) {
    report_->write(since_wish_.seconds());
  }
}

void RunWriter::write_statistics(const convection::StatisticsSoFar& all) const {
  if (!all.profiles.empty()) {
    make_folder(directory_->profiles());
  }
  for (const convection::Profile& profile : all.profiles) {
    write_profile(directory_->profiles(), profile);
  }
  if (!all.spectra.empty()) {
    make_folder(directory_->spectra());
  }
  for (const convection::Spectrum& spectrum : all.spectra) {
    write_spectrum(directory_->spectra(), spectrum);
  }
  if (report_) {
    report_->data().set_profiles(all.profiles);
  }
}

void RunWriter::checkpoint(std::int64_t step, double time,
                           const std::function<void(convection::StateWriter&)>& save) {
  require_folder();
  const Stopwatch writing;
  finish_fields();
  try {
    write_checkpoint_at(step, time, save);
  } catch (const RuntimeFailure& failure) {
    const std::vector<fs::path> last = checkpoints_in(directory_->checkpoints());
    warn(fmt::format("{}; the run goes on, and its last checkpoint is {}", failure.what(),
                     last.empty() ? "none" : last.front().string()));
    return;
  }
  if (listener_.written) {
    listener_.written(writing.seconds());
  }
}

ToldSoFar RunWriter::told_so_far() const {
  const bool has_pictures = slice_list_.size() > 0;
  return {.series_bytes = series_.size(),
          .series_lines = rows_ + 1,
          .slice_list_bytes = slice_list_.size(),
          .slice_list_lines = has_pictures ? static_cast<std::int64_t>(pictures_.size()) + 1 : 0,
          .field_list_bytes = fields_ ? fields_->list_bytes() : 0,
          .field_list_lines = fields_ ? fields_->list_lines() : 0,
          .probes = probes_.told()};
}

void RunWriter::write_checkpoint_at(std::int64_t step, double time,
                                    const std::function<void(convection::StateWriter&)>& save) {
  const fs::path folder = directory_->checkpoints();
  make_folder(folder);
  // What the checkpoint counts on must not be lost where it is not.
  series_.flush();
  slice_list_.flush();
  probes_.flush();
  if (fields_) {
    fields_->flush_list();
  }
  if constexpr (build::hdf5) {
    const int threads = std::min(run_->problem.host_threads, most_threads_of_a_file);
    write_checkpoint(
        {folder / checkpoint_name(step), threads},
        {.step = step, .time = time, .resolved_case = run_->resolved, .told = told_so_far()}, save);
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
      "what was found until then is in " + folder +
      (saved.empty() ? "" : ", and its last checkpoint is " + saved.front().string());
  return lock_->holds() ? left
                        : fmt::format("{} in it was removed or replaced during the run; {}",
                                      FolderLock::file_name, left);
}

}  // namespace bankfull::convect
