#pragma once

#include "bankfull/app/convect/case.hpp"
#include "bankfull/workloads/convection/profile_statistics.hpp"
#include "bankfull/workloads/convection/run_spectra.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::convect {

/// Names of all files that a case's statistics make: "z.csv" and "z-faces.csv", with the name of
/// the window before, where it has one: "late-z.csv".
std::vector<std::string> profile_names(const Case& wanted);

/// Names of all files that a case's spectra make.
std::vector<std::string> spectrum_names(const Case& wanted);

/// Writes a spectrum into a folder. Throws RuntimeFailure, as below.
void write_spectrum(const std::filesystem::path& folder, const convection::Spectrum& spectrum);

/// Writes both tables of a profile into a folder. Throws RuntimeFailure; what stood there before
/// then stays.
void write_profile(const std::filesystem::path& folder, const convection::Profile& profile);

}  // namespace bankfull::convect
