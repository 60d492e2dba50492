#include "bankfull/app/choices.hpp"
#include "bankfull/app/convect/case_file.hpp"
#include "bankfull/app/convect/changed_settings.hpp"
#include "bankfull/app/convect/checkpoint_file.hpp"
#include "bankfull/app/convect/checkpoints.hpp"
#include "bankfull/app/convect/field_writer.hpp"
#include "bankfull/app/convect/flow_of_run.hpp"
#include "bankfull/app/convect/movies.hpp"
#include "bankfull/app/convect/placeholders.hpp"
#include "bankfull/app/convect/ready_cases.hpp"
#include "bankfull/app/convect/run_writer.hpp"
#include "bankfull/app/convect/shared_recorder.hpp"
#include "bankfull/app/folder_lock.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/progress_line.hpp"
#include "bankfull/app/publish.hpp"
#include "bankfull/app/report.hpp"
#include "bankfull/app/result_path.hpp"
#include "bankfull/app/stop_file.hpp"
#include "bankfull/app/termination.hpp"
#include "bankfull/app/walltime.hpp"
#include "bankfull/app/workload_commands.hpp"
#include "bankfull/build_config.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/base/printable.hpp"
#include "bankfull/core/comm/axes.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"
#include "bankfull/workloads/convection/cut.hpp"
#include "bankfull/workloads/convection/end_of_run.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/heat_path.hpp"
#include "bankfull/workloads/convection/nusselt_window.hpp"
#include "bankfull/workloads/convection/pressure.hpp"
#include "bankfull/workloads/convection/sample_memory.hpp"
#include "bankfull/workloads/convection/traffic.hpp"
#include "bankfull/workloads/convection/validation.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace bankfull {
namespace {

namespace fs = std::filesystem;
using convection::Plan;
using convection::Problem;

constexpr std::size_t max_path_length = 300;

struct ConvectOptions {
  CommonOptions common;
  std::string case_name;
  std::vector<std::string> settings;
  std::string restart;   ///< folder of a run, or one of its checkpoints
  std::string movie;     ///< folder of a run
  std::string walltime;  ///< HH:MM:SS
  std::string output;    ///< with placeholders; empty: <case>-run
  bool overwrite = false;
  bool require_resolved = false;
  bool list_cases = false;
  std::string validate;
  std::vector<std::string> validate_parts;  ///< empty: all
};

std::string cells_text(const Problem& problem) {
  return fmt::format("{}x{}x{}", problem.axes[0].cells, problem.axes[1].cells,
                     problem.axes[2].cells);
}

/// What one of the ready cases is; one that cannot be read says so in its place.
std::string case_line(const fs::path& file) {
  const std::string name = printable(file.stem().string(), max_path_length);
  try {
    const convect::Case ready = convect::load_case(file, {});
    return fmt::format("  {:<26} {:>12}  {}\n", name, cells_text(ready.problem), ready.title);
  } catch (const UsageError& error) {
    return fmt::format("  {:<26} {:>12}  {}\n", name, "broken", error.what());
  }
}

ExitCode list_cases() {
  const std::vector<fs::path> cases = convect::ready_cases();
  print_out("  {:<26} {:>12}  {}\n", "case", "cells", "what it is");
  for (const fs::path& file : cases) {
    print_out("{}", case_line(file));
  }
  print_out("{} cases in {}\n", cases.size(),
            printable(convect::ready_case_folder().string(), max_path_length));
  return ExitCode::ok;
}

/// Lengths of its sides.
std::string box_text(const Problem& problem) {
  const auto& [x, y, z] = problem.axes;
  return fmt::format("{:.6g} x {:.6g} x {:.6g}", x.upper - x.lower, y.upper - y.lower,
                     z.upper - z.lower);
}

std::string solver_text(const Plan& plan) {
  std::string solver = to_string(plan.solver());
  if (plan.problem().solver != convection::PressureSolver::automatic) {
    return solver;
  }
  const std::string no_direct =
      convection::direct_refusal(plan.problem(), plan.grid(), {.ranks = plan.ranks()});
  return solver + ", chosen by auto" +
         (no_direct.empty() ? "" : " (there is no direct solver: " + no_direct + ")");
}

std::string step_text(const convection::TimeStep& step) {
  return step.fixed > 0.0 ? fmt::format("dt {:g}", step.fixed)
                          : fmt::format("dt by Courant number {:g}", step.courant);
}

std::string end_text(const Problem& problem) {
  const std::string earlier = problem.until.any() ? ", or until its Nusselt numbers settle" : "";
  if (problem.end_time == 0.0) {
    return fmt::format("{} steps{}", problem.steps, earlier);
  }
  return problem.steps == 0 ? fmt::format("to time {:g}{}", problem.end_time, earlier)
                            : fmt::format("to time {:g}, at most {} steps{}", problem.end_time,
                                          problem.steps, earlier);
}

std::string medium_text(const Problem& problem) {
  std::string text = fmt::format("viscosity {:.6g}", problem.viscosity);
  for (const convection::Scalar& scalar : problem.scalars) {
    text +=
        fmt::format("; {}: diffusivity {:.6g}, buoyancy ({:.6g}, {:.6g}, {:.6g})", scalar.name,
                    scalar.diffusivity, scalar.buoyancy[0], scalar.buoyancy[1], scalar.buoyancy[2]);
    text += scalar.advection == convection::Advection::bounded
                ? ", bounded advection (diffusive where its bounds ask for it)"
                : "";
  }
  return text;
}

std::string multigrid_sharing_text(const Plan& plan) {
  const bool on_gpu = plan.problem().device.is_cuda();
  const int levels = poisson::shared_levels(plan.grid().domain(), plan.sharing(), on_gpu);
  return levels > 0
             ? fmt::format("multigrid shares {} level{}, {}", levels, levels == 1 ? "" : "s",
                           on_gpu ? "each rank solves the others" : "the others are rank 0's")
             : "blocks are too thin for multigrid, which is rank 0's: use fewer ranks";
}

std::string direct_sharing_text(const Plan& plan) {
  const Problem& problem = plan.problem();
  const poisson::DirectCost cost = poisson::direct_cost(
      plan.grid().domain(), static_cast<std::size_t>(bytes_of(problem.precision)),
      problem.device.is_cuda(), plan.cut().ranks());
  return fmt::format("a pressure solve sends {} per rank in {} messages",
                     format_bytes(static_cast<double>(cost.sent_bytes)), cost.messages);
}

/// How ranks cut the grid, along x, y, z.
std::string sharing_text(const Plan& plan) {
  const Decomposition cut = plan.cut();
  const auto along_xyz = [&](const auto& of_storage) {
    return fmt::format("{}", fmt::join(plan.grid().along_xyz(of_storage), "x"));
  };
  return fmt::format("{} ranks, {} along x, y, z: blocks of at most {} cells; {}", cut.ranks(),
                     along_xyz(per_axis(cut.grid())), along_xyz(per_axis(cut.largest_block())),
                     plan.solver() == convection::PressureSolver::direct
                         ? direct_sharing_text(plan)
                         : multigrid_sharing_text(plan));
}

void print_plan(const std::string& title, const Plan& plan) {
  const Problem& problem = plan.problem();
  const int stages = plan.stages();
  const convection::StageTraffic parts = convection::stage_traffic(plan, {});
  const Traffic stage = std::accumulate(parts.begin(), parts.end(), Traffic{});
  print_out("convect {}{}{}\n", problem.name, title.empty() ? "" : ": ", title);
  print_out("  {} cells, {}, {}, on {}; {}, {}, {}\n", cells_text(problem),
            to_string(problem.precision), to_string(problem.schedule), to_string(problem.device),
            to_string(problem.scheme), step_text(problem.time_step), end_text(problem));
  print_out("  {}\n", medium_text(problem));
  print_out("  pressure: {}; {}; a step moves {} beside its pressure solve{}\n", solver_text(plan),
            to_string(plan.footprint()), format_bytes(stages * stage.bytes()),
            stages == 1 ? "" : "s");
  if (plan.is_shared()) {
    print_out("  {}\n", sharing_text(plan));
  }
}

/// What print_plan says, for who reads the report.
convect::ReportFacts report_facts(const convect::Case& run, const Plan& plan) {
  const Problem& problem = plan.problem();
  convect::ReportFacts facts{{"cells", cells_text(problem)}, {"box", box_text(problem)}};
  for (const auto& fact : convect::physics_facts(run)) {
    facts.push_back(fact);
  }
  facts.insert(facts.end(),
               {{"units", run.units},
                {"medium", medium_text(problem)},
                {"time", to_string(problem.scheme) + ", " + step_text(problem.time_step)},
                {"ends", end_text(problem)},
                {"pressure", solver_text(plan)},
                {"computed", to_string(problem.precision) + " on " + to_string(problem.device)},
                {"needs", to_string(plan.footprint())}});
  return facts;
}

std::string final_flow(const convect::Case& run, const convection::SeriesRow& last) {
  const convection::Diagnosis& flow = last.diagnosis;
  std::string text = fmt::format(
      "  at time {:.6g} (step {}): kinetic energy {:.6g}, max |u| {:.6g}, divergence {:.1e}\n",
      last.time, last.step, flow.kinetic_energy, flow.fastest, flow.divergence);
  if (convection::heat_path_of(run.problem)) {
    text += fmt::format(
        "  Nusselt number {:.6g} at the lower wall, {:.6g} at the upper, {:.6g} "
        "in the volume\n",
        last.nusselt.lower, last.nusselt.upper, last.nusselt.volume);
  }
  return text;
}

/// Whether they are averages.
std::string window_text(const convection::NusseltAverages& averages) {
  if (!averages.disagreement) {
    return "which need not agree: heat enters elsewhere too, or a wall has several temperatures";
  }
  return fmt::format("which disagree by up to {:.2g} %{}", 100.0 * *averages.disagreement,
                     averages.settled() ? "" : ": the run is too short for averages");
}

std::string averages_text(const RunResult& result) {
  if (!result.attachment.has_value()) {  // of a run without averages
    return "";
  }
  const auto& averages = result.attached<convection::NusseltAverages>();
  const convection::Nusselt& mean = averages.mean;
  return fmt::format(
      "  averages of times {:.6g} to {:.6g}: {:.6g}, {:.6g} and {:.6g}, by the dissipation of "
      "temperature {:.6g}{}, {}{}\n",
      averages.from, averages.to, mean.lower, mean.upper, mean.volume, mean.thermal,
      mean.kinetic ? fmt::format(", of kinetic energy {:.6g}", *mean.kinetic) : "",
      window_text(averages),
      averages.error ? fmt::format("; standard error {:.2g} %", 100.0 * *averages.error) : "");
}

std::string what_was_written(const convect::RunDirectory& directory,
                             const convect::RunWriter& writer) {
  std::string text =
      fmt::format("  wrote {}/: case.toml, run.json, series.csv ({} rows)",
                  printable(directory.path().string(), max_path_length), writer.rows());
  if (!writer.pictures().empty()) {
    text += fmt::format(", {} pictures in slices/, the last of them {}", writer.pictures().size(),
                        printable(writer.pictures().back().string(), max_path_length));
  }
  if (writer.field_files() > 0) {
    text += fmt::format(", {} files in fields/", writer.field_files());
  }
  if (writer.has_report()) {
    text += ", report.html";
  }
  return text + "\n";
}

ExitCode judge_resolution(const ConvectOptions& options, const RunResult& result,
                          const Communicator& ranks) {
  if (!options.require_resolved || result.resolved()) {
    return ExitCode::ok;
  }
  tell(ranks, "the grid was too coarse for the flow, which --require-resolved does not accept");
  return ExitCode::below_threshold;
}

/// A run, and what it is to write and to begin with. The root writes.
struct Launch {
  const ConvectOptions& options;
  const Communicator& ranks;
  const MeasurePolicy& policy;
  const Plan& plan;
  const convect::Case& wanted;
  const convect::RunDirectory& directory;
  Walltime* walltime = nullptr;
  const convection::StateReader* start = nullptr;
  const convection::FlowReader* initial = nullptr;
  convection::TimeTaken earlier = {};
};

void prepare(convect::RunWriter& writer, const Launch& launch) {
  writer.set_listener({.failed = [&](const std::string& why) { tell(launch.ranks, why); },
                       .written =
                           [&](double seconds) {
                             if (launch.walltime != nullptr) {
                               launch.walltime->expect_saving(seconds);
                             }
                           }});
  writer.set_report_facts(report_facts(launch.wanted, launch.plan));
}

/// `recorder`: of all ranks.
RunResult integrated(const Launch& launch, const RunContext& context,
                     convection::Recorder& recorder) {
  return convection::run(launch.plan, {context, launch.wanted.cadence, recorder, launch.initial,
                                       launch.start, launch.earlier});
}

/// Beside the root, which writes: the same run.
ExitCode integrate_along(const Launch& launch) {
  convect::SharedRecorder recorder(launch.ranks, nullptr,
                                   convect::threads_of_checkpoints(launch.plan.problem()));
  return run_and_publish(
      launch.options.common, launch.policy, launch.ranks,
      [&](const RunContext& context) { return integrated(launch, context, recorder); },
      {.folder = launch.directory.path().string(),
       .walltime = launch.walltime,
       .judge = [&](const RunResult& result) {
         return judge_resolution(launch.options, result, launch.ranks);
       }});
}

ExitCode integrate(const Launch& launch, convect::RunWriter& writer) {
  const convect::RunDirectory& directory = launch.directory;
  prepare(writer, launch);
  convect::SharedRecorder shared(launch.ranks, &writer,
                                 convect::threads_of_checkpoints(launch.plan.problem()));
  const StopFile stop(directory.stop_file(), [&] { return writer.has_begun(); });
  try {
    return run_and_publish(
        launch.options.common, launch.policy, launch.ranks,
        [&](const RunContext& context) {
          return launch.plan.is_shared() ? integrated(launch, context, shared)
                                         : integrated(launch, context, writer);
        },
        {.extra =
             [&](const RunResult& result) {
               return final_flow(launch.wanted, writer.last_row()) + averages_text(result) +
                      report_notes(result);
             },
         .written = [&] { return what_was_written(directory, writer); },
         .folder = directory.path().string(),
         .write_elsewhere = [&](const std::string& json) { writer.finish(json); },
         .walltime = launch.walltime,
         .interruption = &stop,
         .judge =
             [&](const RunResult& result) {
               return judge_resolution(launch.options, result, launch.ranks);
             }});
  } catch (const RuntimeFailure& failure) {
    if (!writer.has_begun()) {
      throw;
    }
    writer.fail(failure.what());
    throw RuntimeFailure(fmt::format("{}; {}", failure.what(), writer.what_is_left()));
  }
}

ExitCode integrate_anew(const ConvectOptions& options, const Communicator& ranks,
                        const MeasurePolicy& policy, const Plan& plan, const convect::Case& wanted,
                        const convect::RunDirectory& directory, Walltime* walltime,
                        const convection::FlowReader* initial) {
  const Launch launch{options, ranks, policy, plan, wanted, directory, walltime, nullptr, initial};
  std::optional<FolderLock> lock;
  ranks.on_root([&] {
    lock.emplace(directory.path());
    directory.require_replaceable();
  });
  if (!lock) {
    return integrate_along(launch);
  }
  convect::RunWriter writer(wanted, directory, *lock);
  return integrate(launch, writer);
}

std::string output_of(const ConvectOptions& options, const convect::Case& wanted) {
  return options.output.empty() ? wanted.problem.name + "-run"
                                : convect::filled_in(options.output, wanted);
}

convect::RunDirectory directory_at(const std::string& path, const ConvectOptions& options,
                                   const convect::Case& wanted) {
  return {path, options.overwrite, convect::output_example(wanted, options.settings)};
}

/// What a dry run answers: what the run would do, and what it would be refused for.
void answer(const ConvectOptions& options, const convect::Case& wanted, const Plan& plan,
            const std::string& start) {
  const std::string output = output_of(options, wanted);
  print_plan(wanted.title, plan);
  print_out("{}", start);
  print_fit(plan.problem().device, plan.memory_shortage());
  try {
    static_cast<void>(directory_at(output, options, wanted));
  } catch (const UsageError& error) {
    print_out("  the run would be refused: {}\n", error.what());
  }
}

/// Memory of each process that writes cells: on several ranks that is every one of them.
std::int64_t checkpoint_bytes(const convect::Case& wanted) {
  if constexpr (build::hdf5) {
    if (wanted.cadence.checkpoints.any()) {
      const convection::Grid grid(wanted.problem.axes);
      return convect::bytes_to_write_checkpoint(grid.extents(), wanted.problem.precision,
                                                convect::threads_of_checkpoints(wanted.problem));
    }
  }
  return 0;
}

/// Memory for files being written, for samples and for another run's flow to start from.
convection::OutputNeeds output_needs_of(const convect::Case& wanted, const Communicator& ranks,
                                        std::int64_t start_bytes = 0) {
  convection::OutputNeeds needs = convect::field_output_needs(wanted, ranks.local_size());
  const convection::OutputNeeds samples = convection::sample_bytes(wanted.problem, wanted.cadence);
  needs.host += samples.host + start_bytes + checkpoint_bytes(wanted);
  needs.device += samples.device;
  return needs;
}

void set_machine(const ConvectOptions& options, const Communicator& ranks, Problem& problem) {
  problem.device = options.common.resolved_device(ranks);
  const int threads = options.common.resolved_threads(ranks);
  problem.threads = problem.device.is_cuda() ? 1 : threads;
  problem.host_threads = threads;
}

/// With a limit of time a run saves its state before that is over.
std::unique_ptr<Walltime> walltime_of(const ConvectOptions& options, convect::Case& wanted) {
  if (options.walltime.empty()) {
    return nullptr;
  }
  auto walltime = std::make_unique<Walltime>(options.walltime);
  convect::require_checkpoints("--walltime");
  wanted.cadence.checkpoints.at_end = true;
  // Until one has been written: fields, tendencies, pressures and fluxes of bounded scalars, at the
  // rate of a slow disk.
  constexpr double bytes_per_second = 2e8;
  const auto values = static_cast<double>(
      wanted.problem.cells() * (2 * (3 + std::ssize(wanted.problem.scalars)) + 2 +
                                3 * std::ssize(convection::bounded_scalars(wanted.problem))));
  walltime->expect_saving(values * sizeof(double) / bytes_per_second);
  return walltime;
}

/// Null where the case has a flow of its own.
std::unique_ptr<convect::FlowOfRun> flow_to_begin_with(const convect::Case& wanted,
                                                       const Communicator& ranks) {
  if (wanted.from.empty()) {
    return nullptr;
  }
  about("initial.from", [] { convect::require_checkpoints("initial.from"); });
  if constexpr (build::hdf5) {
    return convect::flow_of_run(wanted, [&](const std::string& why) { tell(ranks, why); });
  }
  return nullptr;
}

ExitCode run_case(const ConvectOptions& options, const Communicator& ranks) {
  const fs::path file = convect::find_case(options.case_name);
  require_other_than(options.common.json, file, "the case itself");
  convect::Case wanted = convect::load_case(file, options.settings);
  const std::unique_ptr<Walltime> walltime = walltime_of(options, wanted);
  std::optional<convect::RunDirectory> directory;
  if (!options.common.dry_run) {
    directory = directory_at(output_of(options, wanted), options, wanted);
    directory->require_no_file_of_it(options.common.json);
  }
  Problem& problem = wanted.problem;
  set_machine(options, ranks, problem);
  const MeasurePolicy policy = options.common.prepare(ranks, problem.device, problem.threads);
  const auto in_case = [&](const auto& body) { return convect::placed(wanted.places, body); };
  const std::unique_ptr<convect::FlowOfRun> start =
      in_case([&] { return flow_to_begin_with(wanted, ranks); });
  const convection::OutputNeeds needs =
      output_needs_of(wanted, ranks, start == nullptr ? 0 : start->host_bytes());
  const Plan plan =
      in_case([&] { return Plan(problem, policy.ceiling, needs, {.ranks = &ranks}); });
  in_case([&] {
    convection::require_worth_sharing(problem, plan.solver(), ranks.size());
    convection::require_finite_formulas(problem, plan.grid());
  });
  if (start != nullptr) {
    in_case([&] { start->begin(plan); });
  }
  const std::string told = start == nullptr ? "" : "  " + start->told() + "\n";
  if (options.common.dry_run) {
    answer(options, wanted, plan, told);
    return ExitCode::ok;
  }
  in_case([&] { plan.require_memory(); });
  if (!options.common.quiet) {
    print_plan(wanted.title, plan);
    print_out("{}", told);
  }
  return in_case([&] {
    return integrate_anew(options, ranks, policy, plan, wanted, *directory, walltime.get(),
                          start == nullptr ? nullptr : &start->flow());
  });
}

/// The folder of a run, and the one checkpoint in it that was asked for, if any.
struct RestartPlace {
  fs::path folder;
  fs::path file;
};

RestartPlace place_of_restart(const std::string& given) {
  std::error_code error;
  fs::path path = given;
  if (!fs::is_regular_file(path, error)) {
    return {path, {}};
  }
  path = fs::absolute(path, error);
  require(path.parent_path().filename() == "checkpoint" &&
              convect::is_checkpoint_name(path.filename().string()),
          "--restart " + given + ": it is not in the folder checkpoint/ of a run",
          "name the folder of a run, or a file in its checkpoint/");
  return {path.parent_path().parent_path(), path};
}

/// A checkpoint that a run cannot continue from, and the file beside it that is to blame, if one
/// is.
struct UnusableCheckpoint {
  std::string why;
  fs::path lost;
};

/// The checkpoint if all of it can be used, and what it counts on is there.
std::unique_ptr<convect::CheckpointReader> opened(const fs::path& file,
                                                  const convect::RunDirectory& directory,
                                                  UnusableCheckpoint& otherwise) {
  try {
    auto reader = std::make_unique<convect::CheckpointReader>(file);
    const std::optional<convect::LostFile> lost = directory.lost_since(reader->header().told);
    if (!lost) {
      return reader;
    }
    otherwise = {
        fmt::format("{} {}, and {} counts on it", lost->path.string(), lost->what, file.string()),
        lost->path};
  } catch (const RuntimeFailure& failure) {
    otherwise = {failure.what(), {}};
  }
  return nullptr;
}

/// The last one that can be used. What is wrong with later ones is said; but where none can be, a
/// file that all of them count on is named once.
std::unique_ptr<convect::CheckpointReader> last_checkpoint(const RestartPlace& place,
                                                           const convect::RunDirectory& directory,
                                                           const Communicator& ranks) {
  const std::vector<fs::path> files = place.file.empty()
                                          ? convect::checkpoints_in(directory.checkpoints())
                                          : std::vector<fs::path>{place.file};
  std::vector<UnusableCheckpoint> later;
  UnusableCheckpoint last{"there is none in " + directory.checkpoints().string(), {}};
  std::unique_ptr<convect::CheckpointReader> reader;
  for (const fs::path& file : files) {
    reader = opened(file, directory, last);
    if (reader != nullptr) {
      break;
    }
    later.push_back(last);
  }
  const auto rescued =
      std::ranges::find_if(later, [](const UnusableCheckpoint& one) { return !one.lost.empty(); });
  const fs::path lost = rescued == later.end() ? fs::path() : rescued->lost;
  if (reader == nullptr && !later.empty()) {
    later.pop_back();
    std::erase_if(later, [&](const UnusableCheckpoint& one) {
      return !one.lost.empty() && one.lost == last.lost;
    });
  }
  for (const UnusableCheckpoint& one : later) {
    tell(ranks, one.why + "; the one before is tried");
  }
  if (reader == nullptr) {
    throw UsageError("--restart has no checkpoint to continue from: " + last.why,
                     lost.empty()
                         ? "start the run again with --overwrite"
                         : fmt::format("put {} back as it was, or start the run again with "
                                       "--overwrite",
                                       lost.filename().string()));
  }
  return reader;
}

/// Nothing of the run depends on them.
void tell_of_missing_fields(const convect::RunDirectory& directory,
                            const convect::CheckpointReader& start, const Communicator& ranks) {
  const std::vector<fs::path> missing = directory.missing_fields(start.header().told);
  if (missing.empty()) {
    return;
  }
  const std::string list = directory.field_list().filename().string();
  const std::string first = missing.front().string();
  tell(
      ranks,
      missing.size() == 1
          ? fmt::format("{} is listed in {} but missing; the run continues without it", first, list)
          : fmt::format("{} and {} more are listed in {} but missing; the run continues without "
                        "them",
                        first, missing.size() - 1, list));
}

void print_start(const convect::CheckpointReader& start,
                 const std::vector<convect::ChangedSetting>& changes) {
  const convect::CheckpointHeader& header = start.header();
  print_out("  continues from step {}, time {:.6g}, of {}\n", header.step, header.time,
            printable(start.path().string(), max_path_length));
  for (const convect::ChangedSetting& change : changes) {
    print_out("  changed: {} = {}, was {}\n", change.name, change.after, change.before);
  }
}

/// A run that was killed between its last step and its result still has a result to report.
void require_rest(const convect::CheckpointReader& start, const Problem& problem,
                  const convect::RunDirectory& directory) {
  const convect::CheckpointHeader& saved = start.header();
  std::error_code ignored;
  require(!convection::has_ended(problem, start) || !fs::exists(directory.result(), ignored),
          fmt::format("--restart {}: the run has reached its end: step {}, time {:.6g}",
                      directory.path().string(), saved.step, saved.time),
          "set a later end to continue, as with --set end=... or --set steps=..., or another "
          "time.until");
}

/// `lock`: the root's.
ExitCode go_on(const ConvectOptions& options, const Communicator& ranks,
               const convect::RunDirectory& directory, const FolderLock* lock,
               const convect::CheckpointReader& start) {
  convect::Case wanted = convect::load_case(directory.case_file(), options.settings);
  const std::unique_ptr<Walltime> walltime = walltime_of(options, wanted);
  const std::vector<convect::ChangedSetting> changes =
      convect::changed_settings(start.header().resolved_case, wanted.resolved);
  convect::require_changeable(changes, wanted);
  require_rest(start, wanted.problem, directory);
  set_machine(options, ranks, wanted.problem);
  const MeasurePolicy policy =
      options.common.prepare(ranks, wanted.problem.device, wanted.problem.threads);
  return convect::placed(wanted.places, [&] {
    const Plan plan(wanted.problem, policy.ceiling, output_needs_of(wanted, ranks),
                    {.ranks = &ranks});
    convection::require_worth_sharing(plan.problem(), plan.solver(), ranks.size());
    start.require_fields(plan.problem(), plan.grid());
    tell_of_missing_fields(directory, start, ranks);
    if (!options.common.quiet || options.common.dry_run) {
      print_plan(wanted.title, plan);
      print_start(start, changes);
    }
    if (options.common.dry_run) {
      print_fit(plan.problem().device, plan.memory_shortage());
      return ExitCode::ok;
    }
    plan.require_memory();
    const Launch launch{.options = options,
                        .ranks = ranks,
                        .policy = policy,
                        .plan = plan,
                        .wanted = wanted,
                        .directory = directory,
                        .walltime = walltime.get(),
                        .start = &start,
                        .earlier = start.header().taken};
    if (lock == nullptr) {
      return integrate_along(launch);
    }
    convect::RunWriter writer(wanted, directory, *lock);
    writer.go_on_from(start.header());
    return integrate(launch, writer);
  });
}

ExitCode run_restart(const ConvectOptions& options, const Communicator& ranks) {
  require(options.case_name.empty(),
          "--restart has a case of its own, and " + options.case_name + " is another",
          "leave one of them out; --set changes the case of the run");
  require(options.output.empty() && !options.overwrite,
          "--restart continues in the folder of the run", "leave out --output and --overwrite");
  const RestartPlace place = place_of_restart(options.restart);
  const convect::RunDirectory directory = convect::RunDirectory::of_run(
      place.folder, "--restart",
      "name the folder of a run of bankfull convect, or a file in its checkpoint/");
  directory.require_no_file_of_it(options.common.json);
  convect::require_checkpoints("--restart");
  if constexpr (build::hdf5) {
    std::optional<FolderLock> lock;
    ranks.on_root([&] {
      FolderLock::require_free(directory.path());
      lock.emplace(directory.path());
    });
    const std::unique_ptr<convect::CheckpointReader> start =
        last_checkpoint(place, directory, ranks);
    return go_on(options, ranks, directory, lock ? &*lock : nullptr, *start);
  }
  return ExitCode::usage;
}

ExitCode run_movies(const ConvectOptions& options) {
  const CommonOptions& common = options.common;
  require(options.case_name.empty() && options.restart.empty() && options.validate.empty(),
          "--movie is of a run that there is", "leave out the case, --restart and --validate");
  require(options.output.empty() && options.settings.empty() && !common.json,
          "--movie writes to movies/ in the folder of the run, and there is nothing to set",
          "leave out --output, --set and --json");
  const convect::RunDirectory run = convect::RunDirectory::of_run(
      options.movie, "--movie", "name the folder of a run of bankfull convect");
  const std::vector<convect::SliceMovie> movies = convect::movies_of(run);
  const TerminationWatch termination(true);
  for (const convect::SliceMovie& movie : movies) {
    if (!common.dry_run) {
      ProgressLine progress(common.quiet ? 0.0 : common.progress);
      convect::RunDirectory::make_folder(run.movies());
      if (!convect::make_movie(movie, progress, termination)) {
        return ExitCode::interrupted;
      }
    }
    print_out("  {} {}: {} pictures, {:g} a second\n", common.dry_run ? "would write" : "wrote",
              printable(movie.file.string(), max_path_length), movie.pictures.size(),
              movie.pictures_per_second());
  }
  return ExitCode::ok;
}

std::string names_of(const std::vector<convection::ValidationPart>& parts) {
  std::string names;
  for (const convection::ValidationPart part : parts) {
    names += names.empty() ? "" : ", ";
    names += convection::validation_part_names.to_string(part);
  }
  return names;
}

/// Each of those named once, in the order of the validation.
std::vector<convection::ValidationPart> parse_parts(const std::vector<std::string>& names) {
  const auto& all = convection::all_validation_parts;
  if (names.empty()) {
    return {all.begin(), all.end()};
  }
  std::set<convection::ValidationPart> chosen;
  for (const std::string& name : names) {
    chosen.insert(
        convection::validation_part_names.parse(name, "--validate-parts " + name + " is unknown"));
  }
  return {chosen.begin(), chosen.end()};
}

ExitCode run_validation(const ConvectOptions& options, const Communicator& ranks) {
  const convection::ValidationLevel level = convection::validation_level_names.parse(
      options.validate, "--validate " + options.validate + " is unknown");
  const std::vector<convection::ValidationPart> parts = parse_parts(options.validate_parts);
  const Device device = options.common.resolved_device(ranks);
  const int threads = options.common.resolved_threads(ranks);
  const MeasurePolicy policy = options.common.prepare(ranks, device, threads);
  if (options.common.dry_run) {
    print_out("convect --validate {}: cases with known answers, on {}: {}\n", options.validate,
              to_string(device), names_of(parts));
    return ExitCode::ok;
  }
  return run_and_publish(options.common, policy, ranks,
                         [&](const RunContext& context) {
                           return convection::validate({.level = level,
                                                        .parts = parts,
                                                        .device = device,
                                                        .threads = device.is_cuda() ? 1 : threads},
                                                       context);
                         },
                         {.extra = report_sources});
}

ExitCode run_convect(const ConvectOptions& options, const Communicator& ranks) {
  require(ranks.size() == 1 || options.movie.empty(),
          fmt::format("convect --movie runs on one rank, not on {}", ranks.size()),
          "start it without mpirun");
  if (options.list_cases) {
    require(!options.common.json, "--list-cases has no result for --json", "leave one of them out");
    return list_cases();
  }
  if (!options.movie.empty()) {
    return run_movies(options);
  }
  if (!options.restart.empty() && options.validate.empty()) {
    return run_restart(options, ranks);
  }
  if (options.case_name.empty() == options.validate.empty()) {
    throw UsageError(
        options.case_name.empty() ? "no case given" : "--validate has cases of its own",
        "name a case file or one of --list-cases, or give --validate quick");
  }
  if (options.validate.empty() && !options.validate_parts.empty()) {
    throw UsageError("--validate-parts is of a validation", "add --validate quick");
  }
  return options.validate.empty() ? run_case(options, ranks) : run_validation(options, ranks);
}

}  // namespace

}  // namespace bankfull

namespace bankfull::convection {

void add_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<ConvectOptions>();
  CLI::App* command = program.add_subcommand(
      "convect", "Thermal convection: incompressible flow in the Boussinesq approximation");
  command->footer(
      "Examples:\n"
      "  bankfull convect --list-cases\n"
      "  bankfull convect rayleigh-benard-2d               a ready case, into "
      "rayleigh-benard-2d-run/\n"
      "  bankfull convect my-case.toml --set ra=1e7 --set cells=256x1x64 --output run-7\n"
      "  bankfull convect rayleigh-1e7 --dry-run           memory, solver, bytes per step\n"
      "  for ra in 1e4 1e5 1e6; do                         a sweep, into sweep-1e4/ and so on\n"
      "    bankfull convect my-case.toml --set ra=$ra --output 'sweep-{ra}'; done\n"
      "  bankfull convect --restart run-7                  continue from its last checkpoint\n"
      "  bankfull convect --movie run-7                    a movie of its pictures, by ffmpeg\n"
      "  bankfull convect --validate quick                 cases with known answers");
  add_common_options(*command, options->common);
  add_thresholds(*command, "convection", options->common);
  command->add_option("case", options->case_name, "a case file, or the name of a ready case")
      ->type_name("CASE|FILE");
  offer(*command, "case", convect::ready_case_names);
  with_environment(
      command->add_option("--set", options->settings,
                          "override a key of the case, such as time.dt=1e-3 or ra=1e6; "
                          "may be repeated"))
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  with_environment(command->add_option("--output", options->output,
                                       "folder of the run; in its name {ra}, {cells} and all "
                                       "other keys of the case are replaced by their values "
                                       "(default: the case's name and -run)"))
      ->type_name("DIR");
  with_environment(command->add_option("--restart", options->restart,
                                       "instead of a case: continue the run in a folder, from its "
                                       "last checkpoint or from the checkpoint named"))
      ->type_name("RUN");
  with_environment(command->add_option("--movie", options->movie,
                                       "instead of a case: make a movie of each slice of the run "
                                       "in a folder, with ffmpeg"))
      ->type_name("RUN");
  with_environment(command->add_option("--walltime", options->walltime,
                                       "save the run and end it before this much time has passed"))
      ->type_name("HH:MM:SS");
  with_environment(command->add_flag("--overwrite", options->overwrite,
                                     "replace the run that is in the folder"));
  with_environment(command->add_flag("--require-resolved", options->require_resolved,
                                     "exit 4 where the grid was too coarse for the flow"));
  with_environment(command->add_flag("--list-cases", options->list_cases, "list the ready cases"));
  with_environment(
      command->add_option("--validate", options->validate,
                          "instead of a case: run the cases with known answers, quick or "
                          "full"))
      ->type_name("LEVEL");
  add_list(*command, "--validate-parts", options->validate_parts,
           "only these parts of a validation: invariants, exact-flows, critical-rayleigh, "
           "cavities, layers");
  offer(*command, "--validate", convection::validation_level_names.names());
  offer(*command, "--validate-parts", convection::validation_part_names.names());
  command->callback([&action, &ranks, options] {
    action = [&ranks, options] { return run_convect(*options, ranks); };
  });
}

void list_choices() {
  print_out("convect: thermal convection, incompressible flow in the Boussinesq approximation\n");
  print_out("  ready cases, see bankfull convect --list-cases:");
  for (const auto& file : convect::ready_cases()) {
    print_out(" {}", printable(file.stem().string(), max_path_length));
  }
  print_out("\n");
}

}  // namespace bankfull::convection
