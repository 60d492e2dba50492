#include "bankfull/app/choices.hpp"
#include "bankfull/app/created_folders.hpp"
#include "bankfull/app/invocation.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/reproduce/collect.hpp"
#include "bankfull/app/reproduce/print.hpp"
#include "bankfull/app/reproduce/reproduction_json.hpp"
#include "bankfull/app/step.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

namespace bankfull {
namespace {

namespace fs = std::filesystem;

struct ReproduceOptions {
  std::string paper;
  reproduce::Choice choice;
  std::optional<std::string> json;
  std::string output;  ///< empty: reproduce-<paper>
  double progress = 30.0;
  bool list = false;
  bool overwrite = false;
  bool dry_run = false;
  bool quiet = false;
};

ExitCode list_papers(const ReproduceOptions& options) {
  if (!options.paper.empty()) {
    const reproduce::Paper& paper = reproduce::find_paper(options.paper);
    const reproduce::Plan plan = reproduce::make_plan(paper, options.choice, 1);
    const bool all = options.choice.items.empty() && options.choice.words.empty();
    print_out("{}", all ? list_of(paper) : plan_text(plan, {.folder = "-"}, 1));
    return ExitCode::ok;
  }
  const char* separator = "";
  for (const reproduce::Paper& paper : reproduce::papers()) {
    print_out("{}{}", separator, list_of(paper));
    separator = "\n";
  }
  return ExitCode::ok;
}

reproduce::Workplace workplace_of(const ReproduceOptions& options, const Communicator& ranks) {
  const bool quiet = options.quiet;
  return {.folder = options.output.empty() ? "reproduce-" + options.paper : options.output,
          .overwrite = options.overwrite,
          .progress = quiet ? 0.0 : options.progress,
          .say = [quiet, &ranks](std::size_t n, std::size_t count, const reproduce::Step& step) {
            if (!quiet) {
              tell(ranks,
                   fmt::format("step {} of {}: {}", n, count, command_line_of(step.command)));
            }
          }};
}

/// Refuses what costs a run otherwise: a folder or a file that cannot be written.
void prepare(const ReproduceOptions& options, const fs::path& folder, CreatedFolders& created) {
  std::error_code ignored;
  require(!fs::exists(folder, ignored) || fs::is_directory(folder, ignored),
          fmt::format("--output {} is not a folder", folder.string()), "name a folder");
  try {
    created.make(folder);
    static_cast<void>(OutputFile(folder / "steps.log"));
  } catch (const fs::filesystem_error& failure) {
    throw UsageError(fmt::format("--output {}: {}", folder.string(), failure.code().message()),
                     "name a folder that you may write to");
  }
  if (options.json && options.json != standard_output) {
    static_cast<void>(OutputFile(*options.json));
  }
}

void write_json(const std::string& json, const std::optional<std::string>& file) {
  if (file == standard_output) {
    write_document(json);
  } else if (file) {
    OutputFile(*file).commit(json);
  }
}

void publish(const ReproduceOptions& options, const reproduce::Plan& plan,
             const std::vector<reproduce::StepResult>& results, const Communicator& ranks) {
  const RankSurvey survey = survey_ranks(ranks);
  ranks.on_root([&] {
    const std::vector<reproduce::Outcome> outcomes = outcomes_of(plan, results);
    if (!options.quiet) {
      print_out("{}", tables_of(plan, outcomes));
    }
    if (!options.quiet || options.json != standard_output) {
      print_out("{}", reproduction_lines(plan, outcomes));
    }
    if (options.json) {
      write_json(to_json(plan, results, outcomes, invocation(), survey), options.json);
    }
  });
}

/// Collective: what `auto` is on this machine, so that rows of processors and those of any device
/// share their steps where they are the same.
reproduce::Choice on_known_device(reproduce::Choice choice, const Communicator& ranks) {
  const CommonOptions common{.device = choice.device, .json = {}, .max_spread = {}};
  const Device device = common.resolved_device(ranks);
  choice.device_is_given = choice.device != "auto";
  if (!choice.device_is_given) {
    choice.device = device.is_cuda() ? "cuda" : "cpu";
  }
  return choice;
}

ExitCode reproduce_paper(const ReproduceOptions& options, const Communicator& ranks) {
  require(!options.paper.empty(), "no paper is given", "see bankfull reproduce --list");
  const reproduce::Paper& paper = reproduce::find_paper(options.paper);
  const reproduce::Plan plan =
      make_plan(paper, on_known_device(options.choice, ranks), ranks.size());
  const reproduce::Workplace place = workplace_of(options, ranks);
  if (options.dry_run) {
    print_out("{}", plan_text(plan, place, ranks.size()));
    return ExitCode::ok;
  }
  CreatedFolders created;
  if (!plan.steps.empty()) {
    ranks.on_root([&] { prepare(options, place.folder, created); });
  }
  const std::vector<reproduce::StepResult> results = run_steps(plan, place, ranks);
  publish(options, plan, results, ranks);
  const ExitCode code = code_of(results);
  if (code == ExitCode::verification_failed) {
    tell(ranks, "verification failed in a step; rows with verdict failed are not valid");
  } else if (code == ExitCode::runtime_failure) {
    tell(ranks,
         "a step failed; its rows and " + (place.folder / "steps.log").string() + " say why");
  } else if (code == ExitCode::interrupted) {
    tell(ranks, "ended early; the same command continues with the steps that are left");
  }
  return code;
}

std::vector<std::string> paper_keys() {
  std::vector<std::string> keys;
  for (const reproduce::Paper& paper : reproduce::papers()) {
    keys.push_back(paper.key);
  }
  return keys;
}

void add_reproduce_options(CLI::App& command, ReproduceOptions& options) {
  command.add_option("paper", options.paper,
                     "himeno-2010, himeno-2008, hpcg-2014, npb-2020 or boussinesq-2009");
  offer(command, "paper", paper_keys);
  command.add_option("table", options.choice.items,
                     "tables and figures, as --list names them (default: all)");
  with_environment(command.add_flag("--list", options.list,
                                    "list the tables and figures of all papers or of one; with "
                                    "tables, their rows, published values and commands"));
  add_list(command, "--rows", options.choice.words,
           "only rows that have one of these words, such as XS,S");
  with_environment(command.add_flag("--quick", options.choice.quick,
                                    "short runs, few repeats, and no rows that take long"));
  with_environment(command
                       .add_option("--device", options.choice.device,
                                   "auto, cpu, cuda or cuda:N, for rows that name none themselves")
                       ->capture_default_str());
  offer_devices(command);
  add_number(command, "--threads", options.choice.threads,
             "threads of the CPU team, for rows that name none themselves",
             {.least = 1, .most = 1024});
  with_environment(command
                       .add_option("--output", options.output,
                                   "folder of the results of the steps (default: reproduce- and "
                                   "the paper)")
                       ->type_name("DIR"));
  with_environment(command.add_flag("--overwrite", options.overwrite,
                                    "run steps again whose results are in the folder"));
  add_json_option(command, options.json);
  with_environment(command.add_flag("--quiet", options.quiet, "no progress, only result lines"));
  add_number(command, "--progress", options.progress,
             "if standard error is not a terminal, report the progress of steps at this interval; "
             "0: never",
             {.least = 0.0})
      ->type_name("SECONDS")
      ->capture_default_str();
  with_environment(
      command.add_flag("--dry-run", options.dry_run, "show rows and steps, then stop"));
}

}  // namespace

void add_reproduce_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<ReproduceOptions>();
  CLI::App* command = program.add_subcommand(
      "reproduce", "Measures the tables and figures of five papers again, beside their values");
  command->footer(
      "Examples:\n"
      "  bankfull reproduce --list                        the papers, their tables and figures\n"
      "  bankfull reproduce himeno-2010 table-7 figure-4  two of them\n"
      "  bankfull reproduce npb-2020 --quick              all of a paper, short runs\n"
      "  bankfull reproduce hpcg-2014 table-2 --dry-run   what would run\n"
      "  mpirun -n 4 bankfull reproduce himeno-2010 figure-7 --device cuda\n"
      "\n"
      "Each command runs once, its result goes to the folder of --output, and is taken from there\n"
      "if it is there already. What this machine cannot run has its reason in its row.");
  add_reproduce_options(*command, *options);
  command->callback([&action, &ranks, options] {
    action = [&ranks, options] {
      return options->list ? list_papers(*options) : reproduce_paper(*options, ranks);
    };
  });
}

}  // namespace bankfull
