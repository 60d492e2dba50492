#pragma once

#include <cstdint>

namespace bankfull {

/// A half-open range of indices.
struct Range {
  std::int64_t begin = 0;  ///< the first index
  std::int64_t end = 0;    ///< one past the last

  /// Number of indices; negative where the end lies before the begin.
  [[nodiscard]] constexpr std::int64_t size() const { return end - begin; }
  /// Whether `n` is one of the indices.
  [[nodiscard]] constexpr bool holds(std::int64_t n) const { return n >= begin && n < end; }
  /// Equal bounds: empty ranges may differ.
  friend constexpr bool operator==(const Range&, const Range&) = default;
};

/// The part of [0, count) that member `member` of a team of `members` works on. Parts are
/// contiguous, ordered, and differ by at most one in size; some are empty when count < members.
constexpr Range share(std::int64_t count, int member, int members) {
  const std::int64_t base = count / members;
  const std::int64_t extra = count % members;
  const std::int64_t begin = member * base + (member < extra ? member : extra);
  return {begin, begin + base + (member < extra ? 1 : 0)};
}

/// Below this size one thread copies faster than waking the others takes.
inline constexpr std::int64_t min_team_bytes = std::int64_t{256} << 10;

/// The OpenMP threads of this process that work together.
///
/// Every loop of a team divides planes by `share`, also the one that touches memory first, so that
/// a thread finds its pages on its own NUMA node.
class Team {
 public:
  /// Binds its threads to their places, if teams are bound (TeamBinding). Throws UsageError where
  /// OpenMP gives fewer threads (OMP_THREAD_LIMIT, OMP_MAX_ACTIVE_LEVELS, a parallel region
  /// around): their parts of the work would be left undone.
  explicit Team(int threads);

  /// Their number, the calling thread included; at least 1.
  [[nodiscard]] int threads() const { return threads_; }

  /// OMP_NUM_THREADS if set, else the cores this process may run on.
  static int default_threads();

 private:
  int threads_;
};

/// Inside a parallel region: the calling thread's part of [0, count). A thread that asks for the
/// first time is bound to its place, if teams are bound (TeamBinding).
Range my_share(std::int64_t count);

/// Inside a parallel region: the calling thread's number. Binds it likewise.
int share_number();

/// Inside a parallel region: how many threads there are.
int share_count();

}  // namespace bankfull
