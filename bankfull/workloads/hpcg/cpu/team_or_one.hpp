#pragma once

#include <algorithm>

namespace bankfull::hpcg::cpu {

/// Whether a team or one thread is to do work next that is done again and again, with the same
/// result by both: whichever takes less time. Threads that wait for each other all the time take
/// longer than one where cores are busy with other processes, or where there is little to do.
class TeamOrOne {
 public:
  [[nodiscard]] bool is_for_team() const { return turns_of_one_ == 0; }

  /// The work took so long, done by whom `is_for_team` names.
  void took(double seconds) {
    if (!is_for_team()) {
      seconds_of_one_ = seconds;
      --turns_of_one_;
    } else if (seconds <= seconds_of_one_) {
      next_turns_ = 1;
    } else {
      turns_of_one_ = next_turns_;
      next_turns_ = std::min(2 * next_turns_, most_turns);
    }
  }

 private:
  static constexpr int most_turns = 32;

  int turns_of_one_ = 1;  ///< first by one, for comparison; more each time the team was slower
  int next_turns_ = 1;
  double seconds_of_one_ = 0.0;
};

}  // namespace bankfull::hpcg::cpu
