#pragma once

#include <filesystem>
#include <vector>

namespace bankfull {

/// Makes folders, and in the end takes away those of them that are empty: a run that comes to
/// nothing leaves nothing behind.
class CreatedFolders {
 public:
  CreatedFolders() = default;
  CreatedFolders(const CreatedFolders&) = delete;
  CreatedFolders& operator=(const CreatedFolders&) = delete;
  ~CreatedFolders();

  /// Makes the folder and those above it where they are missing. Throws filesystem_error.
  void make(const std::filesystem::path& folder);

 private:
  std::vector<std::filesystem::path> made_;  ///< the outermost first
};

}  // namespace bankfull
