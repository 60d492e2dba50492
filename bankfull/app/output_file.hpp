#pragma once

#include <filesystem>
#include <string>

namespace bankfull {

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

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
};

}  // namespace bankfull
