#include "bankfull/app/himeno_options.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/publish.hpp"
#include "bankfull/app/report.hpp"
#include "bankfull/app/table.hpp"
#include "bankfull/app/workload_commands.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/comm/halo_regions.hpp"
#include "bankfull/core/measure/percentage.hpp"
#include "bankfull/workloads/himeno/run.hpp"
#include "bankfull/workloads/himeno/sweep.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <memory>

namespace bankfull {
namespace {

constexpr double official_seconds = 60.0;

struct SingleRunOptions {
  HimenoOptions himeno;
  bool official = false;
};

himeno::Problem problem_of(const SingleRunOptions& options, const Communicator& ranks) {
  himeno::Problem problem = problem_from(options.himeno, ranks);
  if (options.official) {
    problem.target_seconds = official_seconds;
    problem.repeats = 1;
  }
  return problem;
}

void print_decomposition(const himeno::Plan& plan) {
  const Decomposition& decomposition = plan.decomposition();
  const Extents least = decomposition.smallest_block();
  const Extents most = decomposition.largest_block();
  const int ghosts = plan.domain.ghosts;
  const std::int64_t cells = busiest_halo_cells(decomposition, himeno::halo_shape(ghosts));
  print_out("  {} ranks as {}: blocks of {}x{}x{} to {}x{}x{} points, {} per rank\n",
            decomposition.ranks(), to_string(decomposition.grid()), least.ni, least.nj, least.nk,
            most.ni, most.nj, most.nk, format_bytes(static_cast<double>(plan.field_bytes)));
  print_out("  the busiest rank sends {} in an exchange of {} layer{}\n",
            format_bytes(static_cast<double>(cells * bytes_of(plan.problem.precision))), ghosts,
            ghosts == 1 ? "" : "s");
}

void print_plan(const himeno::Plan& plan) {
  const himeno::Problem& problem = plan.problem;
  const himeno::GridSize& grid = problem.grid;
  print_out("himeno {}: {}x{}x{} points, {} updated, {}, on {}\n", himeno::name_of(grid), grid.i,
            grid.j, grid.k, grid.updated_points(), to_string(problem.precision),
            to_string(problem.device));
  print_out("  {}; an unfused iteration moves {} and does {}\n", to_string(plan.footprint),
            format_bytes(himeno::iteration_traffic(grid, problem.precision).bytes()),
            format_si(himeno::iteration_traffic(grid, problem.precision).flops, "flop"));
  if (plan.decomposition().ranks() > 1) {
    print_decomposition(plan);
  }
}

/// The official program's figures next to ours.
std::string official_figures(const RunResult& result) {
  std::string text;
  for (const Measurement& m : result.measurements) {
    text += fmt::format("  {}:", m.name);
    for (const Figure& figure : m.figures) {
      text += fmt::format("  {} {}", figure.name, display(figure));
    }
    text += "\n";
  }
  return report_notes(result) + "\n" + text + "\n";
}

ExitCode run_himeno(const SingleRunOptions& options, const Communicator& ranks) {
  const himeno::Problem problem = problem_of(options, ranks);
  const CommonOptions& common = options.himeno.common;
  const MeasurePolicy policy = common.prepare(ranks, problem.device, problem.threads);
  const himeno::Plan plan = make_plan(problem, ranks, policy.ceiling, common.shortage());
  if (common.thresholds.needs_percentage()) {
    require_percentage(fmt::format("--min-percent {}", common.thresholds.min_percent.value_or(0.0)),
                       himeno::work_of(plan.domain, problem.precision, 1, 1), problem.device, ranks,
                       policy);
  }
  if (!common.quiet || common.dry_run) {
    print_plan(plan);
  }
  if (common.dry_run) {
    print_fit(problem.device, plan.shortage);
    return ExitCode::ok;
  }
  warn_of_perturbation(problem.perturbation, ranks);
  return run_and_publish(common, policy, ranks,
                         [&](const RunContext& context) { return himeno::run(plan, context); },
                         {.extra = official_figures});
}

}  // namespace

}  // namespace bankfull

namespace bankfull::himeno {

void add_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<SingleRunOptions>();
  CLI::App* command = program.add_subcommand(
      "himeno", "The Himeno benchmark: 19-point Jacobi sweep of a pressure Poisson equation");
  command->footer(
      "Examples:\n"
      "  bankfull himeno                          size M, a few seconds\n"
      "  bankfull himeno --size XL --official     the official protocol, 60 s\n"
      "  bankfull himeno --size 101x203x307 --precision fp64 --iterations 40\n"
      "  bankfull himeno --size L --schedule tuned,fused --json out.json\n"
      "  mpirun -n 4 bankfull himeno --size XL --ranks-grid 4x1x1 --overlap two-part --split 0.4");
  add_himeno_options(*command, options->himeno);
  auto* official = with_environment(command->add_flag(
      "--official", options->official, "the official protocol: 3 trial iterations, then 60 s"));
  for (const char* chosen_by_protocol : {"--iterations", "--target-seconds", "--repeat"}) {
    official->excludes(command->get_option(chosen_by_protocol));
  }
  add_thresholds(*command, "himeno", options->himeno.common);
  command->callback([&action, &ranks, options] {
    action = [&ranks, options] { return run_himeno(*options, ranks); };
  });
}

void list_choices() {
  print_out("himeno: 19-point Jacobi sweep of a pressure Poisson equation\n");
  Table sizes({"size", "grid", "updated points", "memory fp32", "memory fp64"});
  for (const himeno::StandardSize& size : himeno::standard_sizes()) {
    const auto memory = [&](Precision precision) {
      return format_bytes(static_cast<double>(himeno::memory_bytes(size.grid, precision)));
    };
    sizes.add_row({size.name, fmt::format("{}x{}x{}", size.grid.i, size.grid.j, size.grid.k),
                   fmt::format("{}", size.grid.updated_points()), memory(Precision::fp32),
                   memory(Precision::fp64)});
  }
  print_out("{}  schedules:", sizes.text());
  for (const himeno::Schedule schedule : himeno::all_schedules()) {
    print_out(" {}", himeno::to_string(schedule));
  }
  print_out("\n");
}

}  // namespace bankfull::himeno
