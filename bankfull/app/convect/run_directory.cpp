#include "bankfull/app/convect/run_directory.hpp"

#include "bankfull/app/convect/slice.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/workloads/convection/heat_path.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace bankfull::convect {
namespace {

namespace fs = std::filesystem;
using convection::SeriesRow;

constexpr const char* other_folder = "name another folder with --output";

[[noreturn]] void refuse_folder(const fs::path& path, const std::string& why) {
  throw UsageError("cannot write the run to " + path.string() + ": " + why, other_folder);
}

/// The nearest folder above that is there.
fs::path existing_parent(const fs::path& path) {
  fs::path parent = fs::absolute(path).parent_path();
  std::error_code error;
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

// The first words of every resolved case: by them a folder is known as that of a run.
constexpr const char* case_heading = "# The case as it ran, every default filled in";

bool is_of_a_run(const fs::path& case_file) {
  std::ifstream file(case_file);
  std::string line;
  return std::getline(file, line) && line.starts_with(case_heading);
}

/// The pictures that a run's list names.
std::vector<fs::path> pictures_of(const fs::path& list) {
  std::vector<fs::path> pictures;
  std::ifstream file(list);
  std::string line;
  std::getline(file, line);  // the heading
  while (std::getline(file, line)) {
    const fs::path picture = line.substr(0, line.find(','));
    if (picture.parent_path() == "slices" && picture.extension() == ".png") {
      pictures.push_back(list.parent_path() / picture);
    }
  }
  return pictures;
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

[[noreturn]] void fail_to_write(const fs::path& path, int error) {
  throw RuntimeFailure(
      fmt::format("cannot write {}: {}; make room, or name another folder with "
                  "--output",
                  path.string(), std::strerror(error)));
}

/// The line whole or not at all.
void append_line(std::ofstream& stream, const std::string& line, const fs::path& path) {
  const std::streamoff whole_lines = stream.tellp();
  errno = 0;
  stream << line << '\n' << std::flush;
  if (!stream) {
    const int why = errno;
    stream.close();
    std::error_code error;
    fs::resize_file(path, static_cast<std::uintmax_t>(std::max<std::streamoff>(0, whole_lines)),
                    error);
    fail_to_write(path, why);
  }
}

std::ofstream opened(const fs::path& path, const std::string& heading) {
  errno = 0;
  std::ofstream stream(path);
  if (!stream) {
    fail_to_write(path, errno);
  }
  append_line(stream, heading, path);
  return stream;
}

std::string series_heading(const convection::Problem& problem) {
  std::string heading =
      "step,time,dt,courant,nusselt_lower,nusselt_upper,nusselt_volume,kinetic_energy,divergence,"
      "cycles,ns_per_cell_step,max_u,max_v,max_w";
  for (const convection::Scalar& scalar : problem.scalars) {
    heading += fmt::format(",{0}_mean,{0}_least,{0}_most", scalar.name);
  }
  return heading;
}

std::string series_line(const SeriesRow& row, bool drives_heat) {
  const convection::Diagnosis& flow = row.diagnosis;
  const std::string nusselt = drives_heat ? fmt::format("{},{},{}", row.nusselt.lower,
                                                        row.nusselt.upper, row.nusselt.volume)
                                          : ",,";
  std::string line = fmt::format("{},{},{},{},{},{},{},{},{:.4g},{},{},{}", row.step, row.time,
                                 row.dt, row.courant, nusselt, flow.kinetic_energy, flow.divergence,
                                 row.cycles, row.seconds_per_cell_step * 1e9, flow.fastest_along[0],
                                 flow.fastest_along[1], flow.fastest_along[2]);
  for (const auto& scalar : flow.scalars) {
    line += fmt::format(",{},{},{}", scalar.mean, scalar.min, scalar.max);
  }
  return line;
}

}  // namespace

RunDirectory::RunDirectory(fs::path path, bool overwrite) : path_(std::move(path)) {
  if (path_.empty()) {
    throw UsageError("--output is empty", "name a folder");
  }
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path_, error))) {
    require_writable(path_, existing_parent(path_));
    return;
  }
  require_writable(path_, path_);
  if (fs::is_empty(path_, error)) {
    return;
  }
  if (overwrite && !is_of_a_run(case_file())) {
    refuse_folder(path_, "it holds something else than a run, which --overwrite does not replace");
  }
  if (!overwrite) {
    throw UsageError("the folder " + path_.string() + " is there already and not empty",
                     "give --overwrite to replace the run in it, or another folder with --output");
  }
}

void RunDirectory::remove_earlier_run() const {
  std::vector<fs::path> files = pictures_of(slice_list());
  files.insert(files.end(), {case_file(), result(), series(), slice_list()});
  for (const fs::path& file : files) {
    if (fs::is_regular_file(file)) {
      fs::remove(file);
    }
  }
}

void RunDirectory::create(const Case& run) const {
  try {
    fs::create_directories(path_);
    if (is_of_a_run(case_file())) {
      remove_earlier_run();
    }
    if (!run.slices.empty() && run.cadence.snapshots > 0) {
      fs::create_directories(slices());
    }
  } catch (const fs::filesystem_error& error) {
    refuse_folder(path_, error.code().message());
  }
  OutputFile(case_file())
      .commit(fmt::format("{}; written by bankfull {}.\n{}", case_heading, build_facts().version,
                          run.resolved));
}

RunWriter::RunWriter(const Case& run, const RunDirectory& directory)
    : run_(&run),
      directory_(&directory),
      drives_heat_(convection::heat_path_of(run.problem) != nullptr),
      slice_names_(names_of(run.slices)) {}

void RunWriter::begin() {
  directory_->create(*run_);
  has_begun_ = true;
  series_ = opened(directory_->series(), series_heading(run_->problem));
  if (!run_->slices.empty() && run_->cadence.snapshots > 0) {
    slice_list_ = opened(directory_->slice_list(), "file,time,field,normal,at,least,most");
  }
}

void RunWriter::record(const SeriesRow& row) {
  append_line(series_, series_line(row, drives_heat_), directory_->series());
  last_row_ = row;
  ++rows_;
}

void RunWriter::snapshot(std::int64_t number, double time, const convection::Grid& grid,
                         const convection::FlowState& state) {
  for (std::size_t n = 0; n < run_->slices.size(); ++n) {
    const SliceRequest& slice = run_->slices[n];
    const SlicePicture drawn = draw_slice(slice, run_->problem, grid, state);
    const std::string name = fmt::format("{}-{:04}.png", slice_names_[n], number);
    write_png(directory_->slices() / name, drawn.picture);
    pictures_.push_back(directory_->slices() / name);
    append_line(slice_list_,
                fmt::format("slices/{},{},{},{},{},{},{}", name, time, slice.field,
                            convection::axis_names[static_cast<std::size_t>(slice.normal)],
                            slice.position, drawn.least, drawn.most),
                directory_->slice_list());
  }
}

}  // namespace bankfull::convect
