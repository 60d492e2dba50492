#pragma once

#include <filesystem>

namespace bankfull {

/// Where this build and its installation keep a folder of files that come with the program.
struct DataPlaces {
  const char* from_program;    ///< relative to the folder of the installed program
  const char* in_source_tree;  ///< absolute; empty in a package
};

DataPlaces places_of_cases();
DataPlaces places_of_baselines();

/// The folder that the environment variable names; else the one beside the installed program, else
/// that of the source tree. Empty where there is none. Throws UsageError where the variable names
/// no folder; `contents`: what belongs into one, "case files".
std::filesystem::path data_folder(const char* variable, const char* contents,
                                  const DataPlaces& places);

}  // namespace bankfull
