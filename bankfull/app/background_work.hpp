#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace bankfull {

/// Work that a thread of its own does in the order in which it is given, while others run. Once a
/// piece of work has thrown, those after it are dropped.
class BackgroundWork {
 public:
  BackgroundWork();

  /// Waits until all is done.
  ~BackgroundWork();
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  /// Throws what earlier work has thrown.
  void add(std::function<void()> work);

  /// Waits until all is done, and throws what it has thrown.
  void finish();

 private:
  void run();
  void rethrow() const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool busy_ = false;
  bool closed_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  ///< last: it needs all of the above
};

}  // namespace bankfull
