#pragma once

#include "bankfull/app/descriptor.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace bankfull {

/// Where the shell would find a program of this name; nothing where PATH has none.
std::optional<std::filesystem::path> program_in_path(const std::string& name);

/// Another program that reads its standard input from us. It gets its arguments as they are,
/// without a shell; what it prints is left out, but for the last line that it complains in.
class FedProgram {
 public:
  /// Throws RuntimeFailure where it cannot be started.
  FedProgram(std::filesystem::path program, const std::vector<std::string>& arguments);

  /// Ends it, unless it has ended.
  ~FedProgram();
  FedProgram(const FedProgram&) = delete;
  FedProgram& operator=(const FedProgram&) = delete;

  /// Throws RuntimeFailure, with what it complained of, where it no longer reads.
  void feed(const void* bytes, std::size_t count);

  /// Ends its input and waits for it. Throws RuntimeFailure, with what it complained of, unless it
  /// has succeeded.
  void finish();

 private:
  [[noreturn]] void fail();
  int wait();
  [[nodiscard]] std::string complaint() const;

  std::filesystem::path program_;
  Descriptor input_;
  Descriptor complaints_;
  pid_t process_ = -1;  ///< below 0: it has ended
};

}  // namespace bankfull
