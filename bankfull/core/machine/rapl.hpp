#pragma once

#include "bankfull/core/machine/system_files.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bankfull {

/// Whose energy a counter counts.
enum class EnergyDomain {
  gpu,      ///< boards, with their memory
  package,  ///< processors: cores, caches and memory controllers
  dram,     ///< the processors' memory, where they count it
};

/// How many there are: sizes arrays with a place for each.
inline constexpr std::size_t energy_domains = 3;

/// Joules of each domain since some time in the past; empty: not counted.
struct EnergyCount {
  /// By domain, as operator[] has it.
  std::array<std::optional<double>, energy_domains> joules = {};
  /// How often counting was interrupted: only counts of the same number can be subtracted.
  std::array<int, energy_domains> gaps = {};

  /// Joules of a domain; empty: not counted.
  [[nodiscard]] std::optional<double>& operator[](EnergyDomain domain) {
    return joules.at(static_cast<std::size_t>(domain));
  }
  /// The same, to read.
  [[nodiscard]] const std::optional<double>& operator[](EnergyDomain domain) const {
    return joules.at(static_cast<std::size_t>(domain));
  }
};

/// The energy counters of the processors of this node: RAPL ("running average power limit"), as
/// Linux shows them in /sys/class/powercap; AMD's have the same names. Only root may read them on
/// most systems (CVE-2020-8694).
///
/// The counters wrap around, after minutes at full power: every reading adds what was used since
/// the one before.
class Rapl {
 public:
  /// Finds the counters of all sockets and takes their first reading. Throws nothing: see
  /// `unknown_because`.
  explicit Rapl(SystemFiles files);

  /// Joules since construction, summed over the sockets, `seconds` after any fixed time. Counting
  /// has a gap where readings were too far apart to tell how often a counter wrapped.
  [[nodiscard]] EnergyCount read(double seconds);

  /// Why nothing is counted; empty if something is.
  [[nodiscard]] const std::string& unknown_because() const { return unknown_because_; }

 private:
  struct Counter {
    EnergyDomain domain = EnergyDomain::package;
    std::string file = {};
    double range_joules = 0.0;  ///< at which it wraps
    double last_joules = 0.0;
    double used_joules = 0.0;
    int gaps = 0;
  };

  void add_counter(EnergyDomain domain, const std::string& folder);
  void advance(Counter& counter, double seconds_apart) const;

  SystemFiles files_;
  std::vector<Counter> counters_;
  std::optional<double> last_seconds_;
  std::string unknown_because_;
};

/// No socket uses more, so that its counter cannot wrap unseen in less than its range divided by
/// this: four minutes for 262 kJ.
inline constexpr double max_package_watts = 1000.0;
/// The same of the memory of a socket.
inline constexpr double max_dram_watts = 200.0;

}  // namespace bankfull
