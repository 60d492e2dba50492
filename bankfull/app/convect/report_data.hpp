#pragma once

#include "bankfull/app/convect/case.hpp"
#include "bankfull/app/convect/report_series.hpp"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace bankfull::convect {

/// What something is called, and what it is, as people read it.
using ReportFacts = std::vector<std::pair<std::string, std::string>>;

/// What of the physics and its walls a case is known by: numbers of [physics] as the case gives
/// them.
ReportFacts physics_facts(const Case& run);

/// All that the report of a run shows (docs/schema/convect-report.schema.json), in bounded room:
/// rows, pictures and places along profiles beyond some number are thinned out.
class ReportData {
 public:
  /// `series_heading`: the first line of series.csv. `slice_names`: as pictures are called, in the
  /// order of the case.
  ReportData(const Case& run, ReportFacts facts, const std::string& series_heading,
             std::vector<std::string> slice_names);

  /// A line of series.csv.
  void add_row(const std::string& line) { series_.add(line); }

  /// What was added before is of earlier processes, whose run this one continues; they have
  /// taken so many seconds.
  void begin(double seconds_before) {
    part_at_begin_ = part();
    seconds_before_ = seconds_before;
  }

  /// A line of slices.csv.
  void add_picture(const std::string& line);

  void set_resolution(const convection::Resolution& resolution);
  void set_profiles(std::vector<convection::Profile> profiles) { profiles_ = std::move(profiles); }
  void add_warning(const std::string& warning);

  /// The run has ended with this result, as in run.json.
  void end(std::string result) { result_ = std::move(result); }

  /// The run has failed; what goes wrong after its end is a warning.
  void fail(const std::string& why);

  /// When it is written.
  struct Moment {
    std::int64_t written = 0;      ///< seconds since 1970
    double seconds = 0.0;          ///< since this process began
    double expected_within = 0.0;  ///< seconds: when there should be news, of a run in progress
  };

  /// A script that hands all of it, as JSON, to the page.
  [[nodiscard]] std::string script(const Moment& moment) const;

 private:
  struct Picture {
    std::string file;
    double time = 0.0;
    double least = 0.0;
    double most = 0.0;
  };
  struct Bound {
    std::string name;
    double value = 0.0;
    double bound = 0.0;
  };

  [[nodiscard]] double part() const;
  [[nodiscard]] nlohmann::ordered_json pictures() const;
  [[nodiscard]] nlohmann::ordered_json document(const Moment& moment) const;

  const Case* run_;
  ReportFacts facts_;
  std::vector<std::string> slice_names_;
  ReportSeries series_;
  double part_at_begin_ = 0.0;  ///< of the run
  double seconds_before_ = 0.0;
  std::vector<std::vector<Picture>> pictures_;  ///< of each slice
  std::vector<Bound> resolution_;
  std::vector<convection::Profile> profiles_;
  std::vector<std::string> warnings_;
  std::string result_;
  std::string failure_;
};

}  // namespace bankfull::convect
