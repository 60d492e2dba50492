#pragma once

#include <stdexcept>
#include <string>

namespace bankfull {

/// The program's exit codes; see docs/user-guide.md.
enum class ExitCode : int {
  ok = 0,
  runtime_failure = 1,
  usage = 2,
  verification_failed = 3,
  below_threshold = 4,
};

/// The machine, a library or the system failed: not the user's fault. Exit code 1.
class RuntimeFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user asked for something that cannot be done. The message is one line that names the
/// offending value and says what to do instead. Exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  UsageError(const std::string& problem, const std::string& remedy)
      : std::runtime_error(problem + "; " + remedy) {}
};

/// Throws UsageError unless the user's request holds.
inline void require(bool holds, const std::string& problem, const std::string& remedy) {
  if (!holds) {
    throw UsageError(problem, remedy);
  }
}

}  // namespace bankfull
