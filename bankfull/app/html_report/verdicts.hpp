#pragma once

#include "bankfull/app/html_report/runs.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace bankfull::html_report {

/// How many runs are what; a run may be noisy and incomplete besides its verdict.
struct Counts {
  std::size_t runs = 0;
  std::size_t verified = 0;
  std::size_t under_resolved = 0;
  std::size_t failed = 0;
  std::size_t unchecked = 0;
  std::size_t noisy = 0;
  std::size_t incomplete = 0;
};

Counts counts_of(const std::vector<ReportRun>& runs);

/// One word for all of them, the worst first: "failed", "incomplete", "under-resolved", "noisy",
/// "unchecked", "verified".
std::string overall(const Counts& counts);

/// The same as a sentence: "One of 3 runs failed its verification."
std::string sentence(const Counts& counts);

/// What is wrong with a run, in one sentence.
struct Fault {
  std::string kind;  ///< as in `overall`
  std::size_t run = 0;
  std::string text;
};

/// Of all runs, the worst kind first.
std::vector<Fault> faults_of(const std::vector<ReportRun>& runs);

}  // namespace bankfull::html_report
