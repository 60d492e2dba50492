#pragma once

#include "bankfull/app/convect/case.hpp"
#include "bankfull/app/toml_section.hpp"

#include <string>

namespace bankfull::convect {

/// A name that is part of names of files. Throws UsageError.
std::string read_file_name(TomlSection& section, const std::string& absent);

/// Reads all [[probe]] into the case's cadence; the rest of its problem is complete.
void read_probes(const TomlSection& root, Case& wanted);

/// Reads all [[spectrum]] likewise.
void read_spectra(const TomlSection& root, Case& wanted);

/// Throws UsageError where a window in time ends before it begins.
void require_window(const TomlSection& section, double from, double until);

}  // namespace bankfull::convect
