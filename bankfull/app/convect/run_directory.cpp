#include "bankfull/app/convect/run_directory.hpp"

#include "bankfull/app/convect/case_file.hpp"
#include "bankfull/app/convect/checkpoints.hpp"
#include "bankfull/app/convect/field_index.hpp"
#include "bankfull/app/convect/picture_list.hpp"
#include "bankfull/app/convect/probe_files.hpp"
#include "bankfull/app/convect/profile_file.hpp"
#include "bankfull/app/folder_lock.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/app/result_path.hpp"
#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/io/staged_path.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace bankfull::convect {
namespace {

namespace fs = std::filesystem;

/// Files in the list, which begins with a heading.
std::int64_t fields_told(const ToldSoFar& told) {
  return std::max<std::int64_t>(0, told.field_list_lines - 1);
}

std::vector<ListedFields> first_fields(const fs::path& list, std::int64_t count) {
  std::vector<ListedFields> listed = listed_fields(list);
  listed.resize(std::min(listed.size(), static_cast<std::size_t>(count)));
  return listed;
}

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

std::vector<std::string> files_of(const std::vector<ListedPicture>& pictures) {
  std::vector<std::string> files;
  files.reserve(pictures.size());
  for (const ListedPicture& picture : pictures) {
    files.push_back(picture.file);
  }
  return files;
}

/// Pictures of the case's slices in their folder that are not listed: a run that was killed may
/// have left some, whatever their numbers, which have gaps if the disk was full.
std::vector<std::string> unlisted_pictures(const fs::path& case_file,
                                           const std::vector<std::string>& listed,
                                           const std::vector<std::string>& there) {
  std::vector<std::string> pictures;
  try {
    for (const std::string& slice : slice_names(load_case(case_file, {}).slices)) {
      for (const std::string& name : there) {
        const std::int64_t number = number_of_picture(slice, name);
        const std::string picture =
            "slices/" + picture_name(slice, std::max<std::int64_t>(0, number));
        if (number >= 0 && std::ranges::find(listed, picture) == listed.end()) {
          pictures.push_back(picture);
        }
      }
    }
  } catch (const UsageError&) {
    // From another version of this program, or edited by hand: nothing to learn from it.
  }
  return pictures;
}

/// What is wrong with a file that is to begin with so many bytes that are so many whole lines; ""
/// where nothing is.
std::string fault_in_lines(const fs::path& path, std::int64_t bytes, std::int64_t lines) {
  if (bytes == 0) {
    return "";
  }
  if (type_of(path) != fs::file_type::regular) {
    return type_of(path) == fs::file_type::not_found ? "is missing" : "is not a file";
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return "cannot be read";
  }
  std::int64_t left = bytes;
  std::int64_t found = 0;
  std::string line;
  while (left > 0 && std::getline(file, line)) {
    left -= static_cast<std::int64_t>(line.size()) + (file.eof() ? 0 : 1);
    ++found;
  }
  if (left > 0) {
    return fmt::format("was cut: {} of {} bytes are left", bytes - left, bytes);
  }
  return left == 0 && found == lines ? "" : "was changed";
}

[[noreturn]] void fail_to_change(const fs::path& path, const char* what, int error) {
  throw RuntimeFailure(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(error)));
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

void keep_those_in(const std::vector<std::string>& others, std::vector<std::string>& names) {
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::find(others, name) == others.end();
  });
}

/// None of a file that is not there.
std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::string text_of_case(const Case& run) {
  return fmt::format("{}; written by bankfull {}.\n{}", case_heading, build_facts().version,
                     run.resolved);
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
          left_statistics(),
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
    refuse_folder(path_, "it holds something other than a run, which --overwrite does not replace");
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
  remove_pictures(unlisted_pictures(case_file(), listed, names_in(slices())));
  remove_movies(listed);
  rmdir(movies().c_str());  // which refuses where it holds what is not the run's
  for (const std::string& name : names_in(checkpoints())) {
    if (is_checkpoint_name(name) || is_temporary_checkpoint(name)) {
      remove_if_there(checkpoints() / name);
    }
  }
  rmdir(checkpoints().c_str());  // which refuses as below
  remove_statistics(nullptr);
  remove_left_statistics();
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

/// Profiles and spectra that the case in the folder asks for, and temporary ones. Where the run
/// continues with another case, those stay that this one no longer asks for: nobody would write
/// them again.
void RunDirectory::remove_statistics(const Case* next) const {
  std::vector<std::string> of_profiles;
  std::vector<std::string> of_spectra;
  try {
    const Case earlier = load_case(case_file(), {});
    of_profiles = profile_names(earlier);
    of_spectra = spectrum_names(earlier);
  } catch (const UsageError&) {
    return;  // from another version of this program, or edited by hand: nothing to learn from it
  }
  if (next != nullptr) {
    keep_those_in(profile_names(*next), of_profiles);
    keep_those_in(spectrum_names(*next), of_spectra);
  }
  remove_staged(profiles(), of_profiles);
  remove_staged(spectra(), of_spectra);
}

/// What the case in the folder writes and the next one does not, beside what is listed already.
void RunDirectory::list_left_statistics(const Case& next) const {
  std::vector<std::string> left = lines_of(left_statistics());
  const auto add = [&](const fs::path& folder, const std::vector<std::string>& names,
                       const std::vector<std::string>& kept) {
    for (const std::string& name : names) {
      const std::string listed = (folder.filename() / name).string();
      const bool is_left = std::ranges::find(kept, name) == kept.end();
      if (is_left && std::ranges::find(left, listed) == left.end() &&
          type_of(folder / name) == fs::file_type::regular) {
        left.push_back(listed);
      }
    }
  };
  try {
    const Case earlier = load_case(case_file(), {});
    add(profiles(), profile_names(earlier), profile_names(next));
    add(spectra(), spectrum_names(earlier), spectrum_names(next));
  } catch (const UsageError&) {
    return;  // as above
  }
  if (!left.empty()) {
    StagedFile(left_statistics(), fmt::format("{}\n", fmt::join(left, "\n"))).replace();
  }
}

/// Only what stands in their folders: the list may have been edited.
void RunDirectory::remove_left_statistics() const {
  for (const std::string& line : lines_of(left_statistics())) {
    const fs::path name(line);
    for (const fs::path& folder : {profiles(), spectra()}) {
      if (name == folder.filename() / name.filename() && name.extension() == ".csv") {
        remove_if_there(path_ / name);
      }
    }
  }
  remove_if_there(left_statistics());
}

/// Those that the case in the folder asks for, but for what a run continues.
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

/// All but the first ones of the list. The index goes with them; the continued run writes it again.
void RunDirectory::remove_fields(std::int64_t kept) const {
  for (const FieldFormat format : {FieldFormat::hdf5, FieldFormat::vtk}) {
    remove_if_there(field_index(format));
  }
  const std::vector<ListedFields> listed = first_fields(field_list(), kept);
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

/// Removes the movies of slices that have pictures.
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

std::optional<LostFile> RunDirectory::lost_since(const ToldSoFar& told) const {
  struct Growing {
    fs::path path;
    std::int64_t bytes;
    std::int64_t lines;
  };
  std::vector<Growing> files{{series(), told.series_bytes, told.series_lines},
                             {slice_list(), told.slice_list_bytes, told.slice_list_lines},
                             {field_list(), told.field_list_bytes, told.field_list_lines}};
  for (const ToldFile& probe : told.probes) {
    files.push_back({probes() / probe.name, probe.bytes, probe.lines});
  }
  for (const Growing& file : files) {
    if (const std::string fault = fault_in_lines(file.path, file.bytes, file.lines);
        !fault.empty()) {
      return LostFile{file.path, fault};
    }
  }
  return std::nullopt;
}

std::vector<fs::path> RunDirectory::missing_fields(const ToldSoFar& told) const {
  std::vector<fs::path> missing;
  for (const ListedFields& one : first_fields(field_list(), fields_told(told))) {
    if (type_of(path_ / one.file) == fs::file_type::not_found) {
      missing.push_back(path_ / one.file);
    }
  }
  return missing;
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
  remove_pictures(unlisted_pictures(case_file(), listed, names_in(slices())));
  const std::int64_t kept = std::max<std::int64_t>(0, saved.told.slice_list_lines - 1);
  listed.erase(
      listed.begin(),
      listed.begin() + std::min<std::int64_t>(kept, static_cast<std::int64_t>(listed.size())));
  remove_pictures(listed);
  if (saved.told.slice_list_bytes == 0) {
    remove_if_there(slice_list());
  }
  list_left_statistics(run);
  remove_statistics(&run);
  remove_probes(saved.told.probes);
  remove_temporary_files(names_in(path_));
  remove_temporary_pictures();
  remove_fields(fields_told(saved.told));
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

void RunDirectory::make_folder(const fs::path& path) {
  if (mkdir(path.c_str(), 0777) != 0 && type_of(path) != fs::file_type::directory) {
    fail_to_change(path, "make", errno);
  }
}

void RunDirectory::require_in_place(const fs::path& folder) {
  if (type_of(folder) != fs::file_type::directory) {
    throw RuntimeFailure(folder.string() + " was removed or replaced during the run");
  }
}

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

}  // namespace bankfull::convect
