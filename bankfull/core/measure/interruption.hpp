#pragma once

#include <exception>
#include <string>

namespace bankfull {

/// Asks a run to end before its work is done, as a signal of a batch system does.
class Interruption {
 public:
  virtual ~Interruption() = default;

  /// Whether this process was asked to end; once it was, it stays so. Cheap.
  [[nodiscard]] virtual bool requested() const = 0;

  /// By what, such as "SIGTERM".
  [[nodiscard]] virtual std::string cause() const = 0;
};

/// Ends work of an interrupted run that has nothing to show yet. Thrown on all its ranks.
class Interrupted final : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the run was interrupted"; }
};

/// Runs `body` to its end, or to where an interruption ends it. What it found until then must lie
/// outside of it.
template <class Body>
void until_interrupted(const Body& body) {
  try {
    body();
  } catch (const Interrupted&) {
    return;  // who asked for the end tells of it
  }
}

}  // namespace bankfull
