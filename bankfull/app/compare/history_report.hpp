#pragma once

#include "bankfull/app/compare/history.hpp"

#include <string>
#include <vector>

namespace bankfull::compare {

/// A course for people: a table of its runs, its speed as a line of bars, and its steps with what
/// changed there.
std::string report_course(const Course& course);

/// "RESULT history workload=himeno ... runs=12 ratio=0.95 ... steps=1 verdict=slower"
std::string course_line(const Course& course, double threshold);

/// Values as bars of UTF-8 text, one each: "▁▄█". From the lowest bar to the highest it is at least
/// `least_range`, so that small differences look small.
std::string bars(const std::vector<double>& values, double least_range);

}  // namespace bankfull::compare
