#pragma once

#include "bankfull/core/measure/run_result.hpp"

#include <string>

namespace bankfull {

/// A figure's value with its unit as people write it: bytes in GiB, whole numbers whole.
std::string display(const Figure& figure);

/// Checks with their values, one line each.
std::string report_checks(const RunResult& result);

/// Whether the grid resolved what happened on it, likewise.
std::string report_resolution(const RunResult& result);

/// What the run spent its time on, a line for each phase and one for all.
std::string report_phases(const RunResult& result);

/// Where the references of the checks come from, one line each.
std::string report_sources(const RunResult& result);

/// The measurements of a run as a table, and below it each once: its ceilings, what marks at
/// working sets in a cache mean, why measurements are noisy, and the state of the machine.
std::string report_measurements(const RunResult& result);

/// The state of the machine in a line, and a line for each thing that slowed it and each new error
/// of its memory and links; nothing if nobody watched it.
std::string report_machine(const RunResult& result);

/// What a reader must know of the measurements, each note once.
std::string report_notes(const RunResult& result);

}  // namespace bankfull
