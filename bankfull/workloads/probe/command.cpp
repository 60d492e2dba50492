#include "bankfull/app/chart.hpp"
#include "bankfull/app/choices.hpp"
#include "bankfull/app/invocation.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/probe_report.hpp"
#include "bankfull/app/publish.hpp"
#include "bankfull/app/workload_commands.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/precision_names.hpp"
#include "bankfull/workloads/probe/run.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string_view>

namespace bankfull {
namespace {

struct ProbeOptions {
  CommonOptions common;
  std::string part = "all";
  std::string precision;
  std::vector<std::string> operations;
  std::string stores = "both";
  std::vector<std::string> pages;
  std::string transport = "auto";
  probe::Problem problem;
};

/// An option that some parts alone use, of which this is the first.
struct OptionOfParts {
  std::string_view name;
  probe::Part part;
  std::optional<probe::Part> other = {};

  [[nodiscard]] bool serves(const probe::Problem& problem) const {
    return has_part(problem, part) || (other && has_part(problem, *other));
  }
};

constexpr std::array options_of_parts{
    OptionOfParts{"operation", probe::Part::bandwidth},
    OptionOfParts{"precision", probe::Part::bandwidth},
    OptionOfParts{"stores", probe::Part::bandwidth},
    OptionOfParts{"mix", probe::Part::bandwidth},
    OptionOfParts{"team-sizes", probe::Part::bandwidth},
    OptionOfParts{"grid-threads", probe::Part::bandwidth},
    OptionOfParts{"grid-blocks", probe::Part::bandwidth},
    OptionOfParts{"n-copy", probe::Part::bandwidth},
    OptionOfParts{"from", probe::Part::bandwidth, probe::Part::link},
    OptionOfParts{"to", probe::Part::bandwidth, probe::Part::link},
    OptionOfParts{"min-gbs", probe::Part::bandwidth, probe::Part::link},
    OptionOfParts{"min-gflops", probe::Part::bandwidth},
    OptionOfParts{"min-percent", probe::Part::bandwidth},
    OptionOfParts{"points-per-octave", probe::Part::bandwidth, probe::Part::latency},
    OptionOfParts{"stride", probe::Part::latency},
    OptionOfParts{"pages", probe::Part::latency},
    OptionOfParts{"footprint-to", probe::Part::latency, probe::Part::chip},
};

/// An option of the environment may be for runs of other parts, but not what a run must reach.
void refuse_unused_options(const probe::Problem& problem) {
  for (const UsedOption& used : invocation().options) {
    const auto* const option = std::ranges::find(options_of_parts, used.name, &OptionOfParts::name);
    const bool is_given = used.source == "command line" ||
                          (used.source == "environment" && used.name.starts_with("min-"));
    if (option == options_of_parts.end() || !is_given) {
      continue;
    }
    require(option->serves(problem),
            fmt::format("probe {} has no use for --{}", to_string(problem.part), used.name),
            fmt::format("leave it out, or use probe {}", to_string(option->part)));
  }
}

probe::Problem problem_from(const ProbeOptions& options, const Communicator& ranks) {
  probe::Problem problem = options.problem;
  problem.part = probe::parse_part(options.part);
  probe::require_rank_count(problem.part, ranks);
  problem.device = options.common.resolved_device(ranks);
  refuse_unused_options(problem);
  problem.threads = options.common.resolved_threads(ranks);
  problem.stores = probe::parse_stores(options.stores);
  if (!options.precision.empty()) {
    problem.precisions = {parse_precision(options.precision)};
  }
  for (const std::string& operation : options.operations) {
    problem.operations.push_back(probe::parse_operation(operation));
  }
  for (const std::string& pages : options.pages) {
    problem.pages.push_back(probe::parse_pages(pages));
  }
  problem.transport = parse_transport(options.transport);
  return problem;
}

ExitCode run_probe(const ProbeOptions& options, const Communicator& ranks) {
  const probe::Problem problem = problem_from(options, ranks);
  const MeasurePolicy policy = options.common.prepare(ranks, problem.device, problem.threads);
  const probe::Plan plan = make_plan(problem, ranks, policy.ceiling, options.common.shortage());
  if (options.common.dry_run) {
    print_out("probe {} on {}: {}\n", to_string(problem.part), to_string(problem.device),
              to_string(plan.footprint));
    print_fit(problem.device, plan.shortage);
    return ExitCode::ok;
  }
  return run_and_publish(options.common, policy, ranks,
                         [&](const RunContext& context) { return probe::run(plan, context); },
                         {.extra = probe_report});
}

void add_sweep_options(CLI::App& command, probe::Problem& problem) {
  // 0 is what the problem takes for blank.
  add_number(command, "--repeat", problem.repeats, "timed passes per figure",
             {.least = 1.0, .most = probe::max_repeats});
  add_number(command, "--points-per-octave", problem.points_per_octave,
             "points per doubling of the size of a working set or message",
             {.least = 1.0, .most = probe::max_points_per_octave});
  add_bytes(command, "--memory-limit", problem.memory_limit,
            "maximum memory to hold at a time (512MiB, 4GiB)");
  add_bytes(command, "--from", problem.working_set_from,
            "smallest working set of the bandwidth curves, or message of links");
  add_bytes(command, "--to", problem.working_set_to,
            "largest working set of the bandwidth curves, or message of links");
  add_bytes(command, "--footprint-to", problem.footprint_to,
            "largest footprint of the latency curves");
  add_list(command, "--mix", problem.mix_reads, "arrays read per array written, 1 to 16");
  add_list(command, "--team-sizes", problem.team_sizes, "CPU: numbers of threads to compare");
  add_list(command, "--grid-threads", problem.grid_threads, "GPU: threads per block to compare");
  add_list(command, "--grid-blocks", problem.grid_blocks, "GPU: blocks per launch to compare");
  add_list(command, "--n-copy", problem.n_copy, "concurrent streams of the multi-stream copy");
  add_list(command, "--stride", problem.strides,
           "bytes of address space per node of a latency chain");
}

}  // namespace

}  // namespace bankfull

namespace bankfull::probe {

void add_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<ProbeOptions>();
  CLI::App* command = program.add_subcommand(
      "probe",
      "Bandwidth and latency of the memory system, from the first cache to memory, inside the "
      "chip, and of the links between GPUs and between ranks");
  command->footer(
      "Examples:\n"
      "  bankfull probe all --quick               bandwidth and latency in seconds\n"
      "  bankfull probe bandwidth --operation copy,triad --precision fp64\n"
      "  bankfull probe bandwidth --mix 13 --to 4GiB --json out.json\n"
      "  bankfull probe latency --stride 64,2MiB --footprint-to 8GiB\n"
      "  bankfull probe chip --quick              shared memory, halves of L2; cores, NUMA nodes\n"
      "  bankfull probe peers                     all pairs of this node's GPUs\n"
      "  mpirun -n 4 bankfull probe link          between GPUs, over every transport");
  add_common_options(*command, options->common);
  add_thresholds(*command, "probe", options->common);
  command
      ->add_option("part", options->part,
                   "bandwidth, latency, chip (inside a processor), peers (between the GPUs of one "
                   "process), link (between ranks), or all of one rank")
      ->capture_default_str();
  with_environment(command->add_flag("--quick", options->problem.quick,
                                     "few operations and points: at most 12 s on two cores"));
  with_environment(command->add_flag("--full", options->problem.full,
                                     "CPU: every point of every curve, minutes where the last "
                                     "cache is large (default: what takes about a minute)"))
      ->excludes("--quick");
  with_environment(
      command->add_option("--precision", options->precision, "fp32 or fp64 (default: both)"));
  add_list(*command, "--operation", options->operations,
           "read, write, copy, scale, add, triad, mix (default: all)");
  with_environment(
      command->add_option("--stores", options->stores, "CPU: ordinary, streaming or both")
          ->capture_default_str());
  add_list(*command, "--pages", options->pages, "CPU: small and huge pages under latency chains");
  with_environment(command
                       ->add_option("--transport", options->transport,
                                    "link: peer, nccl, mpi-device or mpi; auto takes each in turn")
                       ->capture_default_str());
  add_sweep_options(*command, options->problem);
  offer(*command, "part", names_of(probe::all_parts()));
  offer(*command, "--precision", precision_names.names());
  offer(*command, "--operation", names_of(probe::all_operations()));
  offer(*command, "--stores", names_of(probe::all_stores()));
  offer(*command, "--pages", probe::names_of_pages());
  offer_transports(*command);
  command->callback([&action, &ranks, options] {
    action = [&ranks, options] { return run_probe(*options, ranks); };
  });
}

void list_choices() { print_out("probe: bandwidth and latency of the memory system\n"); }

}  // namespace bankfull::probe
