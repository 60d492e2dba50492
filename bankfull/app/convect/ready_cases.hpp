#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::convect {

/// The folder of the cases that come with the program: BANKFULL_CASES where that is set, else
/// share/bankfull/cases beside the installed program, else cases/ of the source tree. Empty where
/// there is none.
std::filesystem::path ready_case_folder();

/// Paths of the ready cases, sorted by name; none where the folder is not there.
std::vector<std::filesystem::path> ready_cases();

/// Names of the ready cases, likewise.
std::vector<std::string> ready_case_names();

/// The file that a user means: a path that ends in .toml or has a / in it as it stands, else the
/// ready case of that name. Throws UsageError naming the nearest one.
std::filesystem::path find_case(const std::string& given);

}  // namespace bankfull::convect
