#include "bankfull/workloads/npb/plan.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/halo_exchange.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::npb {
namespace {

/// For all kernels of the problem.
std::string fitting_class(Problem problem, int ranks, const Footprints& footprints) {
  std::string largest;
  for (const Class size : all_classes) {
    problem.size = size;
    const bool fits =
        std::all_of(problem.kernels.begin(), problem.kernels.end(), [&](Kernel kernel) {
          return refusal_of_ranks(kernel, problem, ranks).empty() &&
                 footprints.fits(footprints.of(work_bytes(kernel, problem, ranks)));
        });
    if (fits) {
      largest = to_string(size);
    }
  }
  return largest.empty() ? "no class fits" : "the largest class that fits is --class " + largest;
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
  require(!problem.device.is_cuda(),
          "--schedule reference does not run on " + to_string(problem.device),
          "use --device cpu, or --schedule tuned");
  require(problem.threads <= 1,
          fmt::format("--schedule reference is serial, --threads {} is not", problem.threads),
          "use --threads 1, or --schedule tuned");
  require(ranks <= 1, fmt::format("--schedule reference is serial, {} ranks are not", ranks),
          "start one rank, or use --schedule tuned");
  require(
      problem.perturbation == 0.0,
      fmt::format("--perturb-operator {} changes the measured path, --schedule reference has none",
                  problem.perturbation),
      "use --schedule tuned");
}

void check_cg_order(const Problem& problem) {
  if (problem.cg_order == CgOrder::automatic) {
    return;
  }
  const std::string option = "--cg " + to_string(problem.cg_order);
  require(std::ranges::find(problem.kernels, Kernel::cg) != problem.kernels.end(),
          option + " is an order of CG's operations, and this run has no CG",
          "leave it out, or run the kernel cg or all");
  require(problem.cg_order != CgOrder::chronopoulos_gear || problem.device.is_cuda(),
          option + " runs on GPUs only, not on " + to_string(problem.device),
          "use --cg nasa, which is CG's order on CPUs, or --device cuda");
}

/// An option that chooses between two ways of a kernel's tuned schedule on CPUs.
void check_choice(const Problem& problem, Kernel kernel, const std::string& option) {
  require(std::ranges::find(problem.kernels, kernel) != problem.kernels.end(),
          fmt::format("{} is a choice of the kernel {}, which this run does not have", option,
                      to_string(kernel)),
          fmt::format("leave it out, or run the kernel {} or all", to_string(kernel)));
  require(!problem.device.is_cuda() && problem.schedule != Schedule::reference,
          option + " is a choice of the tuned schedule on CPUs",
          "leave it out, or use --device cpu and --schedule tuned");
}

void check_choices(const Problem& problem, int ranks) {
  if (problem.cg_entries != CgEntries::automatic) {
    check_choice(problem, Kernel::cg, "--cg-entries " + to_string(problem.cg_entries));
  }
  if (problem.is_counts != IsCounts::automatic) {
    const std::string option = "--is-counts " + to_string(problem.is_counts);
    check_choice(problem, Kernel::is, option);
    require(ranks == 1, option + " is a choice on one rank: several always use buckets",
            "leave it out, or start one rank");
  }
}

void check_settings(const Problem& problem, int ranks) {
  require(problem.repeats >= 1 && problem.repeats <= max_repeats,
          fmt::format("--repeat {} is not a number of repeats", problem.repeats),
          fmt::format("use 1 to {}", max_repeats));
  require(problem.threads >= 1, fmt::format("--threads {} is too few", problem.threads),
          "use at least 1");
  if (problem.schedule == Schedule::reference) {
    check_reference(problem, ranks);
  }
  check_cg_order(problem);
  check_choices(problem, ranks);
}

}  // namespace

Plan make_plan(const Problem& problem, const Communicator& ranks, CeilingRule ceilings,
               Shortage shortage) {
  const Footprints footprints(problem.device, problem.threads, ranks, ceilings);
  Plan plan{.problem = problem, .kernels = {}};
  ranks.agree([&] {
    check_settings(problem, ranks.size());
    for (const Kernel kernel : problem.kernels) {
      check_ranks(kernel, problem, ranks.size());
      plan.kernels.push_back(
          {.kernel = kernel,
           .facts = facts_of(kernel, problem),
           .footprint = footprints.of(work_bytes(kernel, problem, ranks.size()))});
    }
  });
  for (KernelPlan& kernel : plan.kernels) {
    kernel.shortage = footprints.require(
        ranks, kernel.footprint,
        fmt::format("npb {} --class {}", to_string(kernel.kernel), to_string(problem.size)),
        [&] { return fitting_class(problem, ranks.size(), footprints); }, shortage);
  }
  if (ranks.size() > 1 || problem.transport != Transport::automatic) {
    require_transport(problem.transport, ranks, problem.device);
  }
  return plan;
}

}  // namespace bankfull::npb
