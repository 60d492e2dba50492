#pragma once

#include "bankfull/core/base/figure.hpp"

#include <string>
#include <vector>

namespace bankfull {

/// The extremes of a quantity over all readings.
struct ObservedRange {
  std::string name;       ///< that of the figure: "sm_clock"
  double min = 0.0;       ///< smallest reading
  double max = 0.0;       ///< largest reading
  std::string unit = {};  ///< of both; empty for none
};

/// A GPU or a host as it was before, during and after a run.
struct ObservedPart {
  std::string kind = {};                   ///< "gpu" or "host"
  std::string name = {};                   ///< "GPU 0 of host node1", "host node1"
  std::vector<Figure> settings = {};       ///< that a run does not change
  std::vector<Figure> before = {};         ///< state and counters
  std::vector<ObservedRange> during = {};  ///< of before, after, and readings between repeats
  std::vector<Figure> after = {};          ///< as before
  std::vector<Figure> counted = {};        ///< by how much counters advanced
  std::vector<std::string> limits = {};    ///< what slowed it: names of Throttle
  std::vector<std::string> findings = {};  ///< these with their shares of the run, and new errors
  bool is_throttling_known = false;        ///< something would have told
};

/// The state of the machine around a run: each GPU in use and each node, in the order of ranks.
struct MachineState {
  std::vector<ObservedPart> parts = {};  ///< empty if nobody watched

  /// What slowed any part, each once.
  [[nodiscard]] std::vector<std::string> limits() const;

  /// Whether throttling would have been seen on all GPUs in use or, if there are none, all hosts.
  [[nodiscard]] bool is_throttling_known() const;
};

/// "power-capped, thermally throttled"; without limits "not throttled", or "unknown" if nobody
/// would have told.
std::string verdict_on_machine(const std::vector<std::string>& limits, bool is_known);

/// As JSON text in one line: the value of `machine_state` in a result, with the verdict.
std::string machine_to_json(const MachineState& state);

/// The state in such a text. What is missing has its default; text that is no such JSON throws
/// nlohmann's exception.
MachineState machine_from_json(const std::string& text);

}  // namespace bankfull
