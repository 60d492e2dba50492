#include "bankfull/app/output_file.hpp"

#include "bankfull/core/base/error.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bankfull {
namespace {

namespace fs = std::filesystem;

/// The permissions of what stands at the path, or those of a new file.
mode_t mode_at(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0644U;
}

int create(const fs::path& path, mode_t mode) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (descriptor >= 0) {
    static_cast<void>(fchmod(descriptor, mode));  // past the umask; a failure leaves it stricter
  }
  return descriptor;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why, const std::string& remedy) {
  throw UsageError("cannot write " + path.string() + ": " + why, remedy);
}

/// The file that a link leads to, or the path itself; refuses what is no plain file.
fs::path target_of(const fs::path& path) {
  std::error_code error;
  fs::path target = fs::weakly_canonical(path, error);
  if (path.empty() || error) {
    refuse(path, path.empty() ? "the name is empty" : error.message(), "name a file");
  }
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) {
    refuse(path, "it is a folder", "name a file");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    refuse(path, "it is a device or a pipe", "name a file");
  }
  if (fs::exists(status) && access(target.c_str(), W_OK) != 0) {
    refuse(path, std::strerror(errno), "name a file that you may write");
  }
  return target;
}

bool write_all(int descriptor, const std::string& text) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = write(descriptor, text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    written += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return fsync(descriptor) == 0;
}

}  // namespace

OutputFile::OutputFile(const fs::path& path)
    : path_(target_of(path)), temporary_(path_.string() + ".part-" + std::to_string(getpid())) {
  const int descriptor = create(temporary_, 0600);
  if (descriptor < 0) {
    refuse(path, std::strerror(errno), "name a file in an existing folder that you may write to");
  }
  // Created anew by commit: a run that is interrupted leaves nothing behind.
  close(descriptor);
  unlink(temporary_.c_str());
}

void OutputFile::commit(const std::string& text) const {
  const int descriptor = create(temporary_, mode_at(path_));
  const bool written = descriptor >= 0 && write_all(descriptor, text) &&
                       rename(temporary_.c_str(), path_.c_str()) == 0;
  const int error = errno;
  if (descriptor >= 0) {
    close(descriptor);
  }
  if (!written) {
    unlink(temporary_.c_str());
    throw RuntimeFailure("cannot write " + path_.string() + ": " + std::strerror(error));
  }
}

}  // namespace bankfull
