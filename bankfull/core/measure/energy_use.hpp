#pragma once

#include "bankfull/core/base/figure.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/machine/rapl.hpp"
#include "bankfull/core/machine/throttling.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace bankfull {

/// The counters of this rank's GPUs, those that work, and of its node at one moment.
struct CounterReading {
  double seconds = 0.0;                            ///< since some time in the past
  EnergyCount energy = {};                         ///< that of GPUs is their sum
  std::vector<ThrottleSeconds> gpu_throttle = {};  ///< of each GPU
};

/// What the counters of this rank counted in the windows around the repeats of one measurement. A
/// window begins before a repeat is rewound and ends after it: nothing is read in a timed region,
/// nor between a rewind and the run that it prepares.
class CounterTally {
 public:
  /// A window with `timed_seconds` of timed work. One that follows within milliseconds is joined to
  /// the one before, with what lies between.
  void add(const CounterReading& before, const CounterReading& after, double timed_seconds);

  [[nodiscard]] int windows() const { return windows_; }     ///< joined ones count as one
  [[nodiscard]] double seconds() const { return seconds_; }  ///< of all windows
  /// Of the timed work in all windows, without what lies around it.
  [[nodiscard]] double timed_seconds() const { return timed_seconds_; }

  /// Joules in all windows; empty: not counted in all of them.
  [[nodiscard]] std::optional<double> joules(EnergyDomain domain) const;

  /// Share of the windows for which a GPU was throttled, 0 to 1, of several the one throttled
  /// longest; empty: not counted.
  [[nodiscard]] std::optional<double> throttled(Throttle reason) const;

 private:
  struct Sum {
    double value = 0.0;
    bool is_known = true;
    void add(const std::optional<double>& from, const std::optional<double>& to);
  };

  int windows_ = 0;
  double seconds_ = 0.0;
  double timed_seconds_ = 0.0;
  std::array<Sum, energy_domains> energy_ = {};
  std::vector<std::array<Sum, throttle_count>> throttle_;  ///< of each GPU
  std::optional<CounterReading> last_;
};

/// The share of the windows for which a GPU was throttled for a reason.
struct ThrottledShare {
  /// One of those that GPUs count.
  Throttle reason = Throttle::power_cap;
  double share = 0.0;  ///< 0 to 1; of several GPUs, of the one throttled longest
};

/// Whoever is throttled for less than this share of the time does not say so beside the verdict.
inline constexpr double min_throttled_share = 0.01;

/// Energy that the devices of all ranks used while the repeats of a measurement were timed. On GPUs
/// that of their boards, on CPUs that of the nodes' processors and, where it is counted, of their
/// memory, whoever used them.
struct EnergyUse {
  double joules = 0.0;               ///< in all windows (see CounterTally)
  double seconds = 0.0;              ///< of all windows
  double timed_seconds = 0.0;        ///< of the repeats in them
  double uncertainty = 0.0;          ///< of the joules, as a fraction; see energy_uncertainty
  std::string covers = {};           ///< "GPU boards", "processors and their memory"
  std::vector<Figure> domains = {};  ///< joules of each, also of those that do not count above
  std::string unknown_because = {};  ///< empty: the joules are known

  /// Whether the joules are known; if not, `unknown_because` says why.
  [[nodiscard]] bool is_known() const { return unknown_because.empty(); }
  /// Mean power over all windows; empty if the joules are not known.
  [[nodiscard]] std::optional<double> watts() const {
    return is_known() ? std::optional(joules / seconds) : std::nullopt;
  }
};

/// The driver's counter of a GPU's energy advances in steps of this length, measured on an H100.
inline constexpr double gpu_counter_seconds = 0.1;
/// The same for processors, as documented for RAPL (Intel SDM 3B, 15.10.1).
inline constexpr double processor_counter_seconds = 1e-3;

/// Joules are not told if they may be wrong by more than this fraction.
inline constexpr double max_energy_uncertainty = 0.1;

/// No figure where less than this share of the windows was timed: their power is not that of the
/// timed work.
inline constexpr double min_timed_share = 0.8;

/// By which fraction the joules of windows of so many seconds in all may be wrong, at constant
/// power: a counter that advances every `step` seconds lags by less than a step at either end of a
/// window, so one window errs by at most the energy of a step. The errors of several are
/// independent and add as the square root of their number.
double energy_uncertainty(double step, int windows, double seconds);

/// Whether windows of so many seconds are long enough for a figure.
bool is_long_enough(double step, int windows, double seconds);

/// Collective: the energy in the tallies of all ranks. `unreadable` is why this rank's device has
/// no counter, if it has none. GPUs shared by ranks, and nodes, count once.
EnergyUse energy_use(const CounterTally& tally, const std::string& unreadable, Device device,
                     const Communicator& ranks);

/// Collective: for which share of the windows GPUs were throttled, for each reason that any of them
/// counts, 0 included; empty optional: none counts any.
std::optional<std::vector<ThrottledShare>> throttled_shares(const CounterTally& tally,
                                                            const Communicator& ranks);

}  // namespace bankfull
