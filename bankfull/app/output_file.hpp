#pragma once

#include <filesystem>
#include <string>

namespace bankfull {

/// A file that appears whole or not at all: it is written under a temporary name in the same folder
/// and renamed. What stood under its name stays until then.
class OutputFile {
 public:
  /// Creates the temporary file, so that a path which cannot be written is found before a long run.
  /// Throws UsageError naming the path.
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes the text, flushes it to disk and gives the file its name.
  /// Throws RuntimeFailure, for example where the disk is full.
  void commit(const std::string& text);

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

}  // namespace bankfull
