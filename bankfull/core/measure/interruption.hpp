#pragma once

#include <exception>
#include <string>

namespace bankfull {

/// A request to end a run before its work is done, such as a signal from a batch system.
class Interruption {
 public:
  virtual ~Interruption() = default;

  /// Whether this process was asked to end; never reset. Cheap.
  [[nodiscard]] virtual bool requested() const = 0;

  /// The cause, such as "SIGTERM".
  [[nodiscard]] virtual std::string cause() const = 0;
};

/// Unwinds work of an interrupted run that has no result yet. Thrown on all ranks.
class Interrupted final : public std::exception {
 public:
  /// Says nothing of the cause; see Interruption::cause.
  [[nodiscard]] const char* what() const noexcept override { return "the run was interrupted"; }
};

/// Runs `body` until it returns or an interruption ends it. Its results up to then must be kept
/// outside of it.
template <class Body>
void until_interrupted(const Body& body) {
  try {
    body();
  } catch (const Interrupted&) {
    return;  // reported by the code that requested the end
  }
}

}  // namespace bankfull
