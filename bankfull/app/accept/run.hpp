#pragma once

#include "bankfull/app/accept/baseline.hpp"
#include "bankfull/app/accept/device_use.hpp"
#include "bankfull/app/accept/gauge_run.hpp"
#include "bankfull/app/accept/judgement.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/machine/device.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::accept {

/// Who works at the same time.
enum class Phase {
  alone,    ///< one device of each node
  at_once,  ///< all devices, each on its own problem
};

inline constexpr auto phase_names =
    enum_names<Phase>({{Phase::alone, "alone"}, {Phase::at_once, "at once"}});

/// What one device did in one phase, and what is said of it.
struct DeviceReport {
  DeviceName name;
  Phase phase = Phase::alone;
  std::vector<GaugeReadings> readings = {};
  std::vector<Judgement> judgements = {};
  ExitCode code = ExitCode::ok;  ///< the gravest of its runs
  std::string message = {};      ///< why a run failed
  double use_before = 0.0;       ///< by others, before the first run; see use_of

  [[nodiscard]] Finding verdict() const { return verdict_of(judgements); }

  /// An idle GPU's driver reports less.
  [[nodiscard]] bool was_in_use() const { return use_before > 0.1; }
};

/// What all ranks did together.
struct JointRun {
  std::string gauge;
  std::string unit;
  double rate = 0.0;
  std::optional<double> of_others = {};  ///< of a link: by the median of the links like it
};

struct Acceptance {
  std::vector<DeviceReport> devices = {};  ///< phase by phase, in the order of ranks
  std::vector<JointRun> together = {};
  std::string baseline = {};     ///< where it is from; empty: there is none for this model
  ExitCode code = ExitCode::ok;  ///< of runs that failed; below_threshold for devices that did
};

struct Order {
  Device device = Device::cpu();  ///< of this rank
  int threads = 1;
  bool each = false;                      ///< all at once only
  std::optional<Baseline> baseline = {};  ///< instead of the one that comes with the program
  std::filesystem::path folder;           ///< of the results of all runs
  int rounds = 1;                         ///< before a miss is measured again
  GaugeRunner run_gauge = run_command_of;
  std::function<double(Device)> use = use_of;  ///< read before anything runs
};

/// Collective: measures the devices of all ranks; `tell` gets what is being done, on the root. A
/// miss counts only if the median of two more rounds with the first misses, too.
Acceptance accept(const Order& order, const Communicator& world,
                  const std::function<void(const std::string&)>& tell);

}  // namespace bankfull::accept
