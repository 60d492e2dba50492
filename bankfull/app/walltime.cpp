#include "bankfull/app/walltime.hpp"

#include "bankfull/app/counts.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <array>

namespace bankfull {
namespace {

/// Hours without a bound, minutes and seconds of two digits below 60.
double seconds_of(const std::string& text) {
  constexpr std::array<std::int64_t, 3> most{1'000'000, 59, 59};
  const std::vector<std::string> parts = parts_of(text, ':');
  double seconds = 0.0;
  bool sound = parts.size() == most.size();
  for (std::size_t n = 0; sound && n < most.size(); ++n) {
    // "08" is eight
    const std::size_t zeros = std::min(parts[n].find_first_not_of('0'), parts[n].size());
    const std::string digits = parts[n].substr(zeros);
    const auto value = digits.empty() ? 0 : parse_count(digits, most[n]);
    sound = !parts[n].empty() && (n == 0 || parts[n].size() == 2) && value.has_value();
    seconds = 60.0 * seconds + static_cast<double>(value.value_or(0));
  }
  require(sound && seconds > 0.0, "--walltime " + text + " is not a time",
          "give hours, minutes and seconds, as in 23:50:00");
  return seconds;
}

}  // namespace

Walltime::Walltime(const std::string& text) : text_(text), seconds_(seconds_of(text)) {}

void Walltime::expect_saving(double seconds) { saving_ = std::max(saving_, seconds); }

double Walltime::margin() const {
  constexpr double to_end = 5.0;  // the last output of the run, and its result
  constexpr double largest_part = 0.5;
  return std::min(largest_part * seconds_, to_end + 2.0 * (saving_ + longest_gap_));
}

bool Walltime::requested() const {
  const double now = since_start_.seconds();
  if (last_asked_ > 0.0) {
    longest_gap_ = std::max(longest_gap_, now - last_asked_);
  }
  last_asked_ = now;
  return (other_ != nullptr && other_->requested()) || now >= seconds_ - margin();
}

std::string Walltime::cause() const {
  return other_ != nullptr && other_->requested() ? other_->cause() : "--walltime " + text_;
}

}  // namespace bankfull
