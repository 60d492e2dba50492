#pragma once

#include "bankfull/app/accept/gauges.hpp"
#include "bankfull/app/accept/reading.hpp"
#include "bankfull/core/base/error.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace bankfull::accept {

/// How one run of a gauge ended, and what it read.
struct GaugeRun {
  ExitCode code = ExitCode::ok;
  std::string message = {};  ///< why it failed
  DeviceName name = {};      ///< the device, where it did not fail
  std::vector<Reading> readings = {};
};

/// Runs a gauge once on the device of this rank, without the other ranks. Its result is the file.
using GaugeRunner = std::function<GaugeRun(const Gauge& gauge, const std::filesystem::path& json)>;

/// By the program's own command, in this process; what it prints goes into log.txt beside the file.
GaugeRun run_command_of(const Gauge& gauge, const std::filesystem::path& json);

}  // namespace bankfull::accept
