#include "bankfull/app/command_parser.hpp"
#include "bankfull/app/commands.hpp"
#include "bankfull/app/console.hpp"
#include "bankfull/app/invocation.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/version.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/run_on_ranks.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <malloc.h>
#include <string>
#include <vector>

namespace {

using bankfull::ExitCode;

constexpr const char* footer = R"(Examples:
  bankfull info                                what machine this is
  bankfull probe all                           bandwidth and latency of its memory
  bankfull himeno --size M                     the Himeno benchmark, verified
  bankfull himeno --size XL --schedule all --json out.json
  bankfull hpcg --local 128x128x128            the HPCG benchmark, by the official rules
  bankfull npb cg --class B                    a kernel of the NAS Parallel Benchmarks
  bankfull convect rayleigh-benard-2d          thermal convection, with pictures
  bankfull compare before.json after.json      two recorded runs: did anything get slower?
  bankfull history runs/                       the course of many, with steps marked
  mpirun -n 4 bankfull himeno --size L         the same on four ranks
  bankfull report results --output report.html one page of all results in a folder
  BANKFULL_DEVICE=cpu bankfull himeno          every option has an environment variable

Exit codes: 0 ok, 1 the machine failed, 2 bad usage or input, 3 verification failed,
4 beyond a threshold, 5 ended early by a signal.)";

/// The code of a command that has come to its end: output that could not be delivered must not pass
/// for success.
ExitCode code_of_end(ExitCode code) {
  if (!bankfull::all_was_written()) {
    const char* const failure = "cannot write to standard output: some of it is lost";
    if (code == ExitCode::ok) {
      throw bankfull::RuntimeFailure(failure);
    }
    bankfull::write_error(failure);
  }
  return code;
}

/// All ranks run the same commands; this is the one place that keeps them from all printing, so
/// that no command can forget it.
void silence_unless_root(const bankfull::Communicator& ranks) {
  if (!ranks.is_root() && std::freopen("/dev/null", "w", stdout) == nullptr) {
    throw bankfull::RuntimeFailure("cannot open /dev/null");
  }
}

/// Ranks with other options than the root would wait for each other forever. What wrapper scripts
/// choose for each rank, its device and its threads, may differ.
void require_same_options(const bankfull::Communicator& ranks) {
  const std::string own =
      bankfull::invocation().command_line + '\n' + bankfull::shared_environment();
  const auto all = ranks.all_gather(std::vector<char>(own.begin(), own.end()));
  const auto other = std::find_if(all.begin(), all.end(),
                                  [&](const auto& options) { return options != all.front(); });
  if (other != all.end()) {
    throw bankfull::UsageError(
        "rank " + std::to_string(other - all.begin()) +
            " was started with other options than rank 0",
        "give all ranks the same command line and the same BANKFULL_ variables");
  }
}

ExitCode run(int argc, char** argv, const bankfull::Communicator& ranks) {
  silence_unless_root(ranks);
  require_same_options(ranks);
  CLI::App program(
      "Runs memory-bandwidth-bound workloads of computational fluid dynamics, verifies "
      "them, and reports how\nclose to the measured memory ceiling they ran.",
      "bankfull");
  program.footer(footer);
  // Only when it is asked for: it looks for GPUs, which takes each rank a while.
  program.set_version_flag("--version", [] { return bankfull::version_text(); });
  bankfull::Action action;
  bankfull::add_commands(program, ranks, action);
  try {
    bankfull::parse_command_line(program, argc, argv);
  } catch (const CLI::Success& request) {
    program.exit(request);
    return code_of_end(ExitCode::ok);
  }
  if (!action) {
    throw bankfull::UsageError("no subcommand given", "see bankfull --help");
  }
  bankfull::remember_options(program, argc, argv);
  if (ranks.is_root() && bankfull::wants_json_on_output()) {
    bankfull::keep_output_for_document();
  }
  return code_of_end(action());
}

/// Arrays go back to the system when they are freed. Left to itself the C library keeps some of
/// those of the set-up, more or less by chance, and a run would hold more than its plan says.
void return_freed_arrays() {
  constexpr int bytes = 64 * 1024;
  mallopt(M_MMAP_THRESHOLD, bytes);
}

}  // namespace

int main(int argc, char** argv) {
  bankfull::prepare_console();
  return_freed_arrays();
  bankfull::remember_command_line(argc, argv);
  return bankfull::run_on_ranks(
      [&](const bankfull::Communicator& ranks) { return run(argc, argv, ranks); },
      bankfull::write_error);
}
