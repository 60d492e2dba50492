#include "bankfull/workloads/npb/problem.hpp"

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/memory/capacity.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::npb {
namespace {

constexpr auto schedule_names =
    enum_names<Schedule>({{Schedule::tuned, "tuned"}, {Schedule::reference, "reference"}});

constexpr auto cg_order_names = enum_names<CgOrder>({
    {CgOrder::automatic, "auto"},
    {CgOrder::nasa, "nasa"},
    {CgOrder::chronopoulos_gear, "chronopoulos-gear"},
});

/// Partial results. Measuring the ceiling takes more, where there is more.
constexpr std::int64_t working_bytes = std::int64_t{64} << 20;

constexpr int max_repeats = 10'000;

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
  if (problem.repeats < 1 || problem.repeats > max_repeats) {
    throw UsageError(fmt::format("--repeat {} is not a number of repeats", problem.repeats),
                     fmt::format("use 1 to {}", max_repeats));
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

std::string to_string(Schedule schedule) { return schedule_names.to_string(schedule); }

Schedule parse_schedule(const std::string& text) {
  return schedule_names.parse(text, "--schedule " + text + " is unknown");
}

std::string to_string(CgOrder order) { return cg_order_names.to_string(order); }

CgOrder parse_cg_order(const std::string& text) {
  return cg_order_names.parse(text, "--cg " + text + " is unknown");
}

void validate(const Problem& problem, const Communicator& ranks) {
  const Spread spread{.ranks = ranks.size(), .sharing = sharers_of_device(ranks, problem.device)};
  ranks.agree([&] { check_settings(problem, spread); });
  if (spread.ranks > 1 || problem.transport != Transport::automatic) {
    require_transport(problem.transport, ranks, problem.device);
  }
}

}  // namespace bankfull::npb
