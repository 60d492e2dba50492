#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace bankfull {

/// Stands between a file's name and the letters that make its temporary one unique.
inline constexpr const char* temporary_mark = ".part-";

/// Whether an error of the system (errno) stands for that: see NoRoom.
bool is_lack_of_room(int error);

/// Throws NoRoom where the error of the system (errno) stands for that, or else RuntimeFailure:
/// "cannot write <path>: <error><remedy>".
[[noreturn]] void fail_to_write(const std::filesystem::path& path, int error,
                                const std::string& remedy = {});

/// A file under a temporary name, which nobody can foresee, in the folder where it is to go: for
/// libraries that write files by their names. What stands under the target's name stays until the
/// new file is whole.
class StagedPath {
 public:
  /// Makes it, empty. Throws RuntimeFailure.
  explicit StagedPath(std::filesystem::path target);

  /// Takes the file away, unless it has got its name.
  ~StagedPath();
  StagedPath(const StagedPath&) = delete;
  StagedPath& operator=(const StagedPath&) = delete;

  [[nodiscard]] const std::string& temporary() const { return temporary_; }
  [[nodiscard]] const std::filesystem::path& target() const { return target_; }

  /// Sets aside room for so many further bytes. Libraries that keep what they write in memory are
  /// at a loss when the disk turns out to be full as they close a file; this finds out before.
  /// Throws NoRoom where there is none, or where files may not become that large. File systems that
  /// cannot set room aside promise nothing.
  void reserve(std::int64_t bytes);

  /// The system begins to write to disk what it has of the file, so that flushing it at the end
  /// takes less time.
  void begin_flush() const;

  /// Flushes the file to disk, gives back room that it does not take, and gives it its name,
  /// whatever file or link stands there. Throws RuntimeFailure.
  void replace();

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path target_;
  std::string temporary_;  ///< empty once it has its name
  int descriptor_ = -1;
  std::int64_t reserved_ = 0;
};

}  // namespace bankfull
