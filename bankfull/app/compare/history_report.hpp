#pragma once

#include "bankfull/app/compare/history.hpp"

#include <string>
#include <vector>

namespace bankfull::compare {

/// A course for people: a table of its runs, its speed as a line of bars, and its steps with what
/// changed there.
std::string report_course(const Course& course);

/// What is to be said of a run of a course: that a step begins with it, that it is invalid or
/// noisy. Empty: nothing.
std::string remark_on(const Course& course, std::size_t entry);

/// What changed with a step, which may be its cause: "changed: system.driver 570 -> 580".
std::string changes_at(const Step& step);

/// "RESULT history workload=himeno ... runs=12 ratio=0.95 ... steps=1 verdict=slower"
std::string course_line(const Course& course, double threshold);

/// Values as bars of UTF-8 text, one each: "▁▄█". From the lowest bar to the highest it is at least
/// `least_range`, so that small differences look small.
std::string bars(const std::vector<double>& values, double least_range);

}  // namespace bankfull::compare
