#include "bankfull/core/comm/run_on_ranks.hpp"

#include "bankfull/core/base/printable.hpp"
#include "bankfull/core/comm/parallel_run.hpp"

#include <exception>
#include <new>

namespace bankfull {
namespace {

/// Runs `body` and hands what it throws to `fail(code, message)`.
template <class Body, class Fail>
int guarded(const Body& body, const Fail& fail) {
  try {
    return body();
  } catch (const UsageError& error) {
    return fail(ExitCode::usage, error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::runtime_failure, "out of memory");
  } catch (const std::exception& error) {
    return fail(ExitCode::runtime_failure, one_line(error.what()));
  } catch (...) {
    return fail(ExitCode::runtime_failure, "an unknown failure");
  }
}

}  // namespace

int run_on_ranks(const std::function<ExitCode(const Communicator&)>& body,
                 const std::function<void(const std::string&)>& report) {
  return guarded(
      [&] {
        ParallelRun parallel;
        return guarded([&] { return static_cast<int>(body(parallel.world())); },
                       [&](ExitCode code, const std::string& message) {
                         return parallel.fail(code, message, report);
                       });
      },
      // Processes that do not know of each other: one of them speaks, by its launcher's count.
      [&](ExitCode code, const std::string& message) {
        if (detect_launch().rank == 0) {
          report(message);
        }
        return static_cast<int>(code);
      });
}

}  // namespace bankfull
