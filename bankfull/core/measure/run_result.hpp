#pragma once

#include "bankfull/core/measure/statistics.hpp"
#include "bankfull/core/measure/traffic.hpp"

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

/// A rate the memory system was measured to sustain in this process.
struct Ceiling {
  std::string name;               ///< "13 read : 1 write, fp32, streaming stores"
  double bytes_per_second = 0.0;  ///< best of the repeats
  double working_set_bytes = 0.0;
  Statistics seconds;  ///< per pass
  bool brief = false;  ///< of one pass on a smaller working set: percentages of it are rough
};

/// One timed piece of work.
struct Measurement {
  std::string name;
  std::vector<Figure> parameters;
  Statistics seconds;  ///< per repeat
  Traffic traffic;     ///< per repeat, by the stated model
  std::string traffic_model;
  std::optional<Ceiling> ceiling;
  std::vector<Figure> figures;     ///< derived: GFLOPS, score, ...
  std::vector<std::string> notes;  ///< what a reader of the figures must know
  bool fits_cache = false;         ///< the working set fits a cache, so this is no memory figure

  [[nodiscard]] double bytes_per_second() const;
  [[nodiscard]] double flops_per_second() const;

  /// Percent of bankfull: the stated bytes per median second over the ceiling. Empty without one.
  [[nodiscard]] std::optional<double> percent_of_bankfull() const;

  /// Whether its ceiling was measured briefly.
  [[nodiscard]] bool has_brief_ceiling() const { return ceiling && ceiling->brief; }
};

/// Points (x, y) of one curve, such as bandwidth over working set.
struct Series {
  std::string name;
  std::string x_name;
  std::string x_unit;
  std::string y_name;
  std::string y_unit;
  std::vector<std::pair<double, double>> points;
  std::vector<Figure> parameters;
};

/// A comparison with an independent reference.
struct Check {
  std::string name;
  double value = 0.0;
  double reference = 0.0;
  double tolerance = 0.0;  ///< largest |value - reference| / |reference|, or absolute where
                           ///< reference is 0
  std::string source;      ///< where the reference comes from

  [[nodiscard]] double deviation() const;
  [[nodiscard]] bool passed() const;  ///< false for NaN
};

/// Everything one run of a workload found. Reporters render it; nothing else prints.
struct RunResult {
  std::string workload;
  std::vector<Figure> problem;
  std::vector<Measurement> measurements;
  std::vector<Series> series;
  std::vector<Check> checks;
  std::vector<std::string> notes;

  [[nodiscard]] bool verified() const;  ///< every check passed; true without checks
};

}  // namespace bankfull
