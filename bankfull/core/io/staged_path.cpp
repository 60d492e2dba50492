#include "bankfull/core/io/staged_path.hpp"

#include "bankfull/core/base/error.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace bankfull {
namespace {

constexpr mode_t mode_of_files = 0644;

/// The maximum size of files, as set by `ulimit -f`.
bool exceeds_limit_of_files(std::int64_t bytes) {
  struct rlimit limit {};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         static_cast<rlim_t>(bytes) > limit.rlim_cur;
}

/// The name of a file is durable only once its folder is on disk, too. A failure changes nothing.
void flush_folder(const std::filesystem::path& folder) {
  const int descriptor =
      open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    static_cast<void>(fsync(descriptor));
    close(descriptor);
  }
}

}  // namespace

bool is_lack_of_room(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

void fail_to_write(const std::filesystem::path& path, int error, const std::string& remedy) {
  const std::string what = "cannot write " + path.string() + ": " + std::strerror(error) + remedy;
  if (is_lack_of_room(error)) {
    throw NoRoom(what);
  }
  throw RuntimeFailure(what);
}

StagedPath::StagedPath(std::filesystem::path target) : target_(std::move(target)) {
  temporary_ = target_.string() + temporary_mark + "XXXXXX";
  descriptor_ = mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail(errno);
  }
  static_cast<void>(fchmod(descriptor_, mode_of_files));  // a failure leaves it stricter
}

StagedPath::~StagedPath() {
  if (!temporary_.empty()) {
    unlink(temporary_.c_str());
  }
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
}

void StagedPath::fail(int error) const { fail_to_write(target_, error); }

void StagedPath::reserve(std::int64_t bytes) {
  reserved_ += bytes;
  if (exceeds_limit_of_files(reserved_)) {
    fail(EFBIG);
  }
  if (fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, 0, reserved_) != 0 && is_lack_of_room(errno)) {
    fail(errno);
  }
}

/// If this fails, flushing the file takes longer.
void StagedPath::begin_flush() const {
  static_cast<void>(sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE));
}

void StagedPath::replace() {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 || ftruncate(descriptor_, status.st_size) != 0 ||
      fsync(descriptor_) != 0 || rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail(errno);
  }
  temporary_.clear();
  flush_folder(target_.parent_path());
}

}  // namespace bankfull
