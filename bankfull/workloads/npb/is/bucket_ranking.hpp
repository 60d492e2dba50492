#pragma once

#include "bankfull/workloads/npb/is/is.hpp"

#include <string>
#include <vector>

namespace bankfull::npb::is {

/// A ranking in buckets whose capacity follows from the distribution of NPB's keys. A run in which
/// a bucket overflows ranks all keys again, by value. There is no traffic model for this case, so
/// it reports no traffic, and results state how keys were ranked.
///
/// These notes cover all runs with the same keys, because a figure combines several runs.
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
  /// To be called in each run, with the same value on all ranks.
  void note_run(bool overflowed) {
    overflowed_ = overflowed;
    by_value_ = by_value_ || overflowed;
  }

  /// To be called before the keys change.
  void forget_runs() { overflowed_ = by_value_ = false; }

  /// The work of a run without overflows.
  [[nodiscard]] virtual Work work_in_buckets() const = 0;

 private:
  bool overflowed_ = false;  ///< in the last run
  bool by_value_ = false;    ///< in any run
};

}  // namespace bankfull::npb::is
