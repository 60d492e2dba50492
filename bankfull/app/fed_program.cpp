#include "bankfull/app/fed_program.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/team_binding.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bankfull {
namespace {

namespace fs = std::filesystem;

/// The streams of a process to be started.
class StreamsOfChild {
 public:
  StreamsOfChild() { posix_spawn_file_actions_init(&actions_); }
  ~StreamsOfChild() { posix_spawn_file_actions_destroy(&actions_); }
  StreamsOfChild(const StreamsOfChild&) = delete;
  StreamsOfChild& operator=(const StreamsOfChild&) = delete;

  void take(int stream, const Descriptor& from) {
    posix_spawn_file_actions_adddup2(&actions_, from.get(), stream);
  }

  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

[[noreturn]] void fail_to_start(const fs::path& program, int error) {
  throw RuntimeFailure(fmt::format("cannot start {}: {}", program.string(), std::strerror(error)));
}

}  // namespace

std::optional<fs::path> program_in_path(const std::string& name) {
  const char* const folders = std::getenv("PATH");
  std::istringstream path(folders == nullptr ? "/usr/local/bin:/usr/bin:/bin" : folders);
  for (std::string folder; std::getline(path, folder, ':');) {
    const fs::path program = fs::path(folder.empty() ? "." : folder) / name;
    struct stat status {};
    if (stat(program.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  return std::nullopt;
}

FedProgram::FedProgram(fs::path program, const std::vector<std::string>& arguments)
    : program_(std::move(program)), complaints_(memfd_create("complaints", MFD_CLOEXEC)) {
  std::array<int, 2> ends{};
  if (!complaints_.valid() || pipe2(ends.data(), O_CLOEXEC) != 0) {
    fail_to_start(program_, errno);
  }
  const Descriptor output(ends[0]);
  input_ = Descriptor(ends[1]);
  const Descriptor nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  StreamsOfChild streams;
  streams.take(STDIN_FILENO, output);
  streams.take(STDOUT_FILENO, nowhere);
  streams.take(STDERR_FILENO, complaints_);
  std::vector<std::string> texts{program_.string()};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  const UnboundStart unbound;
  const int error =
      posix_spawn(&process_, program_.c_str(), streams.get(), nullptr, pointers.data(), environ);
  if (error != 0) {
    process_ = -1;
    fail_to_start(program_, error);
  }
}

FedProgram::~FedProgram() {
  if (process_ >= 0) {
    kill(process_, SIGKILL);
    wait();
  }
}

void FedProgram::feed(const void* bytes, std::size_t count) {
  const auto* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = write(input_.get(), next, count);
    if (written < 0 && errno != EINTR) {
      input_.close();
      wait();
      fail();
    }
    const std::size_t taken = written > 0 ? static_cast<std::size_t>(written) : 0;
    next += taken;
    count -= taken;
  }
}

void FedProgram::finish() {
  input_.close();
  if (wait() != 0) {
    fail();
  }
}

int FedProgram::wait() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

void FedProgram::fail() {
  throw RuntimeFailure(fmt::format("{} has failed: {}", program_.string(), complaint()));
}

std::string FedProgram::complaint() const {
  constexpr off_t most = 4096;
  std::array<char, most> text{};
  const off_t size = lseek(complaints_.get(), 0, SEEK_END);
  const ssize_t count =
      pread(complaints_.get(), text.data(), text.size(), std::max<off_t>(0, size - most));
  std::istringstream lines(
      std::string(text.data(), static_cast<std::size_t>(std::max<ssize_t>(0, count))));
  std::string last = "it does not say why";
  for (std::string line; std::getline(lines, line);) {
    last = line.empty() ? last : line;
  }
  return last;
}

}  // namespace bankfull
