#include "bankfull/app/line_file.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/io/staged_path.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

namespace bankfull {
namespace {

[[noreturn]] void fail_to_append(const std::filesystem::path& path, int error) {
  fail_to_write(path, error, "; make room, or name another folder with --output");
}

bool is_removed(const Descriptor& file) {
  struct stat status {};
  return fstat(file.get(), &status) == 0 && status.st_nlink == 0;
}

}  // namespace

LineFile::LineFile(std::filesystem::path path, const std::string& heading)
    : path_(std::move(path)),
      file_(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)) {
  if (!file_.valid()) {
    fail_to_append(path_, errno);
  }
  try {
    append(heading);
  } catch (const RuntimeFailure&) {
    unlink(path_.c_str());
    throw;
  }
}

LineFile::LineFile(std::filesystem::path path, std::int64_t size)
    : path_(std::move(path)),
      file_(open(path_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC)),
      size_(size) {
  struct stat status {};
  if (!file_.valid() || fstat(file_.get(), &status) != 0) {
    fail_to_append(path_, errno);
  }
  if (status.st_size < size) {
    throw RuntimeFailure(path_.string() + " has become shorter than it was");
  }
  if (ftruncate(file_.get(), size) != 0) {
    fail_to_append(path_, errno);
  }
}

void LineFile::flush() const {
  if (file_.valid() && fsync(file_.get()) != 0) {
    fail_to_append(path_, errno);
  }
}

void LineFile::append(const std::string& line) {
  const std::string text = line + '\n';
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = pwrite(file_.get(), text.data() + written, text.size() - written,
                                 size_ + static_cast<std::int64_t>(written));
    if (count < 0 && errno != EINTR) {
      const int why = errno;
      static_cast<void>(ftruncate(file_.get(), size_) == 0);
      fail_to_append(path_, why);
    }
    written += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  if (is_removed(file_)) {
    throw RuntimeFailure(path_.string() + " was removed during the run");
  }
  size_ += static_cast<std::int64_t>(text.size());
}

}  // namespace bankfull
