#include "bankfull/app/options.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/publish.hpp"
#include "bankfull/app/workload_commands.hpp"

#include "jacobi/run.hpp"
#include <cstdio>
#include <fmt/format.h>
#include <memory>

namespace bankfull::jacobi {
namespace {

struct Options {
  CommonOptions common;
  std::int64_t edge = 256;
  Problem problem;
};

ExitCode run_jacobi(const Options& options, const Communicator& ranks) {
  if (ranks.size() > 1 || options.common.resolved_device(ranks).is_cuda()) {
    throw UsageError("jacobi runs in one process on a CPU", "use --device cpu, without mpirun");
  }
  Problem problem = options.problem;
  problem.cells = {options.edge, options.edge, options.edge};
  problem.threads = options.common.resolved_threads(ranks);
  const MeasurePolicy policy = options.common.prepare(ranks, Device::cpu(), problem.threads);
  const Plan plan = make_plan(problem, ranks, policy.ceiling, options.common.shortage());
  if (options.common.dry_run) {
    print_out("jacobi: {}\n", to_string(plan.footprint));
    print_fit(Device::cpu(), plan.shortage);
    return ExitCode::ok;
  }
  return run_and_publish(options.common, policy, ranks,
                         [&](const RunContext& context) { return run(plan, context); });
}

}  // namespace

void add_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<Options>();
  options->common.device = "cpu";
  CLI::App* command =
      program.add_subcommand("jacobi", "A weighted Jacobi smoother, the example of the docs");
  add_common_options(*command, options->common);
  add_number(*command, "--edge", options->edge, "cells along each axis")->capture_default_str();
  add_number(*command, "--sweeps", options->problem.sweeps, "sweeps per repeat")
      ->capture_default_str();
  add_number(*command, "--repeat", options->problem.repeats, "timed repeats")
      ->capture_default_str();
  command->callback([&action, &ranks, options] {
    action = [&ranks, options] { return run_jacobi(*options, ranks); };
  });
}

void list_choices() { print_out("jacobi: a weighted Jacobi smoother on any cube of cells\n"); }

}  // namespace bankfull::jacobi
