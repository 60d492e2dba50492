#pragma once

#include "bankfull/core/base/figure.hpp"
#include "bankfull/core/measure/cache.hpp"
#include "bankfull/core/measure/energy_use.hpp"
#include "bankfull/core/measure/machine_state.hpp"
#include "bankfull/core/measure/quietness.hpp"
#include "bankfull/core/measure/statistics.hpp"
#include "bankfull/core/measure/work.hpp"

#include <any>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace bankfull {

/// A rate that the memory system sustained; on several ranks, all at the same time.
struct Ceiling {
  std::string name = {};           ///< "13 read : 1 write, fp32, streaming stores"; of several
                                   ///< ranks, the variant of the slowest
  double bytes_per_second = 0.0;   ///< best of all passes, summed over the ranks
  double working_set_bytes = 0.0;  ///< of all ranks
  Statistics seconds = {};         ///< per pass, in the best measurement, on its slowest rank
  std::vector<double> rates = {};  ///< B/s of each measurement in the run
  std::string key = {};            ///< mix and precision: "13 read : 1 write, fp32"
  std::string source = {};         ///< the file it was read from; empty if measured in the run

  /// (max - min) / max of its rates.
  [[nodiscard]] double drift() const;
};

/// One timed piece of work.
struct Measurement {
  std::string name;                   ///< "npb cg C"
  std::vector<Figure> parameters;     ///< that the problem of the run does not state
  Statistics seconds;                 ///< per repeat
  Work work;                          ///< per repeat, summed over the ranks
  std::optional<Ceiling> ceiling;     ///< that bounds it; empty if none does or none is known
  std::vector<Figure> figures;        ///< derived: GFLOPS, score, ...
  std::vector<std::string> notes;     ///< caveats for readers of the figures
  CacheFit cache = CacheFit::beyond;  ///< only if `beyond` do rates and percentage describe memory
  Quietness quietness = {};           ///< how much it was disturbed
  std::optional<EnergyUse> energy = {};  ///< if counters were read around its repeats

  /// For which share of that time its GPUs were throttled, for each reason that they count; empty
  /// optional: they count none.
  std::optional<std::vector<ThrottledShare>> throttled = {};

  /// Divided by the median time; empty if none are stated.
  [[nodiscard]] std::optional<double> bytes_per_second() const;

  /// The same for the flops.
  [[nodiscard]] std::optional<double> flops_per_second() const;

  /// The spread of the repeats, as a fraction; empty for a single one, or if they differ in work.
  [[nodiscard]] std::optional<double> spread() const;

  /// Percent of bankfull: the stated bytes per median second divided by the ceiling. Empty if
  /// either is missing.
  [[nodiscard]] std::optional<double> percent_of_bankfull() const;

  // At the mean power while the repeats were timed; empty if that is not known (see EnergyUse).
  [[nodiscard]] std::optional<double> joules() const;  ///< of one repeat, at the median time
  [[nodiscard]] std::optional<double> watts() const;   ///< that mean power, of all ranks' devices
  /// Empty without stated flops, too.
  [[nodiscard]] std::optional<double> flops_per_joule() const;
};

/// Points (x, y) of one curve, such as bandwidth over working set.
struct Series {
  std::string name;                                    ///< for people
  std::string x_name;                                  ///< as a key: "message_size"
  std::string x_unit;                                  ///< "B"; empty for none
  std::string y_name;                                  ///< as a key: "bandwidth"
  std::string y_unit;                                  ///< "B/s"; empty for none
  std::vector<std::pair<double, double>> points = {};  ///< in these units
  std::vector<Figure> parameters = {};                 ///< that all points have in common
};

/// Something that a run spent time on, while its user waited.
struct Phase {
  std::string name;      ///< for people, such as "timed sets"
  double seconds = 0.0;  ///< by the wall clock, on the slowest rank
};

/// A comparison with an independent reference.
struct Check {
  std::string name;         ///< what is compared, for people
  double value = 0.0;       ///< of the run
  double reference = 0.0;   ///< what it should be
  double tolerance = 0.0;   ///< largest |value - reference| / |reference|, or absolute if the
                            ///< reference is 0
  std::string source = {};  ///< where the reference comes from

  /// |value - reference| / |reference|, or |value - reference| if the reference is 0.
  [[nodiscard]] double deviation() const;
  [[nodiscard]] bool passed() const;  ///< false for NaN
};

/// True if there are none.
bool all_passed(const std::vector<Check>& checks);

/// Whether the results of a run can be trusted.
enum class Verdict {
  none,            ///< nothing was checked
  verified,        ///< every check passed
  under_resolved,  ///< likewise, but the grid was too coarse for the flow
  failed,
};

/// The complete result of one run of a workload. Reporters render it; nothing else prints.
struct RunResult {
  std::string workload;                        ///< its name: "himeno"
  std::vector<Figure> problem;                 ///< sizes and choices that describe the whole run
  std::vector<Measurement> measurements = {};  ///< in the order of the report
  std::vector<Series> series = {};             ///< if the workload has curves
  std::vector<Check> checks = {};              ///< of its results against references
  std::vector<Check> resolution = {};          ///< of the grid, if the workload can judge it
  std::vector<std::string> notes = {};         ///< caveats for readers of the whole result
  std::any attachment = {};                    ///< data for the workload's own reports
  std::string ended_by = {};       ///< the signal that ended the run early; empty if complete
  MachineState machine = {};       ///< around the run; empty if nobody watched
  std::vector<Phase> phases = {};  ///< in their order; empty if the workload does not tell

  [[nodiscard]] bool verified() const;  ///< every check passed; true without checks
  [[nodiscard]] bool resolved() const;  ///< the same for the resolution
  /// Verdict::none without checks, whatever the resolution.
  [[nodiscard]] Verdict verdict() const;
  [[nodiscard]] bool noisy() const;  ///< if any measurement is
  /// Whether the run was not ended early.
  [[nodiscard]] bool complete() const { return ended_by.empty(); }

  /// What slowed the devices while this was measured: "power-capped"; see MachineState.
  [[nodiscard]] std::vector<std::string> limits_of(const Measurement& measurement) const;

  /// The attachment, which must be of this type.
  template <class T>
  [[nodiscard]] const T& attached() const {
    return std::any_cast<const T&>(attachment);
  }
};

}  // namespace bankfull
