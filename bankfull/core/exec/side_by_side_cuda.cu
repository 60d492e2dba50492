#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/side_by_side.hpp"
#include "bankfull/core/exec/team_binding.hpp"

#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace bankfull {
namespace {

/// The first exception of several threads.
class FirstException {
 public:
  template <class Body>
  void keep_of(const Body& body) {
    try {
      body();
    } catch (...) {
      const std::lock_guard lock(guard_);
      first_ = first_ ? first_ : std::current_exception();
    }
  }

  /// Throws it, if there is one, when the threads are done.
  void pass_on() const {
    if (first_) {
      std::rethrow_exception(first_);
    }
  }

 private:
  std::mutex guard_;
  std::exception_ptr first_;
};

/// Executors on streams of their own, but for the first; their regions are parts of one.
std::vector<CudaExecutor> executors_for(const CudaExecutor& executor,
                                        const std::vector<std::int64_t>& bytes,
                                        std::list<Stream>& streams) {
  std::size_t sum = 0;
  for (const std::int64_t n : bytes) {
    sum += MemoryRegion::taken_by(static_cast<std::size_t>(n));
  }
  std::vector<CudaExecutor> executors;
  if (bytes.empty()) {
    return executors;
  }
  const MemoryRegion all(CudaExecutor::space, sum);
  for (const std::int64_t n : bytes) {
    const bool first = executors.empty();
    const Stream& stream =
        first ? executor.stream() : streams.emplace_back(executor.stream().device());
    executors.push_back(CudaExecutor(stream).with_region(
        MemoryRegion(all.take(MemoryRegion::taken_by(static_cast<std::size_t>(n))))));
  }
  return executors;
}

}  // namespace

void side_by_side(const CudaExecutor& executor, const std::vector<std::int64_t>& bytes,
                  const std::function<void(const CudaExecutor&, std::size_t)>& body) {
  executor.synchronize();
  // Threads that allocate at the same time wait for each other, longer than the calls take.
  std::list<Stream> streams;
  const std::vector<CudaExecutor> executors = executors_for(executor, bytes, streams);
  FirstException exception;
  const auto run = [&](std::size_t n) {
    exception.keep_of([&] {
      select(executor.stream().device());
      body(executors[n], n);
      executors[n].synchronize();
    });
  };
  std::vector<std::thread> threads(executors.size());
  // Each thread starts the next one, so that the first body begins after one start.
  std::function<void(std::size_t)> start_next = [&](std::size_t n) {
    if (n + 1 < threads.size()) {
      exception.keep_of([&] {
        threads[n + 1] = std::thread([&, n] {
          start_next(n + 1);
          run(n + 1);
        });
      });
    }
  };
  if (!threads.empty()) {
    {
      const UnboundStart unbound;
      start_next(0);
    }
    run(0);
  }
  for (std::thread& thread : threads) {
    if (thread.joinable()) {
      thread.join();
    }
  }
  exception.pass_on();
}

}  // namespace bankfull
