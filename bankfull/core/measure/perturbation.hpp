#pragma once

#include "bankfull/core/measure/run_result.hpp"

#include <string>
#include <vector>

namespace bankfull {

// Runs that check the checks: a workload's measured path multiplies its operator by 1 + `epsilon`,
// its references do not. A run whose epsilon is not 0 says so with all of these, and is never
// verified: below rounding no comparison can see epsilon, and figures of such a run must not look
// like a result.

/// For the notes of the result and stderr: "the measured operator is multiplied by 1 + 1e-06 on
/// purpose: these figures are no results".
std::string perturbation_note(double epsilon);

/// Beside the parameters of the problem and of each measurement: `perturbation`, a number, or its
/// name where JSON has none ("nan", "inf").
Figure perturbation_parameter(double epsilon);

/// What the name of the check below ends with, for those who look at the others.
inline constexpr const char* perturbation_check_name = "operator not perturbed";

/// Fails for every epsilon but 0. Its name is `subject`, if there is one, a blank and
/// `perturbation_check_name`.
Check perturbation_check(double epsilon, const std::string& subject = {});

// Appended where epsilon is not 0.
void add_perturbation(double epsilon, std::vector<std::string>& notes);
void add_perturbation(double epsilon, std::vector<Figure>& parameters);
void add_perturbation(double epsilon, std::vector<Check>& checks, const std::string& subject = {});

}  // namespace bankfull
