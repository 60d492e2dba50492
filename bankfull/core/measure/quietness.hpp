#pragma once

#include "bankfull/core/comm/communicator.hpp"

#include <string>
#include <vector>

namespace bankfull {

/// How much a measurement was disturbed, as fractions: 0.1 is 10 %.
struct Quietness {
  double spread = 0.0;         ///< of the repeats: (max - min) / median; 0 if they differ in work
  double ceiling_drift = 0.0;  ///< between the measurements of its ceiling: (max - min) / max
  double load_before = 0.0;    ///< runnable tasks per processor in the minute before the run; for
                               ///< information only: they may have been runs of this program
  double foreign_load = 0.0;   ///< processor time that other processes used during the run
  double steal = 0.0;          ///< processor time that the hypervisor withheld
  bool on_cpu = true;          ///< the work ran on processors, so their load counts

  /// The bounds below that are exceeded, each with its figures; empty if the measurement is quiet.
  [[nodiscard]] std::vector<std::string> disturbances() const;
  /// Whether any of these bounds is exceeded.
  [[nodiscard]] bool noisy() const { return !disturbances().empty(); }
};

// A measurement that exceeds one of these is noisy (docs/adr/0014).
inline constexpr double max_quiet_spread = 0.20;        ///< bound of Quietness::spread
inline constexpr double max_quiet_drift = 0.10;         ///< bound of Quietness::ceiling_drift
inline constexpr double max_quiet_foreign_load = 0.10;  ///< bound of Quietness::foreign_load
inline constexpr double max_quiet_steal = 0.05;         ///< bound of Quietness::steal

/// Processor time that Linux has counted since boot, for this node and for this process.
struct ProcessorTimes {
  double capacity_seconds = 0.0;  ///< of all processors
  double busy_seconds = 0.0;      ///< used by any process
  double stolen_seconds = 0.0;    ///< withheld by the hypervisor
  double own_seconds = 0.0;       ///< used by this process

  /// From `text` in the format of /proc/stat; `own_seconds` remains 0.
  static ProcessorTimes parse(const std::string& text, double ticks_per_second);

  /// `foreign_load` and `steal` of an interval with these counts; `own_seconds` may cover
  /// several processes. Both are 0 for less than a second over all processors, because Linux
  /// counts in ticks of 10 ms.
  [[nodiscard]] Quietness load() const;
};

/// Monitors the load of the nodes that a run uses, from its construction on.
class LoadWatch {
 public:
  LoadWatch();

  /// Collective: load and steal so far, averaged over the nodes; spread and drift remain 0. What
  /// cannot be read counts as 0.
  [[nodiscard]] Quietness so_far(const Communicator& ranks) const;

 private:
  double load_before_;
  ProcessorTimes start_;
};

}  // namespace bankfull
