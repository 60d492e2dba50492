#pragma once

#include <string>
#include <toml++/toml.h>
#include <vector>

namespace bankfull::convect {

/// Short names of fields for the command line and what they stand for, such as "ra" and
/// "physics.rayleigh".
const std::vector<std::pair<std::string, std::string>>& short_names();

/// Puts "key.path=value" over a case: the value is read as TOML, or else as text; a part of the
/// path that is a number counts the tables of a list. A setting of time.dt or time.cfl
/// takes away the other, one of initial.from takes away initial.velocity. What stands where is not
/// checked here. Throws UsageError for what is no setting.
void apply_setting(toml::table& root, const std::string& setting);

}  // namespace bankfull::convect
