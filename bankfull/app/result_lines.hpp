#pragma once

#include "bankfull/core/measure/run_result.hpp"

#include <string>

namespace bankfull {

/// One line a measurement, for scripts: "RESULT himeno size=M ... seconds=0.61 ... host=node7".
///
/// Numbers are in base units, or in the unit that the key ends with. What does not apply is absent:
/// a measurement without traffic has no bandwidth_gbs, one without a ceiling no percent. See
/// "RESULT lines" in docs/output.md.
std::string result_lines(const RunResult& result);

/// The key of a figure: its name, and its unit unless the name says it: "setup_seconds".
std::string result_key(const Figure& figure);

/// A text as the value of a key of a RESULT line: without blanks, and in one line.
std::string result_value(const std::string& text);

}  // namespace bankfull
