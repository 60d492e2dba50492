#include "bankfull/app/step.hpp"

#include "bankfull/app/command_parser.hpp"
#include "bankfull/app/commands.hpp"
#include "bankfull/app/console.hpp"
#include "bankfull/app/invocation.hpp"

#include <algorithm>
#include <cctype>
#include <new>
#include <string_view>

namespace bankfull {
namespace {

/// What a step says of how it was called; afterwards what the command says that runs it.
class OwnInvocation {
 public:
  OwnInvocation() : before_(invocation()) {}
  ~OwnInvocation() { restore_invocation(before_); }
  OwnInvocation(const OwnInvocation&) = delete;
  OwnInvocation& operator=(const OwnInvocation&) = delete;

 private:
  Invocation before_;
};

ExitCode run_parsed(const std::vector<const char*>& argv, const Communicator& ranks) {
  CLI::App program("", "bankfull");
  Action action;
  add_commands(program, ranks, action);
  const int argc = static_cast<int>(argv.size());
  parse_command_line(program, argc, argv.data());
  remember_command_line(argc, argv.data());
  remember_options(program, argc, argv.data());
  return action();
}

}  // namespace

StepOutcome run_step(const std::vector<std::string>& arguments, const Communicator& ranks,
                     const std::filesystem::path& log) {
  std::vector<const char*> argv{"bankfull"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  const OwnInvocation own;
  const OutputToFile output(ranks.is_root() ? log : "/dev/null");
  try {
    return {.code = run_parsed(argv, ranks)};
  } catch (const UsageError& error) {
    return {.code = ExitCode::usage, .message = error.what()};
  } catch (const std::bad_alloc&) {
    return {.code = ExitCode::runtime_failure, .message = "out of memory"};
  } catch (const std::exception& error) {
    return {.code = ExitCode::runtime_failure, .message = error.what()};
  }
}

std::string command_line_of(const std::vector<std::string>& arguments) {
  std::string line = "bankfull";
  for (const std::string& argument : arguments) {
    const bool plain = !argument.empty() && std::ranges::all_of(argument, [](char letter) {
      return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
             std::string_view("-_=./:,+").find(letter) != std::string_view::npos;
    });
    line += plain ? " " + argument : " '" + argument + "'";
  }
  return line;
}

}  // namespace bankfull
