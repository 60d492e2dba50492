#pragma once

#include "bankfull/app/convect/case.hpp"
#include "bankfull/app/toml_section.hpp"

namespace bankfull::convect {

/// Reads section [output] into the case's cadence and slices; the rest of its problem is complete.
/// Without any [[output.slice]] there is one of the temperature, or of the speed in a case without
/// one, through the middle of the box, across a horizontal axis, of these the one with the fewest
/// cells; `up` is the direction upwards.
void read_output(TomlSection& output, const convection::Vector& up, Case& wanted);

/// Reads section [fields] into the case's cadence and what is written then.
void read_fields(TomlSection fields, Case& wanted);

/// Reads section [checkpoint] into the case's cadence. Throws UsageError where it asks for what
/// this program was built without.
void read_checkpoint(TomlSection checkpoint, Case& wanted);

/// Reads [statistics], or [[statistics]] for several windows, into the case's cadence. Profiles are
/// along `up` where a window does not say along what.
void read_statistics(TomlSection& root, const convection::Vector& up, Case& wanted);

}  // namespace bankfull::convect
