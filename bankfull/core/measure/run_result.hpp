#pragma once

#include "bankfull/core/measure/cache.hpp"
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

/// A named value with its unit ("" for none): a problem parameter, a machine fact, a figure.
struct Figure {
  std::string name;
  std::variant<bool, std::int64_t, double, std::string> value;
  std::string unit = {};
};

/// A rate that the memory system was measured to sustain; on several ranks, all at once.
struct Ceiling {
  std::string name = {};           ///< "13 read : 1 write, fp32, streaming stores"; of ranks, the
                                   ///< way of the slowest
  double bytes_per_second = 0.0;   ///< best of all passes, of all ranks together
  double working_set_bytes = 0.0;  ///< of all ranks
  Statistics seconds = {};         ///< per pass, of the best measurement and its slowest rank
  std::vector<double> rates = {};  ///< B/s, of each time it was measured in the run
  std::string key = {};            ///< mix and precision: "13 read : 1 write, fp32"
  std::string source = {};         ///< the file it was read from; empty: measured in the run

  /// (max - min) / max of its rates.
  [[nodiscard]] double drift() const;
};

/// One timed piece of work.
struct Measurement {
  std::string name;
  std::vector<Figure> parameters;
  Statistics seconds;  ///< per repeat
  Work work;           ///< per repeat, of all ranks
  std::optional<Ceiling> ceiling;
  std::vector<Figure> figures;        ///< derived: GFLOPS, score, ...
  std::vector<std::string> notes;     ///< what a reader of the figures must know
  CacheFit cache = CacheFit::beyond;  ///< beyond: rates and percentage are those of memory
  Quietness quietness = {};

  /// Per median second; empty where none are stated.
  [[nodiscard]] std::optional<double> bytes_per_second() const;
  [[nodiscard]] std::optional<double> flops_per_second() const;

  /// Of its repeats, as a share; empty of a single one, and where they differ in work.
  [[nodiscard]] std::optional<double> spread() const;

  /// Percent of bankfull: the stated bytes per median second over the ceiling. Empty without
  /// either.
  [[nodiscard]] std::optional<double> percent_of_bankfull() const;
};

/// Points (x, y) of one curve, such as bandwidth over working set.
struct Series {
  std::string name;
  std::string x_name;
  std::string x_unit;
  std::string y_name;
  std::string y_unit;
  std::vector<std::pair<double, double>> points = {};
  std::vector<Figure> parameters = {};
};

/// A comparison with an independent reference.
struct Check {
  std::string name;
  double value = 0.0;
  double reference = 0.0;
  double tolerance = 0.0;   ///< largest |value - reference| / |reference|, or absolute where
                            ///< reference is 0
  std::string source = {};  ///< where the reference comes from

  [[nodiscard]] double deviation() const;
  [[nodiscard]] bool passed() const;  ///< false for NaN
};

bool all_passed(const std::vector<Check>& checks);

/// What a run's answers are worth.
enum class Verdict {
  none,            ///< nothing was checked
  verified,        ///< every check passed
  under_resolved,  ///< likewise, but the grid is too coarse for what happened on it
  failed,
};

/// Everything one run of a workload found. Reporters render it; nothing else prints.
struct RunResult {
  std::string workload;
  std::vector<Figure> problem;
  std::vector<Measurement> measurements = {};
  std::vector<Series> series = {};
  std::vector<Check> checks = {};
  std::vector<Check> resolution = {};  ///< of the grid, where the workload can tell
  std::vector<std::string> notes = {};
  std::any attachment = {};   ///< what the workload's own reports are made from
  std::string ended_by = {};  ///< the signal that ended the run early; empty: it is complete

  [[nodiscard]] bool verified() const;  ///< every check passed; true without checks
  [[nodiscard]] bool resolved() const;  ///< the same of the resolution
  [[nodiscard]] Verdict verdict() const;
  [[nodiscard]] bool noisy() const;  ///< any measurement is
  [[nodiscard]] bool complete() const { return ended_by.empty(); }

  /// The attachment, which must be of this type.
  template <class T>
  [[nodiscard]] const T& attached() const {
    return std::any_cast<const T&>(attachment);
  }
};

}  // namespace bankfull
