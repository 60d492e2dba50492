#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/measure/interruption.hpp"

#include <array>
#include <csignal>
#include <string>

namespace bankfull {

/// Takes SIGTERM, SIGINT and SIGUSR1 as requests to end the run at its next step, for as long as it
/// lives; what they did before, they do again after that. A second signal ends the process at once.
/// A signal that the process was started to ignore, as by nohup, stays ignored. One object at a
/// time.
class TerminationWatch final : public Interruption {
 public:
  /// Where it is to `speak`, the signal is confirmed on stderr as soon as it comes.
  explicit TerminationWatch(bool speak);
  ~TerminationWatch() override;
  TerminationWatch(const TerminationWatch&) = delete;
  TerminationWatch& operator=(const TerminationWatch&) = delete;

  [[nodiscard]] bool requested() const override;
  [[nodiscard]] std::string cause() const override;

 private:
  std::array<struct sigaction, 3> before_;
};

/// Collective: what asked the run to end, of the lowest rank that was asked; empty if none was.
std::string cause_of_end(const Interruption& interruption, const Communicator& ranks);

}  // namespace bankfull
