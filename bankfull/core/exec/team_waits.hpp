#pragma once

#include "bankfull/core/machine/processor_load.hpp"
#include "bankfull/core/machine/system_files.hpp"

#include <memory>
#include <vector>

namespace bankfull {

/// While one exists, threads that wait for their team sleep after microseconds; otherwise OpenMP
/// has them spin for milliseconds first, which suits a machine that has nothing else to do.
///
/// GNU's OpenMP shortens these waits by itself where its threads outnumber the processors, in all
/// teams at once, and looks again at each wait. This adds a team that sleeps, so that they do. With
/// other implementations it has no effect.
class ShortWaits {
 public:
  /// For teams of so many threads of a process with so many processors. Throws std::system_error
  /// where the system gives no threads.
  ShortWaits(int threads, int processors);
  ~ShortWaits();
  ShortWaits(const ShortWaits&) = delete;
  ShortWaits& operator=(const ShortWaits&) = delete;

 private:
  class IdleTeam;
  std::unique_ptr<IdleTeam> idle_;
};

/// How the threads of teams wait at their barriers: spinning, which is fastest, unless other
/// processes leave fewer processors free than a team has threads. Then a thread that spins keeps
/// one that has work from its processor: where threads meet often, a run that loses half of its
/// processors would be slower by a hundred times, not two.
class TeamWaits {
 public:
  /// For teams of so many threads on these processors, which other ranks use as little as others.
  TeamWaits(SystemFiles files, std::vector<int> processors, int threads);

  /// To be called between pieces of work, not within what is timed: at most four times a second,
  /// and for a thousandth of the time, it reads how busy the processors are and has threads wait
  /// accordingly.
  void adapt();

  /// Whether waiting threads sleep now, as the last `adapt` decided.
  [[nodiscard]] bool are_short() const { return short_ != nullptr; }

  /// The largest number of processors that others used while waits were short; 0: they never were.
  [[nodiscard]] double most_taken() const { return most_taken_; }

 private:
  void shorten();

  int threads_;
  int processors_;
  bool is_free_to_choose_;  ///< false: waits stay as they are
  OtherLoad load_;
  double next_;  ///< when to look again
  double most_taken_ = 0.0;
  std::unique_ptr<ShortWaits> short_;
};

}  // namespace bankfull
