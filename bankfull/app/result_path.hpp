#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace bankfull {

// What the file of --json may not be, wherever links lead and whether or not it is there yet. A
// result takes the place of what stands under its name when the run is over.

/// Throws UsageError where it is this file: "--json FILE is <what>".
void require_other_than(const std::optional<std::string>& json, const std::filesystem::path& file,
                        const std::string& what);

/// The same where it is this folder, or one above it.
void require_no_folder_of(const std::optional<std::string>& json,
                          const std::filesystem::path& folder, const std::string& what);

/// The same where it is in this folder.
void require_outside(const std::optional<std::string>& json, const std::filesystem::path& folder,
                     const std::string& what);

}  // namespace bankfull
