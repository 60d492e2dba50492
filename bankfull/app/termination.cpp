#include "bankfull/app/termination.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace bankfull {
namespace {

constexpr std::array watched{SIGTERM, SIGINT, SIGUSR1};

// A handler gets nothing but the signal's number: what it has to say must lie where it finds it.
std::atomic<int> received{0};
std::atomic<bool> speaks{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "a signal may come at any instruction");

constexpr const char* name_of(int signal) {
  switch (signal) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGUSR1:
      return "SIGUSR1";
    default:
      return "";
  }
}

void say(std::string_view text) {
  // A stderr that cannot be written to must not keep the run from ending well.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

void set_action(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

/// Calls only functions that a handler may call.
void receive(int signal) {
  const int error = errno;
  for (const int other : watched) {
    set_action(other, SIG_DFL);
  }
  received.store(signal);
  if (speaks.load()) {
    say("\nbankfull: ");
    say(name_of(signal));
    say(": the run ends after its present step; a second signal ends it at once\n");
  }
  errno = error;
}

}  // namespace

TerminationWatch::TerminationWatch(bool speak) : before_() {
  received.store(0);
  speaks.store(speak);
  for (std::size_t n = 0; n < watched.size(); ++n) {
    sigaction(watched[n], nullptr, &before_[n]);
    if (before_[n].sa_handler != SIG_IGN) {
      set_action(watched[n], receive);
    }
  }
}

TerminationWatch::~TerminationWatch() {
  for (std::size_t n = 0; n < watched.size(); ++n) {
    sigaction(watched[n], &before_[n], nullptr);
  }
}

bool TerminationWatch::requested() const { return received.load(std::memory_order_relaxed) != 0; }

std::string TerminationWatch::cause() const { return name_of(received.load()); }

std::string cause_of_end(const Interruption& interruption, const Communicator& ranks) {
  const std::string mine = interruption.requested() ? interruption.cause() : "";
  const auto causes = ranks.all_gather(std::vector<char>(mine.begin(), mine.end()));
  const auto first =
      std::ranges::find_if(causes, [](const std::vector<char>& cause) { return !cause.empty(); });
  return first == causes.end() ? std::string() : std::string(first->begin(), first->end());
}

}  // namespace bankfull
