#pragma once

#include "bankfull/app/html_report/runs.hpp"

#include <cstddef>
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
  bool is_part = false;  ///< of a run that is measured as a whole too
  std::vector<Place> places = {};
};

/// Whether a measurement is of a part of its run, which is measured as a whole too.
bool is_part_of_run(const RunResult& result, const Measurement& measurement);

/// In the order in which they are measured first.
std::vector<Kernel> kernels_of(const std::vector<ReportRun>& runs);

}  // namespace bankfull::html_report
