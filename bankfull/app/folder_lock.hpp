#pragma once

#include "bankfull/app/created_folders.hpp"
#include "bankfull/app/descriptor.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace bankfull {

/// How processes keep each other out of a folder.
enum class Exclusion {
  file_lock,  ///< a POSIX lock of a file, which ends with its process, also over NFS
  new_file,  ///< a file that only one can make, for file systems that have no locks; a process that
             ///< is killed leaves it, and a person has to remove it
};

/// A folder that this process alone writes to. It holds the file bankfull.lock meanwhile, which
/// names the process; one that a killed process left is taken over.
///
/// The system drops the lock when this process closes any descriptor of the file: nothing else may
/// open it. Two locks of one process do not exclude each other.
class FolderLock {
 public:
  static constexpr const char* file_name = "bankfull.lock";

  /// Makes the folder where it is missing, with those above it. Throws UsageError where another
  /// process has the folder, naming it, or where no file can be made there. On file systems without
  /// locks `wanted` falls back to a new file.
  explicit FolderLock(std::filesystem::path folder, Exclusion wanted = Exclusion::file_lock);

  /// Takes the file away, and folders that were made and hold nothing.
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Whether the folder's name still leads to the folder that was locked, and the file in it is
  /// still ours: false once either was removed, renamed or replaced. Without the file another
  /// process could take the folder, and give it back, unseen.
  [[nodiscard]] bool holds() const;

  /// Whether the folder's name still leads to the folder that was locked, whoever has it now.
  [[nodiscard]] bool is_in_place() const;

  /// Throws UsageError where another process has the folder. Changes nothing, but must not be asked
  /// for a folder that this process has locked. On file systems without locks nobody has it.
  static void require_free(const std::filesystem::path& folder);

 private:
  bool take(Exclusion wanted);

  std::filesystem::path folder_;
  std::filesystem::path file_;
  CreatedFolders made_;
  // Open as long as the lock lasts: so their inodes are not given to others.
  Descriptor folder_handle_;
  Descriptor file_handle_;
};

}  // namespace bankfull
