#include "bankfull/app/options.hpp"
#include "bankfull/app/publish.hpp"
#include "bankfull/app/report.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/comm/halo_regions.hpp"
#include "bankfull/workloads/himeno/domain.hpp"
#include "bankfull/workloads/himeno/run.hpp"
#include "bankfull/workloads/himeno/sweep.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <sstream>

namespace bankfull {
namespace {

constexpr double official_seconds = 60.0;

struct HimenoOptions {
  CommonOptions common;
  std::string size = "M";
  std::string schedule = "tuned";
  std::string precision = "fp32";
  double target_seconds = 3.0;
  std::int64_t iterations = 0;
  bool exact_iterations = false;
  bool official = false;
  int repeats = 5;
  int warmup = 1;
  double min_percent = 0.0;
  RankOptions ranks;
  std::string overlap = "boundary";
  double split = 0.5;
};

std::vector<himeno::Schedule> parse_schedules(const std::string& text, Device device) {
  std::vector<himeno::Schedule> schedules;
  if (text == "all") {
    schedules = himeno::all_schedules();
    if (device.is_cuda()) {
      std::erase(schedules, himeno::Schedule::reference);
    }
    return schedules;
  }
  std::istringstream names(text);
  for (std::string name; std::getline(names, name, ',');) {
    schedules.push_back(himeno::parse_schedule(name));
  }
  if (schedules.empty()) {
    throw UsageError("--schedule is empty", "use a name, several with commas, or all");
  }
  return schedules;
}

himeno::Problem problem_from(const HimenoOptions& options, const Communicator& ranks) {
  himeno::Problem problem;
  problem.grid = himeno::parse_size(options.size);
  problem.precision = parse_precision(options.precision);
  problem.device = options.common.resolved_device(ranks);
  problem.threads = options.common.resolved_threads(ranks);
  problem.schedules = parse_schedules(options.schedule, problem.device);
  problem.target_seconds = options.official ? official_seconds : options.target_seconds;
  problem.repeats = options.official ? 1 : options.repeats;
  problem.warmup = options.warmup;
  if (options.exact_iterations) {
    problem.iterations = options.iterations;
  }
  problem.rank_grid = options.ranks.grid();
  problem.transport = parse_transport(options.ranks.transport);
  problem.overlap = himeno::parse_overlap(options.overlap);
  problem.split = options.split;
  himeno::validate(problem, ranks);
  return problem;
}

void print_decomposition(const himeno::Problem& problem, int ranks) {
  const Decomposition decomposition = himeno::decompose(problem, ranks);
  const Extents least = decomposition.smallest_block();
  const Extents most = decomposition.largest_block();
  const std::int64_t cells =
      busiest_halo_cells(decomposition, {.width = 1, .reach = HaloShape::Reach::edges});
  fmt::print(
      "  {} ranks as {}: blocks of {}x{}x{} to {}x{}x{} points, the busiest sends {} an "
      "iteration\n",
      ranks, to_string(decomposition.grid()), least.ni, least.nj, least.nk, most.ni, most.nj,
      most.nk, format_bytes(static_cast<double>(cells * bytes_of(problem.precision))));
}

void print_plan(const himeno::Problem& problem, int ranks) {
  const himeno::GridSize& grid = problem.grid;
  fmt::print("himeno {}: {}x{}x{} points, {} updated, {}, on {}\n", himeno::name_of(grid), grid.i,
             grid.j, grid.k, grid.updated_points(), to_string(problem.precision),
             to_string(problem.device));
  fmt::print("  memory {}; an unfused iteration moves {} and does {}\n",
             format_bytes(static_cast<double>(himeno::memory_bytes(grid, problem.precision))),
             format_bytes(himeno::iteration_traffic(grid, problem.precision).bytes()),
             format_si(himeno::iteration_traffic(grid, problem.precision).flops, "flop"));
  if (ranks > 1) {
    print_decomposition(problem, ranks);
  }
}

/// The official program's figures beside ours.
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

ExitCode check_threshold(const RunResult& result, double min_percent, const Communicator& ranks) {
  for (const Measurement& m : result.measurements) {
    if (min_percent > 0.0 && m.fits_cache) {
      tell(ranks,
           fmt::format("{} fits a cache, so it cannot pass --min-percent {}", m.name, min_percent));
      return ExitCode::below_threshold;
    }
    const double percent = m.percent_of_bankfull().value_or(0.0);
    if (percent < min_percent) {
      tell(ranks, fmt::format("{} reached {:.1f} % of bankfull, below --min-percent {}", m.name,
                              percent, min_percent));
      return ExitCode::below_threshold;
    }
  }
  return ExitCode::ok;
}

ExitCode run_himeno(const HimenoOptions& options, const Communicator& ranks) {
  if (!(options.min_percent >= 0.0)) {
    throw UsageError(fmt::format("--min-percent {} is no threshold", options.min_percent),
                     "use 0 or more");
  }
  const himeno::Problem problem = problem_from(options, ranks);
  options.common.prepare(ranks, problem.device);
  if (!options.common.quiet || options.common.dry_run) {
    print_plan(problem, ranks.size());
  }
  if (options.common.dry_run) {
    return ExitCode::ok;
  }
  RunResult result;
  const ExitCode verdict = run_and_publish(
      options.common, ranks,
      [&](Progress& progress) { return result = himeno::run(problem, ranks, progress); },
      official_figures);
  return verdict != ExitCode::ok ? verdict : check_threshold(result, options.min_percent, ranks);
}

}  // namespace

void add_himeno_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<HimenoOptions>();
  CLI::App* command = program.add_subcommand(
      "himeno", "The Himeno benchmark: 19-point Jacobi sweep of a pressure Poisson equation");
  command->footer(
      "Examples:\n"
      "  bankfull himeno                          size M, a few seconds\n"
      "  bankfull himeno --size XL --official     the official protocol, 60 s\n"
      "  bankfull himeno --size 101x203x307 --precision fp64 --iterations 40\n"
      "  bankfull himeno --size L --schedule tuned,fused --json out.json\n"
      "  mpirun -n 4 bankfull himeno --size XL --ranks-grid 4x1x1 --overlap two-part --split 0.4");
  add_common_options(*command, options->common);
  with_environment(
      command->add_option("--size", options->size, "XS, S, M, L, XL or IxJxK with the boundary")
          ->capture_default_str());
  with_environment(command
                       ->add_option("--schedule", options->schedule,
                                    "reference, direct, marching, tuned, fused; several with "
                                    "commas; or all")
                       ->capture_default_str());
  with_environment(command->add_option("--precision", options->precision, "fp32 (official) or fp64")
                       ->capture_default_str());
  auto* target = with_environment(command
                                      ->add_option("--target-seconds", options->target_seconds,
                                                   "choose the iterations to fill this time")
                                      ->capture_default_str());
  auto* iterations = with_environment(command->add_option(
      "--iterations", options->iterations, "run exactly so many iterations in each repeat"));
  auto* official = with_environment(command->add_flag(
      "--official", options->official, "the official protocol: 3 trial iterations, then 60 s"));
  iterations->excludes(target)->excludes(official);
  official->excludes(target);
  auto* repeat = with_environment(
      command->add_option("--repeat", options->repeats, "timed repeats")->capture_default_str());
  official->excludes(repeat);
  with_environment(
      command->add_option("--warmup", options->warmup, "trial runs before the timed repeats")
          ->capture_default_str());
  with_environment(command->add_option("--min-percent", options->min_percent,
                                       "exit 4 where a schedule stays below this percent of "
                                       "bankfull"));
  add_rank_options(*command, options->ranks);
  with_environment(command
                       ->add_option("--overlap", options->overlap,
                                    "none: sweep, then exchange halos; boundary: boundary parts "
                                    "first; two-part: exchange one part, sweep the other")
                       ->capture_default_str());
  with_environment(
      command->add_option("--split", options->split, "share of the planes in part A of two-part")
          ->capture_default_str());
  command->callback([&action, &ranks, options, iterations] {
    options->exact_iterations = iterations->count() > 0;
    action = [&ranks, options] { return run_himeno(*options, ranks); };
  });
}

}  // namespace bankfull
