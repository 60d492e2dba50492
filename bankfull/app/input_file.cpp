#include "bankfull/app/input_file.hpp"

#include "bankfull/app/descriptor.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

namespace bankfull {
namespace {

constexpr std::size_t piece_bytes = 1 << 16;

/// Empty where a file is open and plain.
std::string why_not_plain(const Descriptor& file) {
  struct stat status {};
  if (!file.valid() || fstat(file.get(), &status) != 0) {
    return std::strerror(errno);
  }
  if (S_ISDIR(status.st_mode)) {
    return "it is a folder";
  }
  return S_ISREG(status.st_mode) ? "" : "it is a device or a pipe";
}

/// At most so many bytes, also where the file grows meanwhile. Empty text and an error number where
/// the file cannot be read.
std::string read_some(const Descriptor& file, std::size_t most, int& error) {
  std::string text;
  error = 0;
  while (text.size() < most) {
    const std::size_t before = text.size();
    text.resize(std::min(most, before + piece_bytes));
    const ssize_t count = read(file.get(), text.data() + before, text.size() - before);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0 && errno != EINTR) {
      error = errno;
      return {};
    }
    if (count == 0) {
      break;
    }
  }
  return text;
}

}  // namespace

std::string read_input_file(const std::filesystem::path& path, std::size_t most,
                            const InputRefusal& refusal) {
  const auto refuse = [&](const std::string& why) {
    throw UsageError(refusal.problem + ": " + why, refusal.remedy);
  };
  if (path.empty()) {
    refuse("the name is empty");
  }
  // A pipe without a writer would hold up the opening itself.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (const std::string why = why_not_plain(file); !why.empty()) {
    refuse(why);
  }
  int error = 0;
  std::string text = read_some(file, most + 1, error);
  if (error != 0) {
    refuse(std::strerror(error));
  }
  if (text.size() > most) {
    refuse("it is longer than " + format_bytes(static_cast<double>(most)));
  }
  return text;
}

}  // namespace bankfull
