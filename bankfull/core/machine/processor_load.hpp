#pragma once

#include "bankfull/core/machine/processors.hpp"
#include "bankfull/core/machine/system_files.hpp"

#include <map>
#include <optional>
#include <vector>

namespace bankfull {

/// For how long each of some processors has been busy since boot, in seconds, by its number.
/// Without those that the system does not list.
std::map<int, double> busy_seconds(const SystemFiles& files, const std::vector<int>& processors);

/// How much of the time between two readings, `elapsed` seconds apart, each processor was busy;
/// 0 to 1.
std::map<int, double> busy_shares(const std::map<int, double>& before,
                                  const std::map<int, double>& after, double elapsed);

/// How many cores are busy. A core is as busy as the busiest of its hardware threads.
double busy_cores(const std::vector<Processor>& ordered, const std::map<int, double>& shares);

/// How many cores have room for a thread that is always busy, if the others keep theirs: at least
/// 1. What moves from core to core counts as a whole.
int free_cores(const std::vector<Processor>& ordered, const std::map<int, double>& shares);

/// How many processors other processes use.
class OtherLoad {
 public:
  /// Takes the first reading. `processors` are the system's numbers of those to watch.
  OtherLoad(SystemFiles files, std::vector<int> processors);

  /// The mean since the last call or the construction, for which a fraction of a second must have
  /// passed; nothing if the system does not tell. What this process used of other processors must
  /// be nothing.
  std::optional<double> take();

 private:
  struct Reading {
    double seconds = 0.0;    ///< of the clock
    double busy = 0.0;       ///< of all processors
    double own = 0.0;        ///< of this process
    std::size_t listed = 0;  ///< processors
  };
  [[nodiscard]] Reading read() const;

  SystemFiles files_;
  std::vector<int> processors_;
  Reading last_;
};

}  // namespace bankfull
