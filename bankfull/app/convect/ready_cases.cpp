#include "bankfull/app/convect/ready_cases.hpp"

#include "bankfull/app/data_folder.hpp"
#include "bankfull/app/nearest_name.hpp"
#include "bankfull/core/base/error.hpp"

#include <algorithm>

namespace bankfull::convect {

namespace fs = std::filesystem;

fs::path ready_case_folder() {
  return data_folder("BANKFULL_CASES", "case files", places_of_cases());
}

std::vector<fs::path> ready_cases() {
  std::vector<fs::path> cases;
  const fs::path folder = ready_case_folder();
  if (folder.empty()) {
    return cases;
  }
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".toml") {
      cases.push_back(entry->path());
    }
  }
  require(!error, "cannot read the ready cases in " + folder.string() + ": " + error.message(),
          "set BANKFULL_CASES to a folder with case files, or name a case file");
  std::sort(cases.begin(), cases.end());
  return cases;
}

std::vector<std::string> ready_case_names() {
  std::vector<std::string> names;
  for (const fs::path& path : ready_cases()) {
    names.push_back(path.stem().string());
  }
  return names;
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
  std::error_code ignored;
  if (fs::exists(given, ignored)) {
    throw UsageError("there is no ready case '" + given + "', but a file of that name",
                     "to run the file name it ./" + given);
  }
  const std::string nearest = nearest_name(given, names);
  throw UsageError("there is no ready case '" + given + "'",
                   nearest.empty() ? "see --list-cases, or name a file, CASE.toml"
                                   : "did you mean '" + nearest +
                                         "'? See --list-cases, or name a file, CASE.toml");
}

}  // namespace bankfull::convect
