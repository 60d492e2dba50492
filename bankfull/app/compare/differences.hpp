#pragma once

#include "bankfull/app/compare/matching.hpp"

#include <string>
#include <vector>

namespace bankfull::compare {

/// A fact, option or variable that differs between the old runs and the new ones.
struct Difference {
  std::string what;                          ///< "system.driver", "--size", "OMP_NUM_THREADS"
  std::vector<std::string> old_values = {};  ///< each once, sorted; empty: not recorded
  std::vector<std::string> new_values = {};
};

/// What differs between the machines, builds, options and environments of two sets of runs. Left
/// out are options that do not change what is measured, such as --json, and facts that change from
/// moment to moment, such as clocks at rest.
std::vector<Difference> differences(const std::vector<const RecordedRun*>& old_runs,
                                    const std::vector<const RecordedRun*>& new_runs);

/// What makes it unfair to compare matched groups, each once: "ranks: 2 against 4". Empty: nothing.
std::vector<std::string> unfair_differences(const Matches& matches);

/// Values for a table: "a, b".
std::string joined(const std::vector<std::string>& values);

}  // namespace bankfull::compare
