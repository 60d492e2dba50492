#include "bankfull/workloads/npb/problem.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/memory/capacity.hpp"

#include <fmt/format.h>

namespace bankfull::npb {
namespace {

/// Partial results, and what measuring the ceiling takes.
constexpr std::int64_t working_bytes = std::int64_t{64} << 20;

constexpr int most_repeats = 10'000;

std::int64_t needed_bytes(Kernel kernel, const Problem& problem) {
  return memory_bytes(kernel, problem) + working_bytes;
}

std::string fitting_class(Kernel kernel, Problem problem) {
  const std::int64_t available = free_bytes(problem.device);
  std::string largest;
  for (const Class size : all_classes) {
    problem.size = size;
    if (needed_bytes(kernel, problem) <= available) {
      largest = to_string(size);
    }
  }
  return largest.empty() ? "no class fits" : "the largest class that fits is --class " + largest;
}

void check_memory(Kernel kernel, const Problem& problem) {
  const std::int64_t needed = needed_bytes(kernel, problem);
  if (needed > free_bytes(problem.device)) {
    require_capacity(problem.device, needed,
                     fmt::format("npb {} --class {}", to_string(kernel), to_string(problem.size)),
                     fitting_class(kernel, problem));
  }
}

}  // namespace

std::string to_string(Schedule schedule) {
  return schedule == Schedule::tuned ? "tuned" : "reference";
}

Schedule parse_schedule(const std::string& text) {
  for (const Schedule schedule : {Schedule::tuned, Schedule::reference}) {
    if (to_string(schedule) == text) {
      return schedule;
    }
  }
  throw UsageError("--schedule " + text + " is unknown", "use tuned or reference");
}

void validate(const Problem& problem, const Communicator& ranks) {
  if (problem.repeats < 1 || problem.repeats > most_repeats) {
    throw UsageError(fmt::format("--repeat {} is no number of repeats", problem.repeats),
                     fmt::format("use 1 to {}", most_repeats));
  }
  if (problem.threads < 1) {
    throw UsageError(fmt::format("--threads {} leaves nobody to work", problem.threads),
                     "use at least 1");
  }
  if (ranks.size() > 1) {
    throw UsageError(fmt::format("npb runs on one rank so far, this run has {}", ranks.size()),
                     "start it without mpirun, or let its ranks run another workload");
  }
  if (problem.schedule == Schedule::reference && problem.device.is_cuda()) {
    throw UsageError("--schedule reference does not run on " + to_string(problem.device),
                     "use --device cpu, or --schedule tuned");
  }
  if (problem.schedule == Schedule::reference && problem.threads > 1) {
    throw UsageError(
        fmt::format("--schedule reference is serial, --threads {} is not", problem.threads),
        "use --threads 1, or --schedule tuned");
  }
  for (const Kernel kernel : problem.kernels) {
    check_memory(kernel, problem);
  }
}

}  // namespace bankfull::npb
