#pragma once

#include "bankfull/app/html_report/runs.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::html_report {

/// How many runs, or rows of reproductions, are what; one may be noisy and incomplete besides its
/// verdict.
struct Counts {
  std::string what = "run";
  std::size_t runs = 0;
  std::size_t verified = 0;
  std::size_t under_resolved = 0;
  std::size_t failed = 0;
  std::size_t unchecked = 0;
  std::size_t noisy = 0;
  std::size_t incomplete = 0;
};

Counts counts_of(const std::vector<ReportRun>& runs);

/// Of the rows that were measured.
Counts counts_of(const std::vector<reproduce::RecordedReproduction>& reproductions);

/// One word for all of them, the worst first: "failed", "incomplete", "under-resolved", "noisy",
/// "unchecked", "verified".
std::string overall(const Counts& counts);

/// The same as a sentence: "One of 3 runs failed its verification."
std::string sentence(const Counts& counts);

/// What is wrong with a run, in one sentence.
struct Fault {
  std::string kind;                     ///< as in `overall`
  std::optional<std::size_t> run = {};  ///< empty: it is of a row of a reproduction
  std::string text;
};

/// Of all runs and rows, the worst kind first.
std::vector<Fault> faults_of(const Inputs& inputs);

/// The worse of two words of `overall`.
std::string worse(const std::string& one, const std::string& other);

}  // namespace bankfull::html_report
