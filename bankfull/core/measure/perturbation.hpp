#pragma once

#include "bankfull/core/measure/run_result.hpp"

#include <string>
#include <vector>

namespace bankfull {

// Runs that test the checks: the measured path multiplies its operator by 1 + `epsilon`, the
// references do not. A run with nonzero epsilon says so by all of the functions below and is never
// verified: no comparison detects an epsilon below rounding, and the figures of such a run must
// not pass for a result.

/// For the notes of the result and stderr: "the measured operator is multiplied by 1 + 1e-06 on
/// purpose: these figures are not results".
std::string perturbation_note(double epsilon);

/// A parameter of the problem and of each measurement: `perturbation`, a number, or its name where
/// JSON has no such number ("nan", "inf").
Figure perturbation_parameter(double epsilon);

/// How the name of the check below ends, for callers that examine the other checks.
inline constexpr const char* perturbation_check_name = "operator not perturbed";

/// Fails for every epsilon but 0. Its name is `subject` and a blank, if any, then
/// `perturbation_check_name`.
Check perturbation_check(double epsilon, const std::string& subject = {});

/// Appends the note, or nothing if epsilon is 0.
void add_perturbation(double epsilon, std::vector<std::string>& notes);

/// Appends the parameter, or nothing if epsilon is 0.
void add_perturbation(double epsilon, std::vector<Figure>& parameters);

/// Appends the check, which fails, or nothing if epsilon is 0.
void add_perturbation(double epsilon, std::vector<Check>& checks, const std::string& subject = {});

}  // namespace bankfull
