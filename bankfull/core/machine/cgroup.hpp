#pragma once

#include "bankfull/core/base/figure.hpp"
#include "bankfull/core/machine/system_files.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bankfull {

/// The periods of a control group's quota of processor time, since some time in the past.
struct QuotaPeriods {
  std::string folder;          ///< of the group: "sys/fs/cgroup/job.scope"
  std::int64_t all = 0;        ///< that have passed: nr_periods of cpu.stat
  std::int64_t throttled = 0;  ///< in which the quota was used up and processes waited

  /// Throttled ones among all, 0 to 1; 0 where none has passed.
  [[nodiscard]] double share() const {
    return all > 0 ? static_cast<double>(throttled) / static_cast<double>(all) : 0.0;
  }
};

/// What passed between two readings, of the group with the largest share of throttled periods;
/// empty: no group has a quota in both.
std::optional<QuotaPeriods> most_throttled(const std::vector<QuotaPeriods>& before,
                                           const std::vector<QuotaPeriods>& after);

/// The control group that Linux accounts this process to: what a container or a batch system allows
/// it. Version 2 only (cgroup(7)); a limit may also be that of a group around it, so each is the
/// strictest on the way to the root.
class Cgroup {
 public:
  /// Finds the group of this process, once. Throws nothing, also where there is none.
  explicit Cgroup(SystemFiles files);

  /// Its path, processors, limits of processor time and of memory.
  [[nodiscard]] std::vector<Figure> settings() const;

  /// The periods of each group on the way to the root that has a quota. Linux has their counters
  /// for groups without one too; the time that they waited it adds up over processors, so it is no
  /// share of anything.
  [[nodiscard]] std::vector<QuotaPeriods> quota_periods() const;

 private:
  SystemFiles files_;
  std::string path_;                  ///< within the hierarchy: "user.slice/job.scope"
  std::vector<std::string> folders_;  ///< of the group and those around it, this one first
};

}  // namespace bankfull
