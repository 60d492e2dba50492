#pragma once

#include "bankfull/app/convect/case.hpp"
#include "bankfull/workloads/convection/profile_statistics.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::convect {

/// Names of all files that a case's statistics make: "z.csv" and "z-faces.csv", with the name of
/// the window before, where it has one: "late-z.csv".
std::vector<std::string> profile_names(const Case& wanted);

/// Writes both tables of a profile into a folder. Throws RuntimeFailure; what stood there before
/// then stays.
void write_profile(const std::filesystem::path& folder, const convection::Profile& profile);

}  // namespace bankfull::convect
