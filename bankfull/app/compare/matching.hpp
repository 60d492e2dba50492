#pragma once

#include "bankfull/app/recorded/recorded_run.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace bankfull::compare {

using recorded::RecordedRun;

/// Named texts that things are told apart by.
using Names = std::map<std::string, std::string>;

/// What was measured and where, as far as figures of two runs can differ by it.
struct Subject {
  std::string workload;
  std::string name;     ///< of the measurement, or the key of the ceiling
  Names identity = {};  ///< what was asked for: size, precision, schedule ...
  Names choices = {};   ///< how it was done, which the program may choose: transport, solver ...
  Names place = {};     ///< what figures cannot be compared across: processor, ranks, threads ...

  auto operator<=>(const Subject&) const = default;

  /// "NVIDIA H200", "Xeon, 2 threads, 4 ranks".
  [[nodiscard]] std::string place_text() const;

  /// The name with the workload, where it does not begin with it, and the place.
  [[nodiscard]] std::string text() const;
};

/// A measurement or a ceiling of a run; both live as long as the runs do.
struct Occurrence {
  const RecordedRun* run = nullptr;
  const Measurement* measurement = nullptr;  ///< null for a ceiling
  const Ceiling* ceiling = nullptr;          ///< of the measurement, if any
};

/// All that was measured of one subject, in the order of the runs.
struct Group {
  Subject subject;
  std::vector<Occurrence> occurrences = {};
};

/// The measurements of runs, in the order in which their subjects first occur.
std::vector<Group> measurements_of(const std::vector<RecordedRun>& runs);

/// What stands for the workload of ceilings, which are of the machine.
inline constexpr const char* ceilings_workload = "ceiling";

/// The ceilings that were measured in runs, likewise: each once per run.
std::vector<Group> ceilings_of(const std::vector<RecordedRun>& runs);

/// Groups of old and of new runs that measured the same thing, and those without a partner.
struct Matches {
  std::vector<std::pair<Group, Group>> pairs = {};
  std::vector<Group> only_old = {};
  std::vector<Group> only_new = {};
};

/// Pairs what is equal; then, of the rest, what differs by choices; then by its place, too; and
/// where nothing was found so far, by its precision. Those that could have several partners stay
/// alone.
Matches match(std::vector<Group> old_groups, std::vector<Group> new_groups);

}  // namespace bankfull::compare
