#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/side_by_side.hpp"
#include "bankfull/core/exec/team_binding.hpp"

#include <exception>
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

}  // namespace

void side_by_side(const CudaExecutor& executor, const std::vector<std::int64_t>& bytes,
                  const std::function<void(const CudaExecutor&, std::size_t)>& body) {
  executor.synchronize();
  // Threads that allocate at the same time wait for each other, longer than the calls take.
  std::list<Stream> streams;
  std::vector<CudaExecutor> executors;
  for (const std::int64_t n : bytes) {
    const bool first = executors.empty();
    const Stream& stream =
        first ? executor.stream() : streams.emplace_back(executor.stream().device());
    executors.push_back(CudaExecutor(stream).with_region(n));
  }
  FirstException exception;
  const auto run = [&](std::size_t n) {
    exception.keep_of([&] {
      select(executor.stream().device());
      body(executors[n], n);
      executors[n].synchronize();
    });
  };
  {
    std::vector<std::jthread> threads;
    if (executors.size() > 1) {
      const UnboundStart unbound;
      for (std::size_t n = 1; n < executors.size(); ++n) {
        threads.emplace_back(run, n);
      }
    }
    if (!executors.empty()) {
      run(0);
    }
  }
  exception.pass_on();
}

}  // namespace bankfull
