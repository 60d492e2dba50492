#pragma once

#include "bankfull/core/base/printable.hpp"

#include <memory>
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
  interrupted = 5,
};

// Messages quote user input, file names and library messages, whatever these contain: each is made
// a single printable line here, so that no code that throws has to.

/// The machine, a library or the system failed: not the user's fault. Exit code 1.
class RuntimeFailure : public std::runtime_error {
 public:
  /// `what()` is the message as one_line() makes it.
  explicit RuntimeFailure(const std::string& message) : std::runtime_error(one_line(message)) {}
};

/// There is no room for a file: the disk is full, or files may not become that large. Callers that
/// can do without the file may continue.
class NoRoom : public RuntimeFailure {
 public:
  /// Takes the message, as RuntimeFailure does.
  using RuntimeFailure::RuntimeFailure;
};

/// The user asked for something that cannot be done. The message is one line that names the
/// offending value and says what to do instead. Exit code 2.
class UsageError : public std::runtime_error {
 public:
  /// A whole message, with the remedy; `what()` is this as one_line() makes it.
  explicit UsageError(const std::string& message) : std::runtime_error(one_line(message)) {}

  /// However long the problem is, the remedy is never cut off.
  UsageError(const std::string& problem, const std::string& remedy)
      : UsageError(one_line(problem, max_part_length) + "; " + one_line(remedy, max_part_length)) {}

  /// The same of a setting that the message does not name: "time.dt" as in a case of convection.
  [[nodiscard]] UsageError about(const std::string& setting) const {
    UsageError same = *this;
    same.setting_ = std::make_shared<const std::string>(setting);
    return same;
  }

  /// Empty if not given.
  [[nodiscard]] std::string setting() const { return setting_ ? *setting_ : std::string(); }

 private:
  std::shared_ptr<const std::string> setting_;  // an exception's copy may not fail
};

/// Throws UsageError unless the user's request holds.
inline void require(bool holds, const std::string& problem, const std::string& remedy) {
  if (!holds) {
    throw UsageError(problem, remedy);
  }
}

/// Runs `body`, whose refusals are about this setting unless they name one themselves.
template <class Body>
decltype(auto) about(const std::string& setting, const Body& body) {
  try {
    return body();
  } catch (const UsageError& error) {
    throw error.setting().empty() ? error.about(setting) : error;
  }
}

}  // namespace bankfull
