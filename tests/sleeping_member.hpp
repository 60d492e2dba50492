#pragma once

#include "bankfull/core/exec/run_on_team.hpp"
#include "bankfull/core/exec/team.hpp"

#include <chrono>
#include <csignal>
#include <ctime>
#include <pthread.h>
#include <stop_token>
#include <thread>

namespace bankfull {

/// While one exists, a member of the teams of so many threads sleeps most of the time, wherever it
/// is, as one whose core others take does. Meanwhile there must be no other teams.
class SleepingMember {
 public:
  SleepingMember(int threads, int member) {
    // It stays: a signal may arrive after this has ended.
    struct sigaction action = {};
    action.sa_handler = sleep_a_while;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, nullptr);
    pthread_t sleeper = pthread_self();
    run_on_team(Team(threads), [&] {
      if (share_number() == member) {
        sleeper = pthread_self();
      }
    });
    waker_ = std::jthread([sleeper](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        pthread_kill(sleeper, SIGUSR1);
        std::this_thread::sleep_for(std::chrono::microseconds(300));
      }
    });
  }

 private:
  static void sleep_a_while(int /*signal*/) {
    constexpr std::timespec length{.tv_sec = 0, .tv_nsec = 200'000};
    nanosleep(&length, nullptr);
  }

  std::jthread waker_;
};

}  // namespace bankfull
