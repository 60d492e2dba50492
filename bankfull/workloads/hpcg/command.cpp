#include "bankfull/app/choices.hpp"
#include "bankfull/app/created_folders.hpp"
#include "bankfull/app/input_file.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/publish.hpp"
#include "bankfull/app/result_path.hpp"
#include "bankfull/app/table.hpp"
#include "bankfull/app/workload_commands.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/workloads/hpcg/hpcg_dat.hpp"
#include "bankfull/workloads/hpcg/official_report.hpp"
#include "bankfull/workloads/hpcg/run.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <sstream>
#include <unistd.h>

namespace bankfull {
namespace {

namespace fs = std::filesystem;

constexpr double default_seconds = 10.0;
constexpr const char* default_dat = "hpcg.dat";
constexpr std::size_t max_dat_bytes = 1 << 20;

struct HpcgOptions {
  CommonOptions common;
  std::optional<std::string> local;
  std::optional<double> seconds;
  bool quick_path = false;
  bool official = false;
  std::string variant = "tuned";
  std::string columns = "full";
  std::string sweeps = "auto";
  std::string products = "direct";
  std::optional<std::string> ranks_grid;
  std::string transport = "auto";
  std::optional<std::string> dat;
  std::string output_dir = ".";
  bool no_output = false;
  double perturbation = 0.0;
};

hpcg::HpcgDat open_dat(const std::string& path) {
  std::istringstream text(
      read_input_file(path, max_dat_bytes,
                      {.problem = "cannot read " + path,
                       .remedy = "name an input file of HPCG, or give --local instead"}));
  return hpcg::read_hpcg_dat(text, path);
}

/// Collective: the input file, if one is named, or if one exists and no size is given.
std::optional<hpcg::HpcgDat> find_dat(const HpcgOptions& options, const Communicator& ranks) {
  std::optional<hpcg::HpcgDat> found;
  ranks.on_root([&] {
    // An unreadable file is an error: falling back to the default size would ignore the user's
    // input.
    std::error_code ignored;
    const bool lies_here = !options.local && fs::exists(fs::symlink_status(default_dat, ignored));
    if (options.dat || lies_here) {
      found = open_dat(options.dat.value_or(default_dat));
    }
  });
  found = ranks.all_gather(found).front();
  if (found && !options.common.quiet) {
    tell(ranks,
         fmt::format("read {}: {} per rank{}{}", options.dat.value_or(default_dat),
                     to_string(found->local),
                     fmt::format(", {} s", found->seconds.value_or(hpcg::official_seconds)),
                     found->process_grid ? ", " + to_string(*found->process_grid) + " ranks" : ""));
  }
  return found;
}

/// The names of values from the input file, except those given on the command line.
hpcg::Origins origins_of(const HpcgOptions& options) {
  const std::string file = options.dat.value_or(default_dat);
  hpcg::Origins origins;
  const auto from_file = [&](int line, const char* what) {
    return fmt::format("{}:{}: {}", file, line, what);
  };
  if (!options.local) {
    origins.local = from_file(hpcg::line_of_local, "local grid");
  }
  if (!options.ranks_grid) {
    origins.process_grid = from_file(hpcg::line_of_process_grid, "grid of ranks");
  }
  if (!options.seconds && !options.quick_path) {
    origins.seconds = from_file(hpcg::line_of_seconds, "running time");
  }
  return origins;
}

/// The command line takes precedence over the file.
void apply(const std::optional<hpcg::HpcgDat>& dat, const HpcgOptions& options,
           hpcg::Problem& problem) {
  problem.seconds = options.official ? hpcg::official_seconds : default_seconds;
  if (dat) {
    problem.local = dat->local;
    problem.seconds = dat->seconds.value_or(hpcg::official_seconds);
    problem.process_grid = dat->process_grid;
    problem.origins = origins_of(options);
  }
  if (options.local) {
    problem.local = hpcg::parse_grid("--local", *options.local);
  }
  if (options.ranks_grid) {
    problem.process_grid = hpcg::parse_grid("--ranks-grid", *options.ranks_grid);
  }
  problem.seconds = options.quick_path ? 0.0 : options.seconds.value_or(problem.seconds);
}

hpcg::Problem problem_of(const HpcgOptions& options, const Communicator& ranks) {
  hpcg::Problem problem;
  problem.variant = hpcg::parse_variant(options.variant);
  problem.columns = hpcg::parse_columns(options.columns);
  problem.sweeps = hpcg::parse_sweeps(options.sweeps);
  problem.products = hpcg::parse_products(options.products);
  problem.transport = parse_transport(options.transport);
  problem.official = options.official;
  problem.perturbation = options.perturbation;
  apply(find_dat(options, ranks), options, problem);
  problem.device = options.common.resolved_device(ranks);
  problem.threads = options.common.resolved_threads(ranks);
  return problem;
}

void print_plan(const hpcg::Plan& plan) {
  const hpcg::Problem& problem = plan.problem;
  const hpcg::Grid3& ranks = plan.process_grid;
  const hpcg::LevelSizes& levels = plan.levels;
  print_out("hpcg {}: {} points, {}, {}, on {}\n", to_string(problem.local), levels[0].equations,
            to_string(problem.variant),
            problem.seconds > 0.0 ? format_seconds(problem.seconds) : "the quick path",
            to_string(problem.device));
  print_out("  {} ranks along x, y and z share {}x{}x{} points; rank 0 sends {} in an exchange\n",
            to_string(ranks), ranks.nx * problem.local.nx, ranks.ny * problem.local.ny,
            ranks.nz * problem.local.nz,
            format_bytes(static_cast<double>(levels[0].sent_elements) * sizeof(double)));
  for (int level = 0; level < hpcg::level_count; ++level) {
    const hpcg::LevelSize& size = levels[static_cast<std::size_t>(level)];
    print_out("  level {}: {} per rank, {} equations, {} nonzeros\n", level,
              to_string(hpcg::level_grid(problem.local, level)), size.equations, size.nonzeros);
  }
  print_out("  {}; an iteration does {} and moves {} by the official models\n",
            to_string(plan.footprint),
            format_si(hpcg::official_flops(levels, 1, 0).total(), "flop"),
            format_bytes(hpcg::official_bytes(levels, 1, 0).total()));
}

std::tm local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  return parts;
}

/// Collective: creates the folder of the run's files if it is missing, and checks before the run
/// that they can be written. A new folder that stays empty is removed again.
void prepare_output(const HpcgOptions& options, const Communicator& ranks, const std::tm& began,
                    CreatedFolders& folders) {
  if (options.no_output) {
    return;
  }
  ranks.on_root([&] {
    const std::string given = "--output-dir " + options.output_dir;
    const char* remedy = "name a folder that you may write to, or give --no-output";
    require(!options.output_dir.empty(), "--output-dir is empty", remedy);
    require_no_folder_of(options.common.json, options.output_dir,
                         "the folder of --output-dir, or one above it");
    try {
      folders.make(options.output_dir);
    } catch (const fs::filesystem_error& error) {
      const std::string why = error.code() == std::errc::file_exists
                                  ? error.path1().string() + " is not a folder"
                                  : error.code().message();
      throw UsageError("cannot make " + given + ": " + why, remedy);
    }
    if (access(options.output_dir.c_str(), W_OK | X_OK) != 0) {
      throw UsageError("cannot write to " + given + ": " + std::strerror(errno), remedy);
    }
    static_cast<void>(OutputFile(fs::path(options.output_dir) / hpcg::official_log_name(began)));
  });
}

/// On the root. A report that cannot be written goes to standard output: it may have taken half an
/// hour. Returns the message about it.
std::string write_output(const HpcgOptions& options, const std::tm& began,
                         const hpcg::Outcome& outcome) {
  if (options.no_output) {
    return {};
  }
  const fs::path folder = options.output_dir;
  const std::string text = hpcg::official_report(outcome);
  fs::path report;
  try {
    report = write_new_file(folder / hpcg::official_file_name(local_time()), text);
  } catch (const RuntimeFailure& error) {
    print_out("{}", text);
    throw RuntimeFailure(fmt::format("{}; the report is on standard {}", error.what(),
                                     options.common.json_goes_to_output() ? "error" : "output"));
  }
  try {
    const fs::path log =
        write_new_file(folder / hpcg::official_log_name(began), hpcg::official_log(outcome));
    return fmt::format("  wrote {} and {}\n", report.string(), log.string());
  } catch (const RuntimeFailure& error) {
    throw RuntimeFailure(fmt::format("{}; the report is in {}", error.what(), report.string()));
  }
}

std::string standing(const hpcg::Outcome& outcome) {
  if (!outcome.valid()) {
    return "INVALID";
  }
  std::string text = "VALID";
  for (const std::string& reason : hpcg::why_not_official(outcome)) {
    text += "\n  no official result: " + reason;
  }
  return text;
}

std::string official_figures(const hpcg::Outcome& outcome) {
  return fmt::format(
      "  {:.6g} GFLOP/s by the official count, set-up and optimisation included\n"
      "  {} set{} of {} iterations (the reference: {}) in {}: {}\n\n",
      hpcg::rating(outcome) * 1e-9, outcome.sets, outcome.sets == 1 ? "" : "s",
      outcome.convergence.iterations, outcome.convergence.reference_iterations,
      format_seconds(outcome.times.total), standing(outcome));
}

ExitCode run_hpcg(const HpcgOptions& options, const Communicator& ranks) {
  ranks.on_root([&] {
    require_other_than(options.common.json, options.dat.value_or(default_dat),
                       "the input file of HPCG");
  });
  const hpcg::Problem problem = problem_of(options, ranks);
  const std::tm began = local_time();
  CreatedFolders folders;
  prepare_output(options, ranks, began, folders);
  const MeasurePolicy policy = options.common.prepare(ranks, problem.device, problem.threads);
  const hpcg::Plan plan = make_plan(problem, ranks, policy.ceiling, options.common.shortage());
  if (!options.common.quiet || options.common.dry_run) {
    print_plan(plan);
  }
  if (options.common.dry_run) {
    print_fit(problem.device, plan.shortage);
    return ExitCode::ok;
  }
  warn_of_perturbation(problem.perturbation, ranks);
  RunResult result;
  std::string written;
  const std::function<std::string()> tell_written = [&] { return written; };
  return run_and_publish(
      options.common, policy, ranks,
      [&](const RunContext& context) { return result = hpcg::run(plan, context); },
      {.extra =
           [](const RunResult& found) { return official_figures(found.attached<hpcg::Outcome>()); },
       .written = options.no_output ? nullptr : tell_written,
       .write_elsewhere =
           [&](const std::string&) {
             if (result.attachment.has_value()) {  // which a run that ended early has not
               written = write_output(options, began, result.attached<hpcg::Outcome>());
             }
           }});
}

void add_problem_options(CLI::App& command, HpcgOptions& options) {
  with_environment(command.add_option("--local", options.local,
                                      "points of each rank along x, y and z (default: 104 each)"))
      ->type_name("NXxNYxNZ");
  with_environment(command.add_option("--variant", options.variant,
                                      "tuned, reference; on GPUs also ell, csr, "
                                      "cusparse-coloured, cusparse-csr"))
      ->capture_default_str();
  with_environment(command.add_option("--columns", options.columns,
                                      "column indices of tuned: full, 32 bits, or slim, fewer"))
      ->capture_default_str();
  with_environment(command.add_option("--sweeps", options.sweeps,
                                      "sweeps of tuned on GPUs, for comparison: classes, "
                                      "syncfree, pipelined, or auto, by the size of the level"))
      ->capture_default_str();
  with_environment(command.add_option("--products", options.products,
                                      "how tuned forms A p on GPUs: direct, or recurrence, from "
                                      "half of the matrix and not by the benchmark's rules"))
      ->capture_default_str();
  with_environment(
      command.add_option("--hpcg-dat", options.dat,
                         "read size, seconds and ranks from FILE, the official "
                         "program's input; other options override it (default: hpcg.dat, "
                         "where there is one and --local is not given)"))
      ->type_name("FILE");
  offer(command, "--variant", names_of(hpcg::all_variants()));
  offer(command, "--columns", names_of(hpcg::all_columns()));
  offer(command, "--sweeps", names_of(hpcg::all_sweeps()));
  offer(command, "--products", names_of(hpcg::all_products()));
}

void add_timing_options(CLI::App& command, HpcgOptions& options) {
  auto* seconds =
      add_number(command, "--seconds", options.seconds,
                 fmt::format("time of the timed sets, 0 for the quick path (default: {:.0f}, with "
                             "--official {:.0f})",
                             default_seconds, hpcg::official_seconds));
  with_environment(command.add_flag("--quick-path", options.quick_path,
                                    "one set, and each timing of the reference once"))
      ->excludes(seconds);
  with_environment(command.add_flag("--official", options.official,
                                    "refuse what breaks the rules of official runs"));
}

void add_placement_options(CLI::App& command, HpcgOptions& options) {
  with_environment(command.add_option("--ranks-grid", options.ranks_grid,
                                      "ranks along x, y and z, as npx x npy x npz of HPCG "
                                      "(default: the grid with the least communication)"))
      ->type_name("XxYxZ");
  with_environment(command.add_option("--transport", options.transport,
                                      "transport of halos: auto, peer, nccl, mpi-device or mpi"))
      ->capture_default_str();
  offer_transports(command);
}

void add_output_options(CLI::App& command, HpcgOptions& options) {
  auto* folder = with_environment(
      command.add_option("--output-dir", options.output_dir,
                         "where HPCG-Benchmark_3.1_<date>.txt and the log hpcg<date>.txt go"));
  folder->type_name("DIR")->capture_default_str();
  with_environment(
      command.add_flag("--no-output", options.no_output, "write neither of these files"))
      ->excludes(folder);
}

}  // namespace

}  // namespace bankfull

namespace bankfull::hpcg {

void add_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<HpcgOptions>();
  CLI::App* command = program.add_subcommand(
      "hpcg", "The HPCG benchmark: conjugate gradients with multigrid on a 27-point operator");
  command->footer(
      "Examples:\n"
      "  bankfull hpcg                                  104x104x104, 10 s\n"
      "  bankfull hpcg --local 256x256x256 --seconds 60 --json out.json\n"
      "  bankfull hpcg --hpcg-dat hpcg.dat --output-dir results\n"
      "  bankfull hpcg --local 384x384x384 --official   half an hour by the rules of official "
      "runs; "
      "fills a third of an H200\n"
      "  mpirun -n 4 bankfull hpcg --local 128x128x128 --ranks-grid 1x2x2");
  add_common_options(*command, options->common);
  add_thresholds(*command, "hpcg", options->common);
  add_problem_options(*command, *options);
  add_timing_options(*command, *options);
  add_placement_options(*command, *options);
  add_output_options(*command, *options);
  add_perturbation_option(*command, options->perturbation);
  command->callback([&action, &ranks, options] {
    action = [&ranks, options] { return run_hpcg(*options, ranks); };
  });
}

void list_choices() {
  print_out("hpcg: conjugate gradients with multigrid on a 27-point operator\n");
  Table sizes({"local grid", "points", "memory per rank"});
  for (const std::int64_t side : {64, 104, 128, 192, 256, 320}) {
    hpcg::Problem problem;
    problem.local = {side, side, side};
    sizes.add_row({to_string(problem.local), fmt::format("{}", problem.local.count()),
                   format_bytes(static_cast<double>(hpcg::work_bytes(problem, 1).device))});
  }
  print_out("{}  variants:", sizes.text());
  for (const hpcg::Variant variant : hpcg::all_variants()) {
    print_out(" {}", hpcg::to_string(variant));
  }
  print_out("\n");
}

}  // namespace bankfull::hpcg
