#include "bankfull/workloads/npb/is/bucket_ranking.hpp"

namespace bankfull::npb::is {

Work BucketRanking::work() const {
  return by_value_
             ? Work{.model = "none: keys that had no room in their buckets were ranked by value"}
             : work_in_buckets();
}

std::vector<Figure> BucketRanking::parameters() const {
  return {{.name = "ranked", .value = std::string(by_value_ ? "by_value" : "by_distribution")}};
}

std::vector<std::string> BucketRanking::notes() const {
  if (!by_value_) {
    return {};
  }
  return {
      "npb is: some bucket had more keys than room, so all keys were ranked once more, by "
      "value, while the watch ran; no traffic is stated"};
}

void BucketRanking::note_run(bool overflowed) {
  overflowed_ = overflowed;
  by_value_ = by_value_ || overflowed;
}

void BucketRanking::forget_runs() {
  overflowed_ = false;
  by_value_ = false;
}

}  // namespace bankfull::npb::is
