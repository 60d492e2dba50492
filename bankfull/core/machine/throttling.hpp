#pragma once

#include "bankfull/core/base/enum_names.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace bankfull {

/// Why a device runs slower than it could, as far as the driver or Linux counts the time. A GPU's
/// reasons are NVML's "clocks event reasons"; that it idles, or that its clocks were set so, is no
/// throttling.
enum class Throttle {
  power_cap,     ///< the power limit: NVML's software power cap
  thermal,       ///< the driver's thermal slowdown, or a processor's own
  hardware,      ///< the board's slowdown, by temperature or otherwise: clocks halve or worse
  power_brake,   ///< an external signal, such as from the power supply
  cgroup_quota,  ///< the processor time that the container or the batch system allows
};

/// As results have them.
inline constexpr auto throttle_names = enum_names<Throttle>({
    {Throttle::power_cap, "power-capped"},
    {Throttle::thermal, "thermally throttled"},
    {Throttle::hardware, "slowed by hardware"},
    {Throttle::power_brake, "slowed by a power brake"},
    {Throttle::cgroup_quota, "held back by its cgroup"},
});

/// How many reasons there are: sizes arrays with a place for each.
inline constexpr std::size_t throttle_count = throttle_names.values().size();

/// Seconds for which each reason has applied since some time in the past; empty: not counted.
struct ThrottleSeconds {
  std::array<std::optional<double>, throttle_count> of = {};  ///< by reason, as operator[] has it

  /// Seconds of a reason; empty: not counted.
  [[nodiscard]] std::optional<double>& operator[](Throttle reason) {
    return of.at(static_cast<std::size_t>(reason));
  }
  /// The same, to read.
  [[nodiscard]] const std::optional<double>& operator[](Throttle reason) const {
    return of.at(static_cast<std::size_t>(reason));
  }

  /// Whether any reason is counted, if only as 0 s.
  [[nodiscard]] bool any_known() const {
    for (const std::optional<double>& seconds : of) {
      if (seconds) {
        return true;
      }
    }
    return false;
  }
};

}  // namespace bankfull
