#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>

namespace bankfull {

/// Where a path leads, absolute: links are followed, also such whose end is not there yet.
std::filesystem::path destination_of(const std::filesystem::path& path);

/// Whether a file of this name in the folder of `file` is one of its temporary ones, which a killed
/// process leaves.
bool is_temporary_of(const std::string& name, const std::string& file);

/// A text on disk under a temporary name, which nobody can foresee, in the folder where it is to
/// go.
class StagedFile {
 public:
  /// Writes and flushes it. Throws RuntimeFailure, for example where the disk is full; then no
  /// trace remains.
  StagedFile(std::filesystem::path target, const std::string& text, mode_t mode = 0644);

  /// Takes it away again, unless it has got a name.
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  /// Gives it the name of the target, whatever file or link stands there. Throws RuntimeFailure.
  void replace();

  /// Gives it this name, in the same folder; false where the name is taken. Throws RuntimeFailure.
  bool take_name(const std::filesystem::path& name);

 private:
  [[noreturn]] void fail(const std::filesystem::path& name) const;

  std::filesystem::path target_;
  std::string temporary_;  ///< empty once it has a name
};

/// Writes a file of this name or, where it is taken, of the first of "name-2.txt", "name-3.txt" ...
/// that is free. Whole or not at all. Throws RuntimeFailure.
std::filesystem::path write_new_file(const std::filesystem::path& path, const std::string& text);

/// A file that appears whole or not at all: it is written under a temporary name in the same folder
/// and renamed. What stood under its name stays until then, and so do its permissions.
class OutputFile {
 public:
  /// Finds out whether the file can be written, so that a bad path costs no run; leaves nothing
  /// behind. A link is followed. Throws UsageError naming the path, also where it is a device, a
  /// pipe or a folder, or a file that this user may not write.
  explicit OutputFile(const std::filesystem::path& path);

  /// Writes the text, flushes it to disk and gives the file its name.
  /// Throws RuntimeFailure, for example where the disk is full; then no trace remains.
  void commit(const std::string& text) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace bankfull
