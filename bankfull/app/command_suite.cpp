#include "bankfull/app/folder_lock.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/recorded/recorded_run.hpp"
#include "bankfull/app/result_lines.hpp"
#include "bankfull/app/step.hpp"
#include "bankfull/app/suite/report.hpp"
#include "bankfull/app/suite/run.hpp"
#include "bankfull/app/table.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/measure/verdict_names.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace bankfull {
namespace {

namespace fs = std::filesystem;
using suite::Level;
using suite::Record;
using suite::RecordedStep;
using suite::State;

struct SuiteOptions {
  std::string device = "auto";
  int threads = 0;
  bool quick = false;
  bool standard = false;
  bool full = false;
  std::string output;
  bool overwrite = false;
  bool dry_run = false;
  bool quiet = false;

  [[nodiscard]] Level level() const {
    return full ? Level::full : standard ? Level::standard : Level::quick;
  }
};

std::int64_t memory_of_rank(Device device, const Communicator& ranks) {
  const std::int64_t own =
      device.is_cuda() ? survey_gpus().gpus.at(static_cast<std::size_t>(device.index)).memory_bytes
                       : survey_cpu().memory_bytes / ranks.local_size();
  return ranks.min(own);
}

suite::Machine machine_of(const SuiteOptions& options, const Communicator& ranks) {
  CommonOptions common;
  common.device = options.device;
  common.threads = options.threads;
  const Device device = common.resolved_device(ranks);
  return {.device = device,
          .ranks = ranks.size(),
          .threads = common.resolved_threads(ranks),
          .memory_bytes = memory_of_rank(device, ranks)};
}

Record record_of(Level level, const suite::Machine& machine) {
  Record record{.level = level,
                .device = to_string(machine.device),
                .ranks = machine.ranks,
                .threads = machine.threads,
                .steps = {}};
  for (suite::Step& step : suite::plan(level, machine)) {
    record.steps.push_back({.step = std::move(step)});
  }
  return record;
}

void print_plan(const Record& record) {
  print_out("suite {}: {} steps in about {}, on {}, {} rank{}\n",
            suite::level_names.to_string(record.level), record.steps.size(),
            format_seconds(suite::time_limit(record.level)), record.device, record.ranks,
            record.ranks == 1 ? "" : "s");
  Table table({"step", "command"});
  for (const RecordedStep& recorded : record.steps) {
    table.add_row({recorded.step.name, command_line_of(recorded.step.arguments)});
  }
  print_out("{}\n", table.text());
}

/// Whether a measurement tells something of the whole run, not of a part of it.
bool is_headline(const Measurement& measurement) {
  static const std::set<std::string> operations{"read", "write", "copy", "triad"};
  for (const Figure& parameter : measurement.parameters) {
    const std::string text = recorded::text_of(parameter);
    if (parameter.name == "step" || (parameter.name == "part" && text != "step") ||
        (parameter.name == "operation" && !operations.contains(text))) {
      return false;
    }
  }
  return measurement.flops_per_second().has_value() || measurement.bytes_per_second().has_value();
}

std::string shown(std::optional<double> value, double factor, int digits) {
  return value ? fmt::format("{:.{}f}", *value * factor, digits) : "-";
}

void add_rows(const recorded::RecordedRun& run, Table& table) {
  for (const Measurement& m : run.result.measurements) {
    if (is_headline(m)) {
      table.add_row({run.result.workload, m.name, shown(m.flops_per_second(), 1e-9, 2),
                     shown(m.bytes_per_second(), 1e-9, 1), shown(m.percent_of_bankfull(), 1.0, 1),
                     m.quietness.noisy() ? "noisy" : "quiet",
                     verdict_names.to_string(run.result.verdict())});
    }
  }
}

void print_figures(const Record& record, const fs::path& folder) {
  Table table({"workload", "measurement", "GFLOPS", "GB/s", "% of bankfull", "timing", "verdict"});
  for (const RecordedStep& recorded : record.steps) {
    const fs::path file = suite::result_of(folder, recorded.step);
    if (recorded.state == State::done && fs::exists(file)) {
      add_rows(recorded::read_run(file), table);
    }
  }
  print_out("{}\n", table.text());
}

void print_lines(const Record& record) {
  for (const RecordedStep& recorded : record.steps) {
    print_out("RESULT suite step={} state={} exit_code={} run_seconds={:.3f}\n", recorded.step.name,
              result_value(suite::state_names.to_string(recorded.state)),
              static_cast<int>(recorded.code), recorded.seconds);
  }
}

suite::Listener told_on_stderr(const Record& record, const SuiteOptions& options,
                               const Communicator& ranks) {
  const auto place = [&record](const RecordedStep& recorded) {
    return fmt::format("{} of {}: {}", &recorded - record.steps.data() + 1, record.steps.size(),
                       recorded.step.name);
  };
  return {.begins =
              [place, &options, &ranks](const RecordedStep& recorded) {
                if (!options.quiet) {
                  tell(ranks, place(recorded) + ", " + recorded.step.purpose);
                }
              },
          .ended =
              [place, &options, &ranks](const RecordedStep& recorded) {
                const std::string why = recorded.message.empty() ? "" : ": " + recorded.message;
                if (!options.quiet || recorded.state != State::done) {
                  tell(ranks, fmt::format("{} {} after {}{}", place(recorded),
                                          suite::state_names.to_string(recorded.state),
                                          format_seconds(recorded.seconds), why));
                }
              }};
}

void say_what_is_left(const Record& record, const Communicator& ranks) {
  const auto left = std::ranges::count(record.steps, State::left_out, &RecordedStep::state);
  if (left > 0) {
    tell(ranks, fmt::format("time was up before {} of {} steps: the same command does them now",
                            left, record.steps.size()));
  }
}

fs::path folder_of(const SuiteOptions& options) {
  return options.output.empty() ? fs::path("suite-" + suite::level_names.to_string(options.level()))
                                : fs::path(options.output);
}

void print_end(const Record& record, const fs::path& folder, const SuiteOptions& options,
               const Communicator& ranks) {
  if (!options.quiet) {
    print_figures(record, folder);
    const bool has_report = !suite::results_of(record, folder).empty();
    print_out("  results: {}{}\n\n", folder.string(), has_report ? ", with report.html" : "");
  }
  print_lines(record);
  say_what_is_left(record, ranks);
}

/// Collective: the code of the suite, or that it has no report.
ExitCode with_report(ExitCode code, const Record& record, const fs::path& folder,
                     const Communicator& ranks) {
  const StepOutcome outcome = suite::write_report(record, folder, ranks);
  if (outcome.code == ExitCode::ok) {
    return code;
  }
  tell(ranks, "there is no report of the suite: " + outcome.message);
  return code == ExitCode::ok ? ExitCode::runtime_failure : code;
}

ExitCode run_suite(const SuiteOptions& options, const Communicator& ranks) {
  const suite::Machine machine = machine_of(options, ranks);
  Record record = record_of(options.level(), machine);
  if (!options.quiet || options.dry_run) {
    print_plan(record);
  }
  if (options.dry_run) {
    return ExitCode::ok;
  }
  const fs::path folder = folder_of(options);
  std::optional<FolderLock> lock;
  std::optional<Record> earlier;
  ranks.on_root([&] {
    lock.emplace(folder);
    earlier = options.overwrite ? std::nullopt : suite::earlier_record(folder, record);
  });
  record = suite::shared(earlier.value_or(record), ranks);
  const ExitCode of_steps = suite::run(record, folder, suite::time_limit(record.level), ranks,
                                       told_on_stderr(record, options, ranks));
  const ExitCode code = with_report(of_steps, record, folder, ranks);
  ranks.on_root([&] { print_end(record, folder, options, ranks); });
  return code;
}

}  // namespace

void add_suite_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<SuiteOptions>();
  CLI::App* command =
      program.add_subcommand("suite", "All workloads in a fixed time, with a folder of results");
  command->footer(
      "Examples:\n"
      "  bankfull suite --quick                       3 minutes, into suite-quick/\n"
      "  bankfull suite --standard --output node-17   15 minutes\n"
      "  bankfull suite --standard --output node-17   again: does what is left\n"
      "  mpirun -n 4 bankfull suite --quick           on all GPUs of a node\n\n"
      "The folder has the results of all steps, suite.json and report.html, a page of them.\n"
      "Exit codes: 3 if a verification failed, 1 if a step failed otherwise, 5 if a signal ended "
      "it; else 0.");
  add_device_options(*command, options->device, options->threads);
  CLI::Option* quick = with_environment(
      command->add_flag("--quick", options->quick, "at most about 3 minutes (default)"));
  CLI::Option* standard = with_environment(
      command->add_flag("--standard", options->standard, "at most about 15 minutes"));
  CLI::Option* full =
      with_environment(command->add_flag("--full", options->full, "at most about an hour"));
  quick->excludes(standard)->excludes(full);
  standard->excludes(full);
  with_environment(command->add_option("--output", options->output,
                                       "folder of the results (default: suite-quick and so on)"))
      ->type_name("DIR");
  with_environment(command->add_flag("--overwrite", options->overwrite,
                                     "begin anew, whatever is in the folder"));
  with_environment(command->add_flag("--dry-run", options->dry_run, "show the plan, then stop"));
  with_environment(command->add_flag("--quiet", options->quiet, "no progress, only result lines"));
  command->callback([&action, &ranks, options] {
    action = [&ranks, options] { return run_suite(*options, ranks); };
  });
}

}  // namespace bankfull
