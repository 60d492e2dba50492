#include "bankfull/app/folder_lock.hpp"

#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>

namespace bankfull {
namespace {

namespace fs = std::filesystem;

// A lock whose owner removes it between our opening and locking it is tried again.
constexpr int attempts = 1000;

constexpr const char* wait_or_move = "wait for its end, or name another folder with --output";

[[noreturn]] void refuse_lock(const fs::path& folder, const std::string& why) {
  throw UsageError("cannot write to the folder " + folder.string() + ": " + why,
                   "name another folder with --output");
}

struct flock whole_file() {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return whole;
}

enum class Attempt { succeeded, held, unsupported };

Attempt try_to_lock(const Descriptor& file) {
  struct flock whole = whole_file();
  if (fcntl(file.get(), F_SETLK, &whole) == 0) {
    return Attempt::succeeded;
  }
  return errno == EACCES || errno == EAGAIN ? Attempt::held : Attempt::unsupported;
}

bool is_held(const Descriptor& file) {
  struct flock whole = whole_file();
  return fcntl(file.get(), F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

enum class Standing { same, other, gone };

/// What stands under a name now, compared with what was opened.
Standing standing_of(const Descriptor& opened, const fs::path& path, int flags) {
  struct stat own {};
  struct stat there {};
  if (fstat(opened.get(), &own) != 0 || fstatat(AT_FDCWD, path.c_str(), &there, flags) != 0) {
    return Standing::gone;
  }
  return own.st_dev == there.st_dev && own.st_ino == there.st_ino ? Standing::same
                                                                  : Standing::other;
}

bool is_plain_file(const Descriptor& file) {
  struct stat status {};
  return fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string owner_text() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 32> since{};
  std::strftime(since.data(), since.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return "process " + std::to_string(getpid()) + " on " + host.data() + " since " + since.data() +
         "\n";
}

/// "process 4711 on node7 since 2026-11-23 08:15:00", or "another run" where it says nothing yet.
std::string owner_in(const Descriptor& file) {
  std::array<char, 320> text{};
  const ssize_t count = pread(file.get(), text.data(), text.size(), 0);
  const std::string all(text.data(), static_cast<std::size_t>(std::max<ssize_t>(0, count)));
  const std::string line = all.substr(0, all.find('\n'));
  const bool plain = std::all_of(line.begin(), line.end(),
                                 [](unsigned char letter) { return std::isprint(letter) != 0; });
  return plain && line.starts_with("process ") ? line : "another run";
}

void write_owner(const Descriptor& file) {
  const std::string text = owner_text();
  // Only for the eyes of others: a full disk does not undo the lock.
  if (ftruncate(file.get(), 0) == 0) {
    static_cast<void>(pwrite(file.get(), text.data(), text.size(), 0) == 0);
  }
}

[[noreturn]] void refuse_in_use(const fs::path& folder, const Descriptor& file) {
  throw UsageError("the folder " + folder.string() + " is in use by " + owner_in(file),
                   wait_or_move);
}

}  // namespace

FolderLock::FolderLock(fs::path folder, Exclusion wanted)
    : folder_(std::move(folder)), file_(folder_ / file_name) {
  for (int n = 0; n < attempts; ++n) {
    try {
      made_.make(folder_);
    } catch (const fs::filesystem_error& error) {
      refuse_lock(folder_, error.code().message());
    }
    if (take(wanted)) {
      write_owner(file_handle_);
      return;
    }
  }
  refuse_lock(folder_, "other processes keep taking and releasing it");
}

/// False where what was opened is gone already.
bool FolderLock::take(Exclusion wanted) {
  constexpr int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
  folder_handle_ = Descriptor(open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  Descriptor file(open(file_.c_str(), flags | O_CREAT | O_EXCL, 0644));
  const bool is_new = file.valid();
  if (!is_new && errno == EEXIST) {
    file = Descriptor(open(file_.c_str(), flags));
  }
  if (!file.valid() || !folder_handle_.valid()) {
    if (errno == ENOENT) {
      return false;
    }
    refuse_lock(folder_, std::string(file_name) + ": " + std::strerror(errno));
  }
  if (!is_plain_file(file)) {
    refuse_lock(folder_, std::string(file_name) + " in it is not a file");
  }
  const Attempt attempt = wanted == Exclusion::file_lock ? try_to_lock(file) : Attempt::unsupported;
  if (attempt == Attempt::held) {
    refuse_in_use(folder_, file);
  }
  if (attempt == Attempt::unsupported && !is_new) {
    throw UsageError("the folder " + folder_.string() +
                         ", whose file system has no locks, was taken by " + owner_in(file),
                     "if that has ended, remove " + file_.string());
  }
  file_handle_ = std::move(file);
  return standing_of(file_handle_, file_, AT_SYMLINK_NOFOLLOW) == Standing::same;
}

FolderLock::~FolderLock() {
  if (standing_of(file_handle_, file_, AT_SYMLINK_NOFOLLOW) == Standing::same) {
    unlink(file_.c_str());
  }
  // Before the folders go, in which NFS keeps removed files until they are closed.
  file_handle_.close();
}

bool FolderLock::holds() const {
  return is_in_place() && standing_of(file_handle_, file_, AT_SYMLINK_NOFOLLOW) == Standing::same;
}

bool FolderLock::is_in_place() const {
  return standing_of(folder_handle_, folder_, 0) == Standing::same;
}

void FolderLock::require_free(const fs::path& folder) {
  const fs::path path = folder / file_name;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.valid() && is_held(file)) {
    refuse_in_use(folder, file);
  }
}

}  // namespace bankfull
