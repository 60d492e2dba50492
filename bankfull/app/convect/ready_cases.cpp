#include "bankfull/app/convect/ready_cases.hpp"

#include "bankfull/app/convect/case_folders.hpp"
#include "bankfull/app/nearest_name.hpp"
#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <cstdlib>

namespace bankfull::convect {
namespace {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace

fs::path ready_case_folder() {
  if (const char* chosen = std::getenv("BANKFULL_CASES"); chosen != nullptr && *chosen != '\0') {
    if (!fs::is_directory(chosen)) {
      throw UsageError(std::string("BANKFULL_CASES=") + chosen + " is not a folder",
                       "set it to a folder with case files, or unset it");
    }
    return chosen;
  }
  const CaseFolders known = case_folders();
  for (const fs::path& folder : {(program_folder() / known.from_program).lexically_normal(),
                                 fs::path(known.in_source_tree)}) {
    std::error_code error;
    if (fs::is_directory(folder, error)) {
      return folder;
    }
  }
  return {};
}

std::vector<fs::path> ready_cases() {
  std::vector<fs::path> cases;
  const fs::path folder = ready_case_folder();
  if (folder.empty()) {
    return cases;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") {
      cases.push_back(entry.path());
    }
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

fs::path find_case(const std::string& given) {
  if (given.ends_with(".toml") || given.find('/') != std::string::npos) {
    return given;
  }
  std::vector<std::string> names;
  for (const fs::path& path : ready_cases()) {
    names.push_back(path.stem().string());
    if (names.back() == given) {
      return path;
    }
  }
  if (fs::exists(given)) {
    throw UsageError("there is no ready case '" + given + "', but a file of that name",
                     "to run the file name it ./" + given);
  }
  const std::string nearest = nearest_name(given, names);
  throw UsageError("there is no ready case '" + given + "'",
                   nearest.empty() ? "name a case file, CASE.toml"
                                   : "did you mean '" + nearest +
                                         "'? See --list-cases, or name a file, CASE.toml");
}

}  // namespace bankfull::convect
