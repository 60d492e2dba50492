#pragma once

#include "bankfull/app/reproduce/collect.hpp"
#include "bankfull/app/reproduce/paper.hpp"
#include "bankfull/app/reproduce/plan.hpp"

#include <string>
#include <vector>

namespace bankfull::reproduce {

/// The tables and figures of a paper, one line each.
std::string list_of(const Paper& paper);

/// The rows of some of them with the published values and the commands, and which of these would
/// run.
std::string plan_text(const Plan& plan, const Workplace& place, int ranks);

/// The tables: what the paper has, what was measured, and the ratio.
std::string tables_of(const Plan& plan, const std::vector<Outcome>& outcomes);

/// One line for each published value, and for each row without one.
std::string reproduction_lines(const Plan& plan, const std::vector<Outcome>& outcomes);

/// Ours over the published value; empty where either is missing.
std::optional<double> ratio_of(const Outcome& outcome, const Published& published);

}  // namespace bankfull::reproduce
