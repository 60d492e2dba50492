#include "bankfull/app/choices.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/publish.hpp"
#include "bankfull/app/report.hpp"
#include "bankfull/app/table.hpp"
#include "bankfull/app/workload_commands.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/workloads/npb/report.hpp"
#include "bankfull/workloads/npb/run.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <memory>

namespace bankfull {
namespace {

struct NpbOptions {
  CommonOptions common;
  std::string kernel;
  std::string size = "A";
  std::string schedule = "tuned";
  std::string cg_order = "auto";
  std::string cg_entries = "auto";
  std::string is_counts = "auto";
  std::string transport = "auto";
  double perturbation = 0.0;
  int repeats = 3;
};

npb::Problem problem_of(const NpbOptions& options, const Communicator& ranks) {
  npb::Problem problem;
  problem.kernels = npb::parse_kernels(options.kernel);
  problem.size = npb::parse_class(options.size);
  problem.schedule = npb::parse_schedule(options.schedule);
  problem.cg_order = npb::parse_cg_order(options.cg_order);
  problem.cg_entries = npb::parse_cg_entries(options.cg_entries);
  problem.is_counts = npb::parse_is_counts(options.is_counts);
  problem.perturbation = options.perturbation;
  problem.repeats = options.repeats;
  problem.transport = parse_transport(options.transport);
  problem.device = options.common.resolved_device(ranks);
  // GPUs do all the work, and the reference is serial: it uses one thread unless a number is given.
  const int threads = options.common.resolved_threads(ranks);
  const bool serial = problem.device.is_cuda() ||
                      (problem.schedule == npb::Schedule::reference && options.common.threads == 0);
  problem.threads = serial ? 1 : threads;
  return problem;
}

void print_plan(const npb::Plan& plan, bool dry_run) {
  const npb::Problem& problem = plan.problem;
  for (const npb::KernelPlan& kernel : plan.kernels) {
    print_out("npb {} {}: size {}, {}, on {}, {}, {} ({})\n", npb::to_string(kernel.kernel),
              npb::to_string(problem.size), kernel.facts.size, npb::to_string(problem.schedule),
              to_string(problem.device), to_string(kernel.footprint),
              format_si(kernel.facts.operations, "op"), kernel.facts.operation);
    if (dry_run) {
      print_fit(problem.device, kernel.shortage);
    }
  }
}

std::string result_blocks(const RunResult& result) {
  std::string text;
  for (const npb::Outcome& outcome : result.attached<std::vector<npb::Outcome>>()) {
    text += npb::result_block(outcome);
  }
  const std::string notes = report_notes(result);
  return text + "\n" + (notes.empty() ? "" : notes + "\n");
}

ExitCode run_npb(const NpbOptions& options, const Communicator& ranks) {
  const npb::Problem problem = problem_of(options, ranks);
  const MeasurePolicy policy = options.common.prepare(ranks, problem.device, problem.threads);
  const npb::Plan plan = make_plan(problem, ranks, policy.ceiling, options.common.shortage());
  if (!options.common.quiet || options.common.dry_run) {
    print_plan(plan, options.common.dry_run);
  }
  warn_of_perturbation(problem.perturbation, ranks);
  if (options.common.dry_run) {
    return ExitCode::ok;
  }
  return run_and_publish(options.common, policy, ranks,
                         [&](const RunContext& context) { return npb::run(plan, context); },
                         {.extra = result_blocks});
}

}  // namespace

}  // namespace bankfull

namespace bankfull::npb {

void add_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<NpbOptions>();
  CLI::App* command =
      program.add_subcommand("npb", "The NAS Parallel Benchmarks' kernels CG, EP, FT, IS and MG");
  command->footer(
      "Examples:\n"
      "  bankfull npb all                        all five, class A\n"
      "  bankfull npb cg --class C --json out.json\n"
      "  bankfull npb cg --class D --device cuda --cg nasa\n"
      "  bankfull npb cg --class C --device cpu --cg-entries all\n"
      "  bankfull npb ep --class S --schedule reference");
  add_common_options(*command, options->common);
  add_thresholds(*command, "npb", options->common);
  command->add_option("kernel", options->kernel, "cg, ep, ft, is, mg or all")->required();
  with_environment(
      command->add_option("--class", options->size, "problem class: S, W, A, B, C, D or E"))
      ->capture_default_str();
  with_environment(
      command->add_option("--schedule", options->schedule, "tuned, or the serial reference"))
      ->capture_default_str();
  with_environment(command->add_option("--cg", options->cg_order,
                                       "CG's order of operations: auto, nasa, or "
                                       "chronopoulos-gear, one sum over ranks per step, on GPUs"))
      ->capture_default_str();
  with_environment(command->add_option("--cg-entries", options->cg_entries,
                                       "entries of CG's symmetric matrix that CPUs keep: auto, "
                                       "upper (half of them), or all"))
      ->capture_default_str();
  with_environment(command->add_option("--is-counts", options->is_counts,
                                       "how IS counts keys on one rank's threads: auto, values, "
                                       "or buckets"))
      ->capture_default_str();
  with_environment(command->add_option("--transport", options->transport,
                                       "between ranks: auto, peer, nccl, mpi-device or mpi"))
      ->capture_default_str();
  add_number(*command, "--repeat", options->repeats, "timed repeats", {.most = max_repeats})
      ->capture_default_str();
  add_perturbation_option(*command, options->perturbation);
  offer(*command, "kernel", with_name(names_of(npb::all_kernels), "all"));
  offer(*command, "--class", names_of(npb::all_classes));
  offer(*command, "--schedule", names_of(npb::all_schedules()));
  offer(*command, "--cg", names_of(npb::all_cg_orders()));
  offer(*command, "--cg-entries", names_of(npb::all_cg_entries()));
  offer(*command, "--is-counts", names_of(npb::all_is_counts()));
  offer_transports(*command);
  command->callback([&action, &ranks, options] {
    action = [&ranks, options] { return run_npb(*options, ranks); };
  });
}

void list_choices() {
  print_out("npb: the NAS Parallel Benchmarks' kernels\n");
  std::vector<std::string> headings{"class"};
  for (const npb::Kernel kernel : npb::all_kernels) {
    headings.push_back(npb::to_string(kernel));
    headings.emplace_back("memory");
  }
  Table classes(headings);
  for (const npb::Class size : npb::all_classes) {
    npb::Problem problem;
    problem.size = size;
    std::vector<std::string> cells{npb::to_string(size)};
    for (const npb::Kernel kernel : npb::all_kernels) {
      cells.push_back(npb::facts_of(kernel, problem).size);
      cells.push_back(
          format_bytes(static_cast<double>(npb::work_bytes(kernel, problem, 1).device)));
    }
    classes.add_row(cells);
  }
  print_out("{}  schedules: tuned reference\n", classes.text());
}

}  // namespace bankfull::npb
