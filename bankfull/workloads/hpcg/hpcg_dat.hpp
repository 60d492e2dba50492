#pragma once

#include "bankfull/workloads/hpcg/problem.hpp"

#include <istream>
#include <optional>
#include <string>

namespace bankfull::hpcg {

// The lines of the official program's input file that are read, as people count them.
inline constexpr int line_of_local = 3;
inline constexpr int line_of_seconds = 4;
inline constexpr int line_of_process_grid = 5;

/// The official program's input file.
struct HpcgDat {
  Grid3 local;
  std::optional<double> seconds;
  std::optional<Grid3> process_grid;
};

/// Reads the file's lines: two of any text; the points of a rank along x, y and z; the seconds of
/// the timed sets; the ranks along x, y and z. The last two may be missing, and ranks 0 0 0 mean
/// that the program chooses. What follows the numbers of a line, but for further numbers, and what
/// follows the last line is ignored, as the official program does.
///
/// Throws UsageError with `name`, line and column for what is malformed or out of range: the
/// official program silently takes other values instead.
HpcgDat read_hpcg_dat(std::istream& stream, const std::string& name);

}  // namespace bankfull::hpcg
