#pragma once

#include "bankfull/app/convect/case.hpp"

#include <string>
#include <vector>

namespace bankfull::convect {

/// A value of a case that is not what it was.
struct ChangedSetting {
  std::string name;    ///< "time.end"
  std::string before;  ///< as in TOML; "nothing" where it was not there
  std::string after;
};

/// Between two resolved cases, in the order of their names. Throws UsageError where one is no TOML.
std::vector<ChangedSetting> changed_settings(const std::string& before, const std::string& after);

/// Throws UsageError, beginning with the place of the setting, for what a run cannot change
/// once it has begun: another grid, other scalars, another scheme or another start.
void require_changeable(const std::vector<ChangedSetting>& changes, const Case& wanted);

}  // namespace bankfull::convect
