#pragma once

#include "bankfull/core/base/figure.hpp"
#include "bankfull/core/machine/system_files.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bankfull {

/// The control group that Linux accounts this process to: what a container or a batch system allows
/// it. Version 2 only (cgroup(7)); a limit may also be that of a group around it, so each is the
/// strictest on the way to the root.
class Cgroup {
 public:
  explicit Cgroup(SystemFiles files);

  /// Its path, processors, limits of processor time and of memory.
  [[nodiscard]] std::vector<Figure> settings() const;

  /// Seconds for which groups on the way to the root have kept their processes waiting because
  /// their processor time was used up; empty if none has a limit.
  [[nodiscard]] std::optional<double> throttled_seconds() const;

 private:
  SystemFiles files_;
  std::string path_;                  ///< within the hierarchy: "user.slice/job.scope"
  std::vector<std::string> folders_;  ///< of the group and those around it, this one first
};

}  // namespace bankfull
