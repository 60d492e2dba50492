#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace bankfull {

/// Separates a file's name from the letters that make its temporary name unique.
inline constexpr const char* temporary_mark = ".part-";

/// Whether a system error (errno) means lack of room: see NoRoom.
bool is_lack_of_room(int error);

/// Throws NoRoom if the system error (errno) means lack of room, else RuntimeFailure: "cannot write
/// <path>: <error><remedy>".
[[noreturn]] void fail_to_write(const std::filesystem::path& path, int error,
                                const std::string& remedy = {});

/// A file under an unpredictable temporary name in the folder of its target: for libraries that
/// write files by name. An existing file of the target's name remains until the new file is
/// complete.
class StagedPath {
 public:
  /// Creates it, empty. Throws RuntimeFailure.
  explicit StagedPath(std::filesystem::path target);

  /// Removes the file unless it has been renamed to its target.
  ~StagedPath();
  StagedPath(const StagedPath&) = delete;
  StagedPath& operator=(const StagedPath&) = delete;

  /// The name to write to: the target's, `temporary_mark` and six random characters. Empty once
  /// renamed.
  [[nodiscard]] const std::string& temporary() const { return temporary_; }
  /// The path that the file will have, as given.
  [[nodiscard]] const std::filesystem::path& target() const { return target_; }

  /// Reserves room for so many further bytes. Libraries that buffer what they write in memory
  /// cannot recover if the disk turns out to be full when they close a file; this detects it
  /// before. Throws NoRoom if there is none, or if files may not become that large. File systems
  /// that cannot reserve room guarantee nothing.
  void reserve(std::int64_t bytes);

  /// Makes the system begin to write to disk what it has buffered of the file, so that flushing it
  /// at the end takes less time.
  void begin_flush() const;

  /// Flushes the file to disk, releases room that it does not need, and renames it to its target,
  /// replacing any file or link of that name. Throws RuntimeFailure.
  void replace();

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path target_;
  std::string temporary_;  ///< empty once renamed
  int descriptor_ = -1;
  std::int64_t reserved_ = 0;
};

}  // namespace bankfull
