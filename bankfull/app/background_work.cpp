#include "bankfull/app/background_work.hpp"

#include "bankfull/core/exec/team_binding.hpp"

#include <utility>

namespace bankfull {

BackgroundWork::BackgroundWork() {
  const UnboundStart unbound;
  thread_ = std::thread([this] { run(); });
}

BackgroundWork::~BackgroundWork() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundWork::add(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    rethrow();
    waiting_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void BackgroundWork::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !busy_; });
  rethrow();
}

void BackgroundWork::rethrow() const {
  if (failure_) {
    std::rethrow_exception(failure_);
  }
}

void BackgroundWork::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) {
      return;
    }
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    const bool dropped = failure_ != nullptr;
    busy_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      if (!dropped) {
        work();
      }
    } catch (...) {
      failure = std::current_exception();
    }
    work = nullptr;  // what it holds may be what somebody waits for
    lock.lock();
    busy_ = false;
    failure_ = failure_ ? failure_ : failure;
    changed_.notify_all();
  }
}

}  // namespace bankfull
