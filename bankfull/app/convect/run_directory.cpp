#include "bankfull/app/convect/run_directory.hpp"

#include "bankfull/app/convect/slice.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/workloads/convection/heat_path.hpp"

#include <algorithm>
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
    refuse_folder(given, folder.string() + " is no folder");
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    refuse_folder(given, "no permission to write to " + folder.string());
  }
}

/// A picture as RunWriter names them.
bool is_picture(const fs::path& path) {
  const std::vector<std::string> parts = parts_of(path.stem().string(), '-');
  if (path.extension() != ".png" || parts.size() < 3) {
    return false;
  }
  const std::string& number = parts.back();
  const std::string& normal = parts[parts.size() - 2];
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !number.empty() && std::all_of(number.begin(), number.end(), is_digit) &&
         (normal == "x" || normal == "y" || normal == "z");
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

std::ofstream opened(const fs::path& path, const std::string& heading) {
  std::ofstream stream(path);
  stream << heading << '\n' << std::flush;
  if (!stream) {
    throw RuntimeFailure("cannot write " + path.string());
  }
  return stream;
}

void append_line(std::ofstream& stream, const std::string& line, const fs::path& path) {
  stream << line << '\n' << std::flush;
  if (!stream) {
    throw RuntimeFailure("cannot write " + path.string());
  }
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
    line += fmt::format(",{},{},{}", scalar.mean, scalar.least, scalar.most);
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
  if (!overwrite && !fs::is_empty(path_, error)) {
    throw UsageError("the folder " + path_.string() + " is there already and not empty",
                     "give --overwrite to replace the run in it, or another folder with --output");
  }
}

void RunDirectory::remove_earlier_run() const {
  for (const fs::path& file : {case_file(), result(), series(), slice_list()}) {
    fs::remove(file);
  }
  if (!fs::is_directory(slices())) {
    return;
  }
  std::vector<fs::path> pictures;
  for (const fs::directory_entry& entry : fs::directory_iterator(slices())) {
    if (entry.is_regular_file() && is_picture(entry.path())) {
      pictures.push_back(entry.path());
    }
  }
  for (const fs::path& picture : pictures) {
    fs::remove(picture);
  }
}

void RunDirectory::create(const Case& run) const {
  try {
    fs::create_directories(path_);
    remove_earlier_run();
    if (!run.slices.empty() && run.cadence.snapshots > 0) {
      fs::create_directories(slices());
    }
  } catch (const fs::filesystem_error& error) {
    refuse_folder(path_, error.code().message());
  }
  OutputFile(case_file())
      .commit(fmt::format("# The case as it ran, every default filled in; written by bankfull {}.\n"
                          "{}",
                          build_facts().version, run.resolved));
}

RunWriter::RunWriter(const Case& run, const RunDirectory& directory)
    : run_(&run),
      directory_(&directory),
      drives_heat_(convection::heat_path_of(run.problem) != nullptr),
      series_(opened(directory.series(), series_heading(run.problem))),
      slice_names_(names_of(run.slices)) {
  if (!run.slices.empty() && run.cadence.snapshots > 0) {
    slice_list_ = opened(directory.slice_list(), "file,time,field,normal,at,least,most");
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
