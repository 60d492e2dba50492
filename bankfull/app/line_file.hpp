#pragma once

#include "bankfull/app/descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace bankfull {

/// A text file that grows by whole lines, which others see at once.
class LineFile {
 public:
  LineFile() = default;  ///< none

  /// Makes the file with this first line. Throws RuntimeFailure, also where there is a file or a
  /// link of that name; then no trace remains.
  LineFile(std::filesystem::path path, const std::string& heading);

  /// Goes on with a file of ours, of which only the first `size` bytes are kept. Throws
  /// RuntimeFailure, also where it is shorter.
  LineFile(std::filesystem::path path, std::int64_t size);

  /// Waits until all lines are on disk. Throws RuntimeFailure.
  void flush() const;

  /// Bytes of all lines so far.
  [[nodiscard]] std::int64_t size() const { return size_; }

  /// Adds the line whole or not at all. Throws RuntimeFailure where it cannot be written, and where
  /// the file was removed.
  void append(const std::string& line);

 private:
  std::filesystem::path path_;
  Descriptor file_;
  std::int64_t size_ = 0;
};

}  // namespace bankfull
