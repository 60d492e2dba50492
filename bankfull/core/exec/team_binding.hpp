#pragma once

#include "bankfull/core/exec/team_places.hpp"

#include <vector>

namespace bankfull {

/// Binds the threads of teams to their places while it exists, one at a time. A thread binds itself
/// when it first asks for its share of a team's work (`my_share`, `share_number`), because OpenMP
/// starts new threads when a team grows. Teams of one thread run where the thread that constructs
/// this is bound.
class TeamBinding {
 public:
  /// Binds the calling thread too, as the first of a team of so many threads.
  TeamBinding(TeamPlaces places, int threads);
  ~TeamBinding();
  TeamBinding(const TeamBinding&) = delete;
  TeamBinding& operator=(const TeamBinding&) = delete;
};

/// While one exists, threads of teams run anywhere, bound or not. One at a time, and made and ended
/// between regions by the thread that starts them.
class LiftedBinding {
 public:
  LiftedBinding();
  ~LiftedBinding();
  LiftedBinding(const LiftedBinding&) = delete;
  LiftedBinding& operator=(const LiftedBinding&) = delete;
};

/// While one exists, threads and processes that the calling thread starts may use all processors of
/// this process: they inherit where it may run, and one core is not for them.
class UnboundStart {
 public:
  UnboundStart();
  ~UnboundStart();
  UnboundStart(const UnboundStart&) = delete;
  UnboundStart& operator=(const UnboundStart&) = delete;

 private:
  std::vector<int> before_;  ///< empty: nothing was bound
};

/// Whether the system lets threads choose their processors: some containers and sandboxes do not.
bool can_bind_threads();

namespace detail {
/// In a parallel region: binds the calling thread to its place, if it is not yet.
void bind_member();
}  // namespace detail

}  // namespace bankfull
