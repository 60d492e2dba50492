#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bankfull {

/// The files in which Linux tells about the machine, /proc and /sys. Tests give them another root.
/// Nothing throws: what cannot be read is missing.
class SystemFiles {
 public:
  /// Paths are relative to this root: they begin without a slash.
  explicit SystemFiles(std::filesystem::path root = "/") : root_(std::move(root)) {}

  /// The whole text of a file, such as "proc/stat", without blanks at its end.
  [[nodiscard]] std::optional<std::string> text(const std::string& path) const;

  /// A file that holds nothing but a whole number; digits may be followed by a unit.
  [[nodiscard]] std::optional<std::int64_t> number(const std::string& path) const;

  /// The number after the first line's `key` in a file such as proc/meminfo.
  [[nodiscard]] std::optional<std::int64_t> number_after(const std::string& path,
                                                         const std::string& key) const;

  /// The names in a folder that begin like this, in natural order: cpu2 before cpu10.
  [[nodiscard]] std::vector<std::string> names(const std::string& folder,
                                               const std::string& prefix = {}) const;

  /// Whether something exists there, readable or not.
  [[nodiscard]] bool exists(const std::string& path) const;

 private:
  std::filesystem::path root_;
};

}  // namespace bankfull
