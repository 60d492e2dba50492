#include "bankfull/app/console.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/base/printable.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace bankfull {
namespace {

constexpr int first_other_descriptor = STDERR_FILENO + 1;

/// Where the document goes; below 0: to standard output with all else.
int& document_descriptor() {
  static int descriptor = -1;
  return descriptor;
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  return true;
}

/// A place at which writing fails, as it did.
void occupy_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
      static_cast<void>(open("/dev/null", O_RDONLY));  // takes the least that is free: this one
    }
  }
}

}  // namespace

void prepare_console() {
  occupy_closed_descriptors();
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
  static_cast<void>(std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ));
}

void write_out(const std::string& text) {
  std::string shown;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const bool ends = line.size() < rest.size();
    shown += printable(line);
    shown += ends ? "\n" : "";
    rest.remove_prefix(line.size() + (ends ? 1 : 0));
  }
  static_cast<void>(std::fwrite(shown.data(), 1, shown.size(), stdout));
}

void write_error(const std::string& message) {
  const std::string line = "bankfull: " + one_line(message) + "\n";
  static_cast<void>(std::fputs(line.c_str(), stderr));
}

void keep_output_for_document() {
  static_cast<void>(std::fflush(stdout));
  const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, first_other_descriptor);
  if (kept < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    throw RuntimeFailure(std::string("cannot keep standard output: ") + std::strerror(errno));
  }
  document_descriptor() = kept;
}

void write_document(const std::string& text) {
  const bool before = std::fflush(stdout) == 0;
  const int kept = document_descriptor();
  const bool written = kept < 0 ? before && write_all(STDOUT_FILENO, text) : write_all(kept, text);
  if (!written) {
    throw RuntimeFailure(std::string("cannot write the JSON to standard output: ") +
                         std::strerror(errno));
  }
}

OutputToFile::OutputToFile(const std::filesystem::path& file) {
  static_cast<void>(std::fflush(stdout));
  before_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, first_other_descriptor);
  const int to = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (to >= 0) {
    dup2(to, STDOUT_FILENO);
    close(to);
  }
}

OutputToFile::~OutputToFile() {
  if (std::fflush(stdout) != 0) {
    std::clearerr(stdout);
  }
  if (before_ >= 0) {
    dup2(before_, STDOUT_FILENO);
    close(before_);
  }
}

bool all_was_written() {
  const bool flushed = std::fflush(stdout) == 0;
  return (flushed && std::ferror(stdout) == 0) || document_descriptor() >= 0;
}

}  // namespace bankfull
