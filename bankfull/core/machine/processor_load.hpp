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

/// How many processors other processes use.
class OtherLoad {
 public:
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
