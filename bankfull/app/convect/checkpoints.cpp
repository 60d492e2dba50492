#include "bankfull/app/convect/checkpoints.hpp"

#include "bankfull/app/convect/case.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/build_config.hpp"
#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <unistd.h>

namespace bankfull::convect {
namespace {

constexpr std::string_view beginning = "step-";
constexpr std::string_view ending = ".h5";
constexpr std::size_t fewest_digits = 10;

std::vector<std::string> file_names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  return names;
}

}  // namespace

std::string checkpoint_name(std::int64_t step) {
  return fmt::format("{}{:0{}}{}", beginning, step, fewest_digits, ending);
}

bool is_checkpoint_name(const std::string& name) {
  const std::size_t beside = beginning.size() + ending.size();
  if (name.size() < beside + fewest_digits || !name.starts_with(beginning) ||
      !name.ends_with(ending)) {
    return false;
  }
  const std::string digits = name.substr(beginning.size(), name.size() - beside);
  return std::ranges::all_of(digits,
                             [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

bool is_temporary_checkpoint(const std::string& name) {
  const std::size_t end = name.find(ending);
  if (end == std::string::npos) {
    return false;
  }
  const std::string file = name.substr(0, end + ending.size());
  return is_checkpoint_name(file) && is_temporary_of(name, file);
}

std::vector<std::filesystem::path> checkpoints_in(const std::filesystem::path& folder) {
  std::vector<std::string> names = file_names_in(folder);
  std::erase_if(names, [](const std::string& name) { return !is_checkpoint_name(name); });
  // More digits than usual are later steps.
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a > b;
  });
  std::vector<std::filesystem::path> paths(names.size());
  std::ranges::transform(names, paths.begin(),
                         [&](const std::string& name) { return folder / name; });
  return paths;
}

int threads_of_checkpoints(const convection::Problem& problem) {
  return std::min(problem.host_threads, max_threads_per_file);
}

void remove_old_checkpoints(const std::filesystem::path& folder) {
  for (const std::string& name : file_names_in(folder)) {
    if (is_temporary_checkpoint(name)) {
      unlink((folder / name).c_str());
    }
  }
  const std::vector<std::filesystem::path> there = checkpoints_in(folder);
  for (std::size_t n = kept_checkpoints; n < there.size(); ++n) {
    unlink(there[n].c_str());
  }
}

void require_checkpoints(const std::string& what) {
  require(build::hdf5,
          fmt::format("{} needs HDF5, which this program was built without: {}", what,
                      build_facts().hdf5_unavailable_reason),
          "install libhdf5-dev and build it again, or do without checkpoints");
}

}  // namespace bankfull::convect
