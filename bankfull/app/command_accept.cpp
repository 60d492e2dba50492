#include "bankfull/app/accept/acceptance_json.hpp"
#include "bankfull/app/accept/gauges.hpp"
#include "bankfull/app/folder_lock.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/result_lines.hpp"
#include "bankfull/app/step.hpp"
#include "bankfull/app/table.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>

namespace bankfull {
namespace {

namespace fs = std::filesystem;
using accept::Acceptance;
using accept::DeviceReport;
using accept::Finding;
using accept::Judgement;

struct AcceptOptions {
  std::string device = "auto";
  int threads = 0;
  std::string baseline;
  std::string output = "acceptance";
  bool each = false;
  int rounds = 1;
  bool dry_run = false;
  bool quiet = false;
};

std::string percent_of(std::optional<double> ratio) {
  return ratio ? fmt::format("{:.1f} %", 100.0 * *ratio) : "-";
}

void print_devices(const Acceptance& acceptance) {
  Table table({"device", "when", "gauge", "rate", "of the baseline", "of the others", "finding"});
  for (const DeviceReport& report : acceptance.devices) {
    for (const Judgement& judgement : report.judgements) {
      table.add_row({report.name.text(), accept::phase_names.to_string(report.phase),
                     judgement.gauge, fmt::format("{:.4g} {}", judgement.rate, judgement.unit),
                     percent_of(judgement.of_baseline), percent_of(judgement.of_others),
                     accept::finding_names.to_string(judgement.finding)});
    }
  }
  print_out("{}\n", table.text());
}

void print_together(const Acceptance& acceptance) {
  if (acceptance.together.empty()) {
    return;
  }
  Table table({"together", "rate", "of links like it"});
  for (const accept::JointRun& run : acceptance.together) {
    table.add_row(
        {run.gauge, fmt::format("{:.4g} {}", run.rate, run.unit), percent_of(run.of_others)});
  }
  print_out("{}\n", table.text());
}

std::string unit_key(const std::string& unit) {
  return unit == "GB/s" ? "gbs" : unit == "GFLOPS" ? "gflops" : "gops";
}

void print_lines(const Acceptance& acceptance) {
  const auto ratio = [](const char* key, std::optional<double> value) {
    return value ? fmt::format(" {}={:.4f}", key, *value) : "";
  };
  for (const DeviceReport& report : acceptance.devices) {
    for (const Judgement& judgement : report.judgements) {
      const std::string unit = unit_key(judgement.unit);
      print_out(
          "RESULT accept host={} device={} model={} board={} phase={} gauge={} {}={:.6g}{}{} "
          "finding={}\n",
          report.name.host, report.name.device, result_value(report.name.model),
          result_value(report.name.board),
          result_value(accept::phase_names.to_string(report.phase)), result_value(judgement.gauge),
          unit, judgement.rate, ratio("of_baseline", judgement.of_baseline),
          ratio("of_others", judgement.of_others),
          accept::finding_names.to_string(judgement.finding));
    }
  }
  print_out("RESULT accept verdict={}\n", result_value(accept::verdict_text(acceptance)));
}

/// One line for each device that is not as it should be.
void tell_defects(const Acceptance& acceptance, const Communicator& ranks) {
  for (const DeviceReport& report : acceptance.devices) {
    const std::string who =
        fmt::format("{} ({}, {})", report.name.text(), report.name.model, report.name.board);
    if (!report.message.empty()) {
      tell(ranks, fmt::format("{}: {}", who, report.message));
    }
    if (report.was_in_use()) {
      tell(ranks, fmt::format("{}: others kept it busy {:.0f} % of the time before the first run",
                              who, 100.0 * report.use_before));
    }
    for (const Judgement& judgement : report.judgements) {
      if (judgement.finding == Finding::slow || judgement.finding == Finding::disturbed) {
        tell(ranks,
             fmt::format("{}, {}: {} {}: {}", who, accept::phase_names.to_string(report.phase),
                         judgement.gauge, accept::finding_names.to_string(judgement.finding),
                         judgement.reason));
      }
    }
  }
}

void tell_baseline(const Acceptance& acceptance, const AcceptOptions& options,
                   const Communicator& ranks) {
  const std::string model = acceptance.devices.front().name.model;
  if (acceptance.baseline.empty()) {
    tell(ranks, fmt::format("there is no baseline for {}: devices are compared with each other "
                            "only; make one with bankfull baseline make {}",
                            model.empty() ? "this device" : model, options.output));
  }
}

accept::Order order_of(const AcceptOptions& options, const Communicator& ranks) {
  CommonOptions common;
  common.device = options.device;
  common.threads = options.threads;
  accept::Order order{.device = common.resolved_device(ranks),
                      .threads = common.resolved_threads(ranks),
                      .each = options.each,
                      .folder = options.output,
                      .rounds = options.rounds};
  ranks.agree([&] {
    if (!options.baseline.empty()) {
      order.baseline = accept::read_baseline(options.baseline);
    }
  });
  return order;
}

void print_plan(const accept::Order& order, const Communicator& ranks) {
  print_out("accept {} device{}, the first {}; each does\n", ranks.size(),
            ranks.size() == 1 ? "" : "s", to_string(order.device));
  for (const accept::Gauge& gauge : accept::gauges_of(order.device, order.threads)) {
    print_out("  {}\n", command_line_of(gauge.arguments));
  }
  print_out("\n");
}

ExitCode run_accept(const AcceptOptions& options, const Communicator& ranks) {
  const accept::Order order = order_of(options, ranks);
  if (!options.quiet || options.dry_run) {
    print_plan(order, ranks);
  }
  if (options.dry_run) {
    return ExitCode::ok;
  }
  std::optional<FolderLock> lock;
  ranks.on_root([&] { lock.emplace(order.folder); });
  const Acceptance acceptance = accept::accept(order, ranks, [&](const std::string& what) {
    if (!options.quiet) {
      tell(ranks, what);
    }
  });
  if (ranks.is_root()) {
    StagedFile(order.folder / "acceptance.json", accept::to_json(acceptance)).replace();
    if (!options.quiet) {
      print_devices(acceptance);
      print_together(acceptance);
      print_out("  results: {}\n\n", order.folder.string());
    }
    print_lines(acceptance);
    tell_baseline(acceptance, options, ranks);
    tell_defects(acceptance, ranks);
  }
  return acceptance.code;
}

}  // namespace

void add_accept_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<AcceptOptions>();
  CLI::App* command = program.add_subcommand(
      "accept", "Whether each device is as fast as others of its model, and as it was");
  command->footer(
      "Examples:\n"
      "  bankfull accept                          the first GPU, or the processor\n"
      "  mpirun -n 4 bankfull accept              each GPU alone, all at once, then together\n"
      "  srun -N 64 --ntasks-per-node=4 bankfull accept --each    all alone at the same time\n"
      "  bankfull accept --baseline node-17.json  by a baseline of your own\n\n"
      "A device that misses is measured twice more before that counts.\n"
      "Exit codes: 0 all are, or there is no baseline; 4 some are not; 3 a verification failed.");
  add_device_options(*command, options->device, options->threads);
  with_environment(
      command->add_option(
          "--baseline", options->baseline,
          "a file made by bankfull baseline make (default: the one that comes with the program)"))
      ->type_name("FILE");
  with_environment(command->add_flag("--each", options->each,
                                     "only all devices at the same time, each on its own problem"));
  with_environment(
      command->add_option("--output", options->output, "folder of the results of all runs"))
      ->type_name("DIR")
      ->capture_default_str();
  add_number(*command, "--rounds", options->rounds, "rounds of measurements",
             {.least = 1, .most = 1000})
      ->capture_default_str();
  with_environment(command->add_flag("--dry-run", options->dry_run, "show the plan, then stop"));
  with_environment(command->add_flag("--quiet", options->quiet, "no progress, only result lines"));
  command->callback([&action, &ranks, options] {
    action = [&ranks, options] { return run_accept(*options, ranks); };
  });
}

}  // namespace bankfull
