#pragma once

#include "bankfull/app/html_report/runs.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::html_report {

/// One measurement among those of all runs.
struct Place {
  std::size_t run = 0;
  std::size_t measurement = 0;
};

/// What was measured, once or in several runs: the same work with the same settings on the same
/// device.
struct Kernel {
  std::string label;  ///< its name, with the settings that tell it from others of that name
  std::string workload;
  std::string device;
  std::string work;      ///< what it is wherever it runs: the key by which sets are compared
  bool is_part = false;  ///< of a run that is measured as a whole too
  std::vector<Place> places = {};
};

/// In the order in which they are measured first.
std::vector<Kernel> kernels_of(const std::vector<ReportRun>& runs);

/// The work of a kernel in both sets.
struct Comparison {
  std::string label;
  std::string workload;
  std::string device;
  std::string device_before;
  std::string unit;  ///< "FLOP/s", "B/s", or "1/s" where no work is stated
  double now = 0.0;  ///< median of the runs, by their median times
  double before = 0.0;
  bool within_spread = false;  ///< the repeats of both overlap, or there is but one of either

  [[nodiscard]] double ratio() const { return now / before; }
};

/// Every kernel of `runs` that the baseline has too.
std::vector<Comparison> compare(const std::vector<ReportRun>& runs,
                                const std::vector<ReportRun>& baseline);

}  // namespace bankfull::html_report
