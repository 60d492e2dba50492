#pragma once

#include "bankfull/app/convect/case.hpp"

#include <string>
#include <vector>

namespace bankfull::convect {

/// The name with "{ra}", "{cells}" or "{physics.rayleigh}" replaced by what the case as it runs has
/// there, safe as a part of a file's name: "run-1e7", "run-64x1x64". "{{" stands for a brace.
/// Throws UsageError for what the case does not have, with the nearest that it has.
std::string filled_in(const std::string& name, const Case& run);

/// A name for --output that distinguishes runs with these settings, such as "layer-{ra}"; with
/// another key where there are none.
std::string output_example(const Case& run, const std::vector<std::string>& settings);

}  // namespace bankfull::convect
