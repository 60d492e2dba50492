#include "bankfull/workloads/npb/problem.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/memory/capacity.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::npb {
namespace {

/// Partial results. Measuring the ceiling takes more, where there is more.
constexpr std::int64_t working_bytes = std::int64_t{64} << 20;

constexpr int most_repeats = 10'000;

/// The ranks that run the problem, and how many of them share this rank's memory.
struct Spread {
  int ranks = 1;
  int sharing = 1;
};

/// Bytes of all ranks that share this rank's memory.
std::int64_t needed_bytes(Kernel kernel, const Problem& problem, const Spread& spread) {
  return spread.sharing * (memory_bytes(kernel, problem, spread.ranks) + working_bytes);
}

/// For all kernels of the problem.
std::string fitting_class(Problem problem, const Spread& spread) {
  const std::int64_t available = free_bytes(problem.device);
  std::string largest;
  for (const Class size : all_classes) {
    problem.size = size;
    const bool fits =
        std::all_of(problem.kernels.begin(), problem.kernels.end(), [&](Kernel kernel) {
          return refusal_of_ranks(kernel, problem, spread.ranks).empty() &&
                 needed_bytes(kernel, problem, spread) <= available;
        });
    if (fits) {
      largest = to_string(size);
    }
  }
  return largest.empty() ? "no class fits" : "the largest class that fits is --class " + largest;
}

void check_memory(Kernel kernel, const Problem& problem, const Spread& spread) {
  const std::int64_t needed = needed_bytes(kernel, problem, spread);
  if (needed > free_bytes(problem.device)) {
    require_capacity(problem.device, needed,
                     fmt::format("npb {} --class {}", to_string(kernel), to_string(problem.size)),
                     fitting_class(problem, spread));
  }
}

void check_ranks(Kernel kernel, const Problem& problem, int ranks) {
  const std::string refusal = refusal_of_ranks(kernel, problem, ranks);
  if (refusal.empty()) {
    return;
  }
  int fewer = ranks - 1;
  while (fewer > 0 && !refusal_of_ranks(kernel, problem, fewer).empty()) {
    --fewer;
  }
  throw UsageError(fmt::format("npb {} --class {} {}, this run has {} rank{}", to_string(kernel),
                               to_string(problem.size), refusal, ranks, ranks == 1 ? "" : "s"),
                   fewer > 0 ? fmt::format("the next smaller number that it runs on is {}", fewer)
                             : "choose a smaller class, or --device cpu");
}

void check_reference(const Problem& problem, int ranks) {
  if (problem.device.is_cuda()) {
    throw UsageError("--schedule reference does not run on " + to_string(problem.device),
                     "use --device cpu, or --schedule tuned");
  }
  if (problem.threads > 1) {
    throw UsageError(
        fmt::format("--schedule reference is serial, --threads {} is not", problem.threads),
        "use --threads 1, or --schedule tuned");
  }
  if (ranks > 1) {
    throw UsageError(fmt::format("--schedule reference is serial, {} ranks are not", ranks),
                     "start one rank, or use --schedule tuned");
  }
  if (problem.perturbation != 0.0) {
    throw UsageError(
        fmt::format(
            "--perturb-operator {} changes the measured path, --schedule reference has none",
            problem.perturbation),
        "use --schedule tuned");
  }
}

void check_cg_order(const Problem& problem) {
  if (problem.cg_order == CgOrder::automatic) {
    return;
  }
  const std::string option = "--cg " + to_string(problem.cg_order);
  if (std::find(problem.kernels.begin(), problem.kernels.end(), Kernel::cg) ==
      problem.kernels.end()) {
    throw UsageError(option + " is an order of CG's operations, and this run has no CG",
                     "leave it out, or run the kernel cg or all");
  }
  if (problem.cg_order == CgOrder::chronopoulos_gear && !problem.device.is_cuda()) {
    throw UsageError(option + " runs on GPUs only, not on " + to_string(problem.device),
                     "use --cg nasa, which is CG's order on CPUs, or --device cuda");
  }
}

void check_settings(const Problem& problem, const Spread& spread) {
  if (problem.repeats < 1 || problem.repeats > most_repeats) {
    throw UsageError(fmt::format("--repeat {} is no number of repeats", problem.repeats),
                     fmt::format("use 1 to {}", most_repeats));
  }
  if (problem.threads < 1) {
    throw UsageError(fmt::format("--threads {} leaves nobody to work", problem.threads),
                     "use at least 1");
  }
  if (problem.schedule == Schedule::reference) {
    check_reference(problem, spread.ranks);
  }
  check_cg_order(problem);
  for (const Kernel kernel : problem.kernels) {
    check_ranks(kernel, problem, spread.ranks);
    check_memory(kernel, problem, spread);
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

std::string to_string(CgOrder order) {
  switch (order) {
    case CgOrder::nasa:
      return "nasa";
    case CgOrder::chronopoulos_gear:
      return "chronopoulos-gear";
    case CgOrder::automatic:
      break;
  }
  return "auto";
}

CgOrder parse_cg_order(const std::string& text) {
  for (const CgOrder order : {CgOrder::automatic, CgOrder::nasa, CgOrder::chronopoulos_gear}) {
    if (to_string(order) == text) {
      return order;
    }
  }
  throw UsageError("--cg " + text + " is unknown", "use auto, nasa or chronopoulos-gear");
}

void validate(const Problem& problem, const Communicator& ranks) {
  const Spread spread{.ranks = ranks.size(), .sharing = sharers_of_device(ranks, problem.device)};
  ranks.agree([&] { check_settings(problem, spread); });
  if (spread.ranks > 1 || problem.transport != Transport::automatic) {
    require_transport(problem.transport, ranks, problem.device);
  }
}

}  // namespace bankfull::npb
