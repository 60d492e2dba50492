#include "bankfull/app/output_file.hpp"

#include "bankfull/app/descriptor.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/io/staged_path.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
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

/// Makes a file beside the target that was not there before; not valid, with errno, where that
/// fails. Puts its name into `name`.
Descriptor create_temporary(const fs::path& target, std::string& name) {
  // With what follows, the longest names of files remain possible.
  constexpr std::size_t longest = 200;
  const std::string beginning = target.filename().string().substr(0, longest);
  name = (target.parent_path() / (beginning + temporary_mark + "XXXXXX")).string();
  return Descriptor(mkostemp(name.data(), O_CLOEXEC));
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why, const std::string& remedy) {
  throw UsageError("cannot write " + path.string() + ": " + why, remedy);
}

/// Whether what the program prints goes into this file, as with `> FILE`: whoever puts another one
/// in its place takes all of that away.
bool is_printed_to(const fs::path& path) {
  struct stat there {};
  constexpr std::array printed_to{STDOUT_FILENO, STDERR_FILENO};
  return stat(path.c_str(), &there) == 0 &&
         std::any_of(printed_to.begin(), printed_to.end(), [&there](int descriptor) {
           struct stat opened {};
           return fstat(descriptor, &opened) == 0 && opened.st_dev == there.st_dev &&
                  opened.st_ino == there.st_ino;
         });
}

/// The file that a link leads to, or the path itself; refuses what is no plain file.
fs::path target_of(const fs::path& path) {
  if (path.empty()) {
    refuse(path, "the name is empty", "name a file");
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::none) {
    refuse(path, error.message(), "name a file");
  }
  if (fs::is_directory(status)) {
    refuse(path, "it is a folder", "name a file");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    refuse(path, "it is a device or a pipe", "name a file");
  }
  if (is_printed_to(path)) {
    refuse(path, "standard output or standard error goes there",
           "name another file, or - for standard output");
  }
  if (fs::exists(status) && access(path.c_str(), W_OK) != 0) {
    refuse(path, std::strerror(errno), "name a file that you may write");
  }
  return destination_of(path);
}

bool write_all(const Descriptor& file, const std::string& text) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = write(file.get(), text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    written += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return fsync(file.get()) == 0;
}

}  // namespace

fs::path destination_of(const fs::path& path) {
  constexpr int max_links = 40;  // as the kernel follows
  std::error_code error;
  fs::path end = fs::absolute(path, error);
  for (int n = 0; n < max_links && fs::is_symlink(fs::symlink_status(end, error)); ++n) {
    end = end.parent_path() / fs::read_symlink(end, error);
  }
  const fs::path canonical = fs::weakly_canonical(end, error);
  return error ? end.lexically_normal() : canonical;
}

bool is_temporary_of(const std::string& name, const std::string& file) {
  const std::string beginning = file + temporary_mark;
  return name.size() > beginning.size() && name.starts_with(beginning) &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(beginning.size()), name.end(),
                     [](unsigned char letter) { return std::isalnum(letter) != 0; });
}

StagedFile::StagedFile(fs::path target, const std::string& text, mode_t mode)
    : target_(std::move(target)) {
  const Descriptor file = create_temporary(target_, temporary_);
  if (!file.valid()) {
    temporary_.clear();
    fail(target_);
  }
  static_cast<void>(fchmod(file.get(), mode));  // a failure leaves it stricter
  if (!write_all(file, text)) {
    const int why = errno;
    unlink(temporary_.c_str());
    errno = why;
    fail(target_);
  }
}

StagedFile::~StagedFile() {
  if (!temporary_.empty()) {
    unlink(temporary_.c_str());
  }
}

void StagedFile::fail(const fs::path& name) const { fail_to_write(name, errno); }

void StagedFile::replace() {
  if (rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail(target_);
  }
  temporary_.clear();
}

bool StagedFile::take_name(const fs::path& name) {
  if (link(temporary_.c_str(), name.c_str()) == 0) {
    unlink(temporary_.c_str());
  } else if (errno == EEXIST) {
    return false;
    // Some file systems have no further links.
  } else if (renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) !=
             0) {
    if (errno == EEXIST) {
      return false;
    }
    fail(name);
  }
  temporary_.clear();
  return true;
}

fs::path write_new_file(const fs::path& path, const std::string& text) {
  StagedFile staged(path, text);
  fs::path name = path;
  for (int n = 2; !staged.take_name(name); ++n) {
    name = path.parent_path() /
           (path.stem().string() + "-" + std::to_string(n) + path.extension().string());
  }
  return name;
}

OutputFile::OutputFile(const fs::path& path) : path_(target_of(path)) {
  std::string temporary;
  if (!create_temporary(path_, temporary).valid()) {
    refuse(path, std::strerror(errno), "name a file in an existing folder that you may write to");
  }
  // Created anew by commit: a run that is interrupted leaves nothing behind.
  unlink(temporary.c_str());
}

void OutputFile::commit(const std::string& text) const {
  StagedFile(path_, text, mode_at(path_)).replace();
}

}  // namespace bankfull
