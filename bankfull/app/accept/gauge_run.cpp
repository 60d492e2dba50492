#include "bankfull/app/accept/gauge_run.hpp"

#include "bankfull/app/step.hpp"

namespace bankfull::accept {

GaugeRun run_command_of(const Gauge& gauge, const std::filesystem::path& json) {
  std::vector<std::string> arguments = gauge.arguments;
  arguments.insert(arguments.end(), {"--json", json.string(), "--quiet"});
  const auto self = make_self_communicator();
  const StepOutcome outcome = run_step(arguments, *self, json.parent_path() / "log.txt");
  if (outcome.code != ExitCode::ok) {
    return {.code = outcome.code,
            .message = outcome.message.empty() ? command_line_of(gauge.arguments) + " failed"
                                               : outcome.message};
  }
  const recorded::RecordedRun run = recorded::read_run(json);
  return {.name = device_of(run), .readings = readings_of(run)};
}

}  // namespace bankfull::accept
