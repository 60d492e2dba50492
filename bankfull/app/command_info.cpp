#include "bankfull/app/invocation.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/report.hpp"
#include "bankfull/app/version.hpp"
#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/comm/launch_advice.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/comm/thread_placement.hpp"
#include "bankfull/core/machine/processors.hpp"
#include "bankfull/core/measure/context.hpp"
#include "bankfull/core/measure/run_result_json.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

namespace bankfull {

std::string version_text() {
  std::string text = fmt::format("bankfull {}\n", build_facts().version);
  const std::vector<FactGroup> groups = context_facts();
  for (const Figure& fact : groups.back().facts) {
    text += fmt::format("  {:<14} {}\n", fact.name, display(fact));
  }
  text.pop_back();
  return text;
}

namespace {

/// A rank on each NUMA node has all of its memory close by.
void print_advice(const RankSurvey& ranks) {
  const std::vector<int>& processors = process_processors();
  const int nodes = numa_node_count(SystemFiles(), processors);
  if (ranks.ranks_per_node >= nodes) {
    return;
  }
  const int cores = core_count(in_order_of_caches(SystemFiles(), processors));
  const std::string command = command_for_nodes(nodes, cores, ranks.mpi_library);
  if (!command.empty()) {
    print_out("For work on this node's processors, start one rank per NUMA node:\n  {}\n", command);
  }
}

void print_facts(const RankSurvey& ranks) {
  std::vector<FactGroup> groups = context_facts();
  groups.push_back(rank_facts(ranks));
  for (const FactGroup& group : groups) {
    print_out("{}\n", group.title);
    for (const Figure& fact : group.facts) {
      print_out("  {:<20} {}\n", fact.name, display(fact));
    }
  }
}

/// `file` may be empty, or "-": then standard output, from which other programs read.
void write_json(const std::string& file, const RankSurvey& survey, const Communicator& ranks) {
  const std::string json = context_to_json(invocation(), survey);
  const bool to_output = file.empty() || file == standard_output;
  ranks.on_root([&] { to_output ? write_document(json) : OutputFile(file).commit(json); });
}

}  // namespace

void add_info_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto file = std::make_shared<std::string>();
  CLI::App* command =
      program.add_subcommand("info", "The machine and this program, as results record them");
  command->footer(
      "Examples:\n"
      "  bankfull info --json                     on standard output, for other programs\n"
      "  bankfull info --json machine.json");
  CLI::Option* json = with_environment(
      command
          ->add_option("--json", *file,
                       "as JSON, into FILE, or to standard output without FILE or for -")
          ->type_name("FILE")
          ->expected(0, 1));
  command->callback([&action, &ranks, file, json] {
    action = [&ranks, file, json] {
      RankSurvey survey = survey_ranks(ranks);
      survey.thread_binding =
          place_threads(ranks, {.threads = survey.default_threads}).description();
      if (json->count() > 0) {
        write_json(*file, survey, ranks);
      } else {
        print_facts(survey);
        print_advice(survey);
      }
      return ExitCode::ok;
    };
  });
}

}  // namespace bankfull
