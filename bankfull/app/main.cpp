#include "bankfull/app/options.hpp"
#include "bankfull/app/version.hpp"
#include "bankfull/core/base/error.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

namespace {

using bankfull::ExitCode;

constexpr const char* footer = R"(Examples:
  bankfull info                                what machine this is
  bankfull probe all                           bandwidth and latency of its memory
  bankfull himeno --size M                     the Himeno benchmark, verified
  bankfull himeno --size XL --schedule all --json out.json
  BANKFULL_DEVICE=cpu bankfull himeno          every option has a twin in the environment

Exit codes: 0 ok, 1 the machine failed, 2 bad usage or input, 3 verification failed,
4 below a threshold.)";

int fail(ExitCode code, const std::string& message) {
  std::fprintf(stderr, "bankfull: %s\n", message.c_str());
  return static_cast<int>(code);
}

/// CLI11 adds advice on further lines; ours is one line.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

int run(int argc, char** argv) {
  CLI::App program(
      "Runs memory-bandwidth-bound workloads of computational fluid dynamics, verifies "
      "them, and tells how\nclose to the measured memory ceiling they ran.",
      "bankfull");
  program.footer(footer);
  program.set_version_flag("--version", bankfull::version_text());
  program.require_subcommand(0, 1);
  bankfull::Action action;
  bankfull::add_info_command(program, action);
  bankfull::add_list_command(program, action);
  bankfull::add_probe_command(program, action);
  bankfull::add_himeno_command(program, action);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& request) {
    const int code = program.exit(request);
    return std::fflush(stdout) == 0
               ? code
               : fail(ExitCode::runtime_failure, "cannot write to standard output");
  } catch (const CLI::ParseError& error) {
    return fail(ExitCode::usage, first_line(error.what()) + "; see bankfull --help");
  }
  if (!action) {
    return fail(ExitCode::usage, "no subcommand given; see bankfull --help");
  }
  const ExitCode code = action();
  if (std::fflush(stdout) != 0) {
    return fail(ExitCode::runtime_failure, "cannot write to standard output");
  }
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    bankfull::remember_command_line(argc, argv);
    return run(argc, argv);
  } catch (const bankfull::UsageError& error) {
    return fail(ExitCode::usage, error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::runtime_failure, "out of memory");
  } catch (const std::exception& error) {
    return fail(ExitCode::runtime_failure, error.what());
  }
}
