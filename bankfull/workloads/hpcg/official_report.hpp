#pragma once

#include "bankfull/workloads/hpcg/outcome.hpp"

#include <ctime>
#include <string>
#include <vector>

namespace bankfull::hpcg {

// What the official program, version 3.1, writes: the same keys in the same order, numbers with six
// significant digits, so that what reads its files reads ours; and a section "Program", which names
// this one, the rules of official runs that were not kept, and what times of parts cover.

/// Why a run is no official result; empty where it is one.
std::vector<std::string> why_not_official(const Outcome& outcome);

/// The text of the file of results, with the lines that the official program writes with MPI.
std::string official_report(const Outcome& outcome);

/// The text of the log. Solves of the spectral test and residuals of products appear where the
/// outcome has them.
std::string official_log(const Outcome& outcome);

/// "HPCG-Benchmark_3.1_2026-11-21_14-05-06.txt", by the time at which a run ended.
std::string official_file_name(const std::tm& ended);

/// "hpcg20261121T140506.txt", by the time at which a run began.
std::string official_log_name(const std::tm& began);

}  // namespace bankfull::hpcg
