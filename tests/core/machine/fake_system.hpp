#pragma once

#include "bankfull/core/machine/system_files.hpp"
#include "tests/temporary_folder.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace bankfull {

/// A /proc and a /sys of a test's own.
class FakeSystem {
 public:
  /// Writes a file, with the folders on the way to it.
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = folder_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }

  /// Makes a file that is there but cannot be read, by root either.
  void make_unreadable(const std::string& path) const {
    std::filesystem::remove(folder_.path() / path);
    std::filesystem::create_directories(folder_.path() / path);
  }

  [[nodiscard]] SystemFiles files() const { return SystemFiles(folder_.path()); }

 private:
  TemporaryFolder folder_;
};

}  // namespace bankfull
