#include "bankfull/core/exec/pinned_threads.hpp"

#include "bankfull/core/base/error.hpp"

#include <atomic>
#include <cstddef>
#include <exception>
#include <latch>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <system_error>
#include <thread>

namespace bankfull {
namespace {

bool pin_this_thread(int processor) {
  const auto number = static_cast<std::size_t>(processor);
  std::vector<unsigned char> storage(CPU_ALLOC_SIZE(number + 1), 0);
  auto* const set = reinterpret_cast<cpu_set_t*>(storage.data());
  CPU_SET_S(number, storage.size(), set);
  return pthread_setaffinity_np(pthread_self(), storage.size(), set) == 0;
}

}  // namespace

void run_pinned(const std::vector<int>& processors, const std::function<void(int)>& body) {
  std::latch pinned(static_cast<std::ptrdiff_t>(processors.size()));
  std::atomic<int> refused{-1};
  std::mutex guard;
  std::exception_ptr first;
  const auto run = [&](std::size_t n) {
    if (!pin_this_thread(processors[n])) {
      refused = processors[n];
    }
    pinned.arrive_and_wait();
    if (refused >= 0) {
      return;
    }
    try {
      body(static_cast<int>(n));
    } catch (...) {
      const std::lock_guard lock(guard);
      first = first ? first : std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(processors.size());
    try {
      while (threads.size() < processors.size()) {
        threads.emplace_back(run, threads.size());
      }
    } catch (const std::system_error&) {  // those that exist must not wait for the others
      refused = processors[threads.size()];
      pinned.count_down(static_cast<std::ptrdiff_t>(processors.size() - threads.size()));
    }
  }
  if (refused >= 0) {
    throw RuntimeFailure("the system lets no thread run on processor " + std::to_string(refused));
  }
  if (first) {
    std::rethrow_exception(first);
  }
}

}  // namespace bankfull
