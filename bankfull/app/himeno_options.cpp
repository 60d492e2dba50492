#include "bankfull/app/himeno_options.hpp"

#include "bankfull/app/choices.hpp"
#include "bankfull/app/counts.hpp"
#include "bankfull/core/base/precision_names.hpp"

#include <vector>

namespace bankfull {
namespace {

std::vector<himeno::Schedule> parse_schedules(const std::string& text, Device device) {
  std::vector<himeno::Schedule> schedules;
  if (text == "all") {
    schedules = himeno::all_schedules();
    if (device.is_cuda()) {
      std::erase(schedules, himeno::Schedule::reference);
    }
    return schedules;
  }
  for (const std::string& name : parse_list("--schedule", text)) {
    schedules.push_back(himeno::parse_schedule(name));
  }
  return schedules;
}

std::vector<std::string> names_of_sizes() {
  std::vector<std::string> names;
  for (const himeno::StandardSize& size : himeno::standard_sizes()) {
    names.push_back(size.name);
  }
  return names;
}

void add_problem_options(CLI::App& command, HimenoOptions& options) {
  with_environment(
      command.add_option("--size", options.size, "XS, S, M, L, XL or IxJxK with the boundary")
          ->capture_default_str());
  with_environment(command
                       .add_option("--schedule", options.schedule,
                                   "reference, direct, marching, tuned, fused; several with "
                                   "commas; or all")
                       ->capture_default_str());
  with_environment(command.add_option("--precision", options.precision, "fp32 (official) or fp64")
                       ->capture_default_str());
  offer(command, "--size", names_of_sizes());
  offer(command, "--schedule", with_name(names_of(himeno::all_schedules()), "all"));
  offer(command, "--precision", precision_names.names());
}

void add_timing_options(CLI::App& command, HimenoOptions& options) {
  auto* target = add_number(command, "--target-seconds", options.target_seconds,
                            "choose the iterations to fill this time")
                     ->capture_default_str();
  add_number(command, "--iterations", options.iterations,
             "run exactly this many iterations in each repeat, from the official initial state",
             {.most = himeno::max_iterations})
      ->excludes(target);
  add_number(command, "--repeat", options.repeats, "timed repeats", {.most = himeno::max_repeats})
      ->capture_default_str();
  add_number(command, "--warmup", options.warmup, "trial runs before the timed repeats",
             {.most = himeno::max_repeats})
      ->capture_default_str();
}

void add_overlap_options(CLI::App& command, HimenoOptions& options) {
  with_environment(command
                       .add_option("--overlap", options.overlap,
                                   "none: sweep, then exchange halos; boundary: boundary parts "
                                   "first; two-part: exchange one part, sweep the other")
                       ->capture_default_str());
  offer(command, "--overlap", names_of(himeno::all_overlaps));
  add_number(command, "--split", options.split, "share of the planes in part A of two-part")
      ->capture_default_str();
}

}  // namespace

void add_himeno_options(CLI::App& command, HimenoOptions& options) {
  add_common_options(command, options.common);
  add_problem_options(command, options);
  add_timing_options(command, options);
  add_rank_options(command, options.ranks);
  add_overlap_options(command, options);
  add_perturbation_option(command, options.perturbation);
}

himeno::Problem problem_from(const HimenoOptions& options, const Communicator& ranks) {
  himeno::Problem problem;
  problem.grid = himeno::parse_size(options.size);
  problem.precision = parse_precision(options.precision);
  problem.device = options.common.resolved_device(ranks);
  problem.threads = options.common.resolved_threads(ranks);
  problem.schedules = parse_schedules(options.schedule, problem.device);
  problem.target_seconds = options.target_seconds;
  problem.repeats = options.repeats;
  problem.warmup = options.warmup;
  problem.iterations = options.iterations;
  problem.rank_grid = options.ranks.grid();
  problem.transport = parse_transport(options.ranks.transport);
  problem.overlap = himeno::parse_overlap(options.overlap);
  problem.split = options.split;
  problem.perturbation = options.perturbation;
  return problem;
}

}  // namespace bankfull
