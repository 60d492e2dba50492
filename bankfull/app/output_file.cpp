#include "bankfull/app/output_file.hpp"

#include "bankfull/core/base/error.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace bankfull {

OutputFile::OutputFile(const std::filesystem::path& path)
    : path_(path), temporary_(path.string() + ".part-" + std::to_string(getpid())) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) {
    throw UsageError("cannot write " + path_.string() + ": it is a folder", "name a file");
  }
  descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    throw UsageError("cannot write " + path_.string() + ": " + std::strerror(errno),
                     "name a file in an existing folder that you may write to");
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) {
    close(descriptor_);
    unlink(temporary_.c_str());
  }
}

void OutputFile::commit(const std::string& text) {
  const auto fail = [&] {
    throw RuntimeFailure("cannot write " + path_.string() + ": " + std::strerror(errno));
  };
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = write(descriptor_, text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) {
      fail();
    }
    written += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  if (fsync(descriptor_) != 0 || rename(temporary_.c_str(), path_.c_str()) != 0) {
    fail();
  }
  close(descriptor_);
  descriptor_ = -1;
}

}  // namespace bankfull
