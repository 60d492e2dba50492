#pragma once

#include "bankfull/workloads/npb/is/is.hpp"

#include <string>
#include <vector>

namespace bankfull::npb::is {

/// A ranking in buckets that have the room which the distribution of NPB's keys asks for. A run in
/// which that is too little ranks all keys once more, by value. Then there is no model of what it
/// moves, so that it states no traffic, and results say how keys were ranked.
///
/// Statements are those of all runs with the same keys, for a figure is made of several.
class BucketRanking : public Ranking {
 public:
  using Ranking::Ranking;

  [[nodiscard]] bool overflowed() const final { return overflowed_; }

  /// No traffic where keys were ranked by value.
  [[nodiscard]] Work work() const final {
    return by_value_
               ? Work{.model = "none: keys that had no room in their buckets were ranked by value"}
               : work_in_buckets();
  }

  /// `ranked`: by_distribution or by_value.
  [[nodiscard]] std::vector<Figure> parameters() const final {
    return {{.name = "ranked", .value = std::string(by_value_ ? "by_value" : "by_distribution")}};
  }

  [[nodiscard]] std::vector<std::string> notes() const final {
    if (!by_value_) {
      return {};
    }
    return {
        "npb is: some bucket had more keys than room, so all keys were ranked once more, by "
        "value, in the timed region; no traffic is stated"};
  }

 protected:
  /// To be called in each run, with what all ranks agree on.
  void note_run(bool overflowed) {
    overflowed_ = overflowed;
    by_value_ = by_value_ || overflowed;
  }

  /// To be called where other keys follow.
  void forget_runs() { overflowed_ = by_value_ = false; }

  /// The work of a run in which buckets had room.
  [[nodiscard]] virtual Work work_in_buckets() const = 0;

 private:
  bool overflowed_ = false;  ///< in the last run
  bool by_value_ = false;    ///< in any run
};

}  // namespace bankfull::npb::is
