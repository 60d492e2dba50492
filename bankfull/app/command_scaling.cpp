#include "bankfull/app/choices.hpp"
#include "bankfull/app/convect/case_file.hpp"
#include "bankfull/app/convect/ready_cases.hpp"
#include "bankfull/app/counts.hpp"
#include "bankfull/app/himeno_options.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/publish.hpp"
#include "bankfull/app/result_path.hpp"
#include "bankfull/app/table.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/figure.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/comm/axes.hpp"
#include "bankfull/workloads/convection/scaling.hpp"
#include "bankfull/workloads/convection/traffic.hpp"
#include "bankfull/workloads/himeno/scaling.hpp"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace bankfull {
namespace {

/// The options of every workload's scaling.
struct ScalingOptions {
  bool strong = false;
  bool weak = false;
  std::string ranks;  ///< empty: powers of two up to the ranks of the run
  bool same_cores = false;

  [[nodiscard]] Scaling mode() const {
    if (!strong && !weak) {
      throw UsageError("neither --strong nor --weak is given", "add one of them");
    }
    return strong ? Scaling::strong : Scaling::weak;
  }

  [[nodiscard]] std::vector<int> rank_counts(const Communicator& world) const {
    return ranks.empty() ? doubled_rank_counts(world.size())
                         : parse_rank_counts(ranks, Repeated::refused);
  }
};

struct HimenoScalingOptions {
  ScalingOptions scaling;
  HimenoOptions himeno;
};

struct ConvectScalingOptions {
  ScalingOptions scaling;
  CommonOptions common;
  std::string case_name;
  std::vector<std::string> settings;
  int repeats = 3;
  double target_seconds = 3.0;
};

/// What a scaling run says of one number of ranks.
class Case {
 public:
  explicit Case(const Measurement& measurement) : measurement_(&measurement) {}

  [[nodiscard]] std::string parameter(const std::string& name) const {
    const auto& value = find(measurement_->parameters, name);
    const auto* number = std::get_if<std::int64_t>(&value);
    return number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(value);
  }
  [[nodiscard]] bool has_figure(const std::string& name) const {
    return find_figure(measurement_->figures, name) != nullptr;
  }
  [[nodiscard]] double figure(const std::string& name) const {
    const auto& value = find(measurement_->figures, name);
    const auto* number = std::get_if<std::int64_t>(&value);
    return number != nullptr ? static_cast<double>(*number) : std::get<double>(value);
  }
  [[nodiscard]] bool verified() const {
    return std::get<bool>(find(measurement_->figures, "verified"));
  }

 private:
  static const decltype(Figure::value)& find(const std::vector<Figure>& figures,
                                             const std::string& name) {
    const Figure* const found = find_figure(figures, name);
    expects(found != nullptr, "a scaling run tells this of every number of ranks");
    return found->value;
  }

  const Measurement* measurement_;
};

std::string scaling_table(const RunResult& result) {
  Table table({"ranks", "grid", "size", "time/iteration", "speedup", "efficiency", "GFLOPS", "GB/s",
               "sent/iteration", "exposed", "verdict"});
  for (const Measurement& m : result.measurements) {
    const Case c(m);
    table.add_row({c.parameter("ranks"), c.parameter("ranks_grid"), c.parameter("size"),
                   format_seconds(c.figure("seconds_per_iteration")),
                   fmt::format("{:.2f}", c.figure("speedup")),
                   fmt::format("{:.1f} %", c.figure("efficiency")),
                   fmt::format("{:.2f}", m.flops_per_second().value_or(0.0) * 1e-9),
                   fmt::format("{:.1f}", m.bytes_per_second().value_or(0.0) * 1e-9),
                   format_bytes(c.figure("sent_bytes")),
                   fmt::format("{:.1f} %", c.figure("exposed_percent")),
                   c.verified() ? "ok" : "FAILED"});
  }
  return table.text() + "\n";
}

himeno::ScalingProblem scaling_problem(const HimenoScalingOptions& options,
                                       const Communicator& world) {
  himeno::ScalingProblem scaling;
  scaling.mode = options.scaling.mode();
  scaling.rank_counts = options.scaling.rank_counts(world);
  scaling.problem = problem_from(options.himeno, world);
  if (options.scaling.same_cores) {
    scaling.total_threads = static_cast<int>(world.sum(std::int64_t{scaling.problem.threads}));
  }
  return scaling;
}

void print_plan(const himeno::ScalingPlan& scaling) {
  const himeno::Problem& whole = scaling.problem.problem;
  print_out("himeno {} {} scaling, {}, on {}\n", himeno::name_of(whole.grid),
            to_string(scaling.problem.mode), to_string(whole.precision), to_string(whole.device));
  Table table({"ranks", "grid", "size", "largest block", "memory", "threads per rank"});
  for (const himeno::ScalingCase& c : scaling.cases) {
    const Decomposition& decomposition = c.plan->decomposition();
    const Extents block = decomposition.largest_block();
    table.add_row({fmt::format("{}", decomposition.ranks()), to_string(decomposition.grid()),
                   himeno::name_of(c.problem.grid),
                   fmt::format("{}x{}x{}", block.ni, block.nj, block.nk),
                   format_bytes(static_cast<double>(c.plan->footprint.of_work())),
                   fmt::format("{}", c.problem.threads)});
  }
  print_out("{}\n", table.text());
}

/// The shortage of the first case that does not fit.
std::string shortage_of(const himeno::ScalingPlan& scaling) {
  for (const himeno::ScalingCase& c : scaling.cases) {
    if (!c.plan->shortage.empty()) {
      return c.plan->shortage;
    }
  }
  return {};
}

std::string convect_table(const RunResult& result) {
  Table table({"ranks", "blocks", "grid", "time/step", "ns/cell and rank", "speedup", "efficiency",
               "GB/s", "exposed", "verdict"});
  for (const Measurement& m : result.measurements) {
    const Case c(m);
    table.add_row({c.parameter("ranks"), c.parameter("largest_block"), c.parameter("grid"),
                   format_seconds(c.figure("seconds_per_step")),
                   fmt::format("{:.3g}", c.figure("ns_per_cell_and_rank")),
                   fmt::format("{:.2f}", c.figure("speedup")),
                   fmt::format("{:.1f} %", c.figure("efficiency")),
                   fmt::format("{:.1f}", m.bytes_per_second().value_or(0.0) * 1e-9),
                   c.has_figure("exposed_percent")
                       ? fmt::format("{:.1f} %", c.figure("exposed_percent"))
                       : "-",
                   c.verified() ? "ok" : "FAILED"});
  }
  return table.text();
}

/// The time of each part of a stage, and how much of it is exposed communication.
std::string convect_parts_table(const RunResult& result) {
  std::vector<std::string> head{"ranks"};
  for (int part = 0; part < convection::stage_parts; ++part) {
    head.push_back(to_string(static_cast<convection::StagePart>(part)));
    head.emplace_back("exposed");
  }
  Table table(head);
  for (const Measurement& m : result.measurements) {
    const Case c(m);
    std::vector<std::string> row{c.parameter("ranks")};
    for (int part = 0; part < convection::stage_parts; ++part) {
      const std::string name = to_string(static_cast<convection::StagePart>(part));
      const std::string exposed = name + "_exposed_seconds";
      const double seconds = c.figure(name + "_seconds");
      row.push_back(format_seconds(seconds));
      row.push_back(c.has_figure(exposed)
                        ? fmt::format("{:.1f} %", 100.0 * c.figure(exposed) / seconds)
                        : "-");
    }
    table.add_row(row);
  }
  return table.text();
}

std::string convect_tables(const RunResult& result) {
  return convect_table(result) + "\nParts of a stage:\n" + convect_parts_table(result) + "\n";
}

convection::ScalingProblem scaling_problem(const ConvectScalingOptions& options,
                                           const convect::Case& wanted, const Communicator& world) {
  convection::ScalingProblem scaling;
  scaling.mode = options.scaling.mode();
  scaling.rank_counts = options.scaling.rank_counts(world);
  scaling.problem = wanted.problem;
  scaling.repeats = options.repeats;
  scaling.target_seconds = options.target_seconds;
  convection::Problem& problem = scaling.problem;
  problem.device = options.common.resolved_device(world);
  const int threads = options.common.resolved_threads(world);
  problem.threads = problem.device.is_cuda() ? 1 : threads;
  problem.host_threads = threads;
  if (options.scaling.same_cores) {
    scaling.total_threads = static_cast<int>(world.sum(std::int64_t{problem.threads}));
  }
  return scaling;
}

void print_plan(const convection::ScalingPlan& scaling) {
  const convection::Problem& whole = scaling.problem.problem;
  print_out("convect {}, {} scaling, {}, on {}\n", whole.name, to_string(scaling.problem.mode),
            to_string(whole.precision), to_string(whole.device));
  Table table({"ranks", "cells", "largest block", "solver", "memory", "threads per rank"});
  for (const convection::ScalingCase& c : scaling.cases) {
    const auto block = c.plan->grid().along_xyz(per_axis(c.plan->cut().largest_block()));
    table.add_row({fmt::format("{}", c.ranks.count()),
                   fmt::format("{}x{}x{}", c.problem.axes[0].cells, c.problem.axes[1].cells,
                               c.problem.axes[2].cells),
                   fmt::format("{}", fmt::join(block, "x")), to_string(c.plan->solver()),
                   format_bytes(static_cast<double>(c.plan->footprint().of_work())),
                   fmt::format("{}", c.problem.threads)});
  }
  print_out("{}\n", table.text());
}

std::string shortage_of(const convection::ScalingPlan& scaling) {
  for (const convection::ScalingCase& c : scaling.cases) {
    if (!c.shortage.empty()) {
      return c.shortage;
    }
  }
  return {};
}

template <class ScalingProblem>
MeasurePolicy policy_of(const ScalingProblem& scaling, const CommonOptions& common,
                        const Communicator& world) {
  MeasurePolicy policy = common.prepare(world, scaling.problem.device, scaling.problem.threads);
  if (scaling.total_threads && policy.placement.is_bound()) {
    policy.placement.unbound_because = "--same-cores gives fewer ranks the cores of all";
    require(policy.placement.width == PlaceWidth::share,
            "--pin cores cannot be followed: " + policy.placement.unbound_because,
            "use --pin auto, which then leaves the threads unbound");
  }
  require(policy.ceiling != CeilingRule::file,
          "--ceiling " + common.ceiling + " cannot serve several numbers of ranks",
          "use auto, always or none, which look at each case");
  return policy;
}

/// By the root, which alone is in all cases.
template <class ScalingPlan>
void show(const ScalingPlan& plan, const CommonOptions& common, const Communicator& world) {
  if (!world.is_root()) {
    return;
  }
  if (!common.quiet || common.dry_run) {
    print_plan(plan);
  }
  if (common.dry_run) {
    print_fit(plan.problem.problem.device, shortage_of(plan));
  }
}

ExitCode run_himeno_scaling(const HimenoScalingOptions& options, const Communicator& world) {
  const himeno::ScalingProblem scaling = scaling_problem(options, world);
  const CommonOptions& common = options.himeno.common;
  const MeasurePolicy policy = policy_of(scaling, common, world);
  const himeno::ScalingPlan plan = make_plan(scaling, world, policy.ceiling, common.shortage());
  show(plan, common, world);
  if (common.dry_run) {
    return ExitCode::ok;
  }
  warn_of_perturbation(scaling.problem.perturbation, world);
  return run_and_publish(
      common, policy, world,
      [&](const RunContext& context) { return himeno::run_scaling(plan, context); },
      {.extra = scaling_table});
}

ExitCode run_convect_scaling(const ConvectScalingOptions& options, const Communicator& world) {
  require(!options.case_name.empty(), "no case given",
          "name a case file or one of bankfull convect --list-cases");
  const std::filesystem::path file = convect::find_case(options.case_name);
  require_other_than(options.common.json, file, "the case itself");
  const convect::Case wanted = convect::load_case(file, options.settings);
  require(wanted.from.empty(), "a scaling run begins with the flow of its case",
          "leave out initial.from");
  const CommonOptions& common = options.common;
  const convection::ScalingProblem scaling = scaling_problem(options, wanted, world);
  const MeasurePolicy policy = policy_of(scaling, common, world);
  const convection::ScalingPlan plan = convect::placed(wanted.places, [&] {
    return convection::make_plan(scaling, world, policy.ceiling, common.shortage());
  });
  show(plan, common, world);
  if (common.dry_run) {
    return ExitCode::ok;
  }
  return convect::placed(wanted.places, [&] {
    return run_and_publish(
        common, policy, world,
        [&](const RunContext& context) { return convection::run_scaling(plan, context); },
        {.extra = convect_tables});
  });
}

void add_scaling_options(CLI::App& command, ScalingOptions& options) {
  auto* strong = with_environment(
      command.add_flag("--strong", options.strong, "the options describe the whole problem"));
  with_environment(
      command.add_flag("--weak", options.weak, "the options describe the problem of each rank"))
      ->excludes(strong);
  with_environment(command.add_option("--ranks", options.ranks,
                                      "numbers of ranks to compare: N, A:B, or several with "
                                      "commas (default: powers of two, and all)"));
  with_environment(command.add_flag(
      "--same-cores", options.same_cores,
      "CPU: fewer ranks have more threads, so that all use as many cores; start "
      "it with mpirun --bind-to none, or these threads share the cores of a rank"));
}

constexpr const char* scaling_footer = R"(Examples:
  mpirun -n 4 bankfull scaling himeno --strong --size XL --ranks 1,2,4
  mpirun -n 8 bankfull scaling himeno --weak --size L --json out.json
  mpirun -n 2 --bind-to none bankfull scaling himeno --strong --device cpu --same-cores
  mpirun -n 4 bankfull scaling convect rayleigh-1e7 --weak --set cells=256x256x128

Start it on as many ranks as the largest number: the first n of them work, the others wait.)";

void add_himeno_scaling(CLI::App& scaling, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<HimenoScalingOptions>();
  CLI::App* command = scaling.add_subcommand("himeno", "Strong or weak scaling of Himeno");
  command->footer(scaling_footer);
  add_scaling_options(*command, options->scaling);
  add_himeno_options(*command, options->himeno);
  command->callback([&action, &ranks, options] {
    action = [&ranks, options] { return run_himeno_scaling(*options, ranks); };
  });
}

void add_convect_scaling(CLI::App& scaling, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<ConvectScalingOptions>();
  CLI::App* command =
      scaling.add_subcommand("convect", "Strong or weak scaling of thermal convection");
  command->footer(scaling_footer);
  add_scaling_options(*command, options->scaling);
  add_common_options(*command, options->common);
  command->add_option("case", options->case_name, "a case file, or the name of a ready case")
      ->type_name("CASE|FILE");
  offer(*command, "case", convect::ready_case_names);
  with_environment(command->add_option("--set", options->settings,
                                       "override a key of the case; may be repeated"))
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  constexpr double max_repeats = 1000;
  constexpr double max_seconds = 1e6;
  constexpr double min_seconds = 1e-3;
  add_number(*command, "--repeat", options->repeats, "timed repeats of each number of ranks",
             {.least = 1, .most = max_repeats})
      ->capture_default_str();
  add_number(*command, "--target-seconds", options->target_seconds,
             "time that the steps of these repeats take together, for each number of ranks",
             {.least = min_seconds, .most = max_seconds})
      ->capture_default_str();
  command->callback([&action, &ranks, options] {
    action = [&ranks, options] { return run_convect_scaling(*options, ranks); };
  });
}

}  // namespace

void add_scaling_command(CLI::App& program, const Communicator& ranks, Action& action) {
  CLI::App* scaling = program.add_subcommand(
      "scaling", "Measures a workload on several numbers of ranks, in turn within one run");
  scaling->footer(scaling_footer);
  scaling->require_subcommand(1);
  add_himeno_scaling(*scaling, ranks, action);
  add_convect_scaling(*scaling, ranks, action);
}

}  // namespace bankfull
