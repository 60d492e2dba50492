#pragma once

#include "bankfull/core/base/figure.hpp"
#include "bankfull/core/machine/nvml.hpp"
#include "bankfull/core/machine/throttling.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bankfull {

/// Reads the state of one GPU by NVML, a few milliseconds each, without touching its work. What the
/// driver does not report is absent.
class GpuMonitor {
 public:
  /// `nvml` must outlive it.
  GpuMonitor(const Nvml& nvml, const std::string& pci_bus_id);

  /// Whether NVML knows the GPU.
  [[nodiscard]] bool found() const { return gpu_ != nullptr; }

  /// Limits, maxima and modes, which a run does not change.
  [[nodiscard]] std::vector<Figure> settings() const;

  /// Temperatures, power and clocks now.
  [[nodiscard]] std::vector<Figure> state() const;

  /// Errors of memory and links since the driver was loaded, and remapped rows.
  [[nodiscard]] std::vector<Figure> errors() const;

  /// The reasons of throttling that apply now; empty optional: not reported.
  [[nodiscard]] std::optional<std::vector<Throttle>> throttled_now() const;

  /// Part of the last second, or less, in which any process kept the GPU busy, 0 to 1.
  [[nodiscard]] std::optional<double> utilisation() const { return nvml_.utilisation(gpu_); }

  // Counters, for differences between two readings; less than a millisecond together.
  /// What the board has used since the driver was loaded; empty: not counted.
  [[nodiscard]] std::optional<double> energy_joules() const { return nvml_.energy_joules(gpu_); }
  /// For how long each reason has applied since the driver was loaded.
  [[nodiscard]] ThrottleSeconds throttle_seconds() const { return nvml_.throttle_seconds(gpu_); }

  /// The limit of its power; empty: not reported.
  [[nodiscard]] std::optional<double> power_limit_watts() const {
    return nvml_.power_limit_watts(gpu_);
  }

 private:
  const Nvml& nvml_;
  void* gpu_;
};

/// The reasons of throttling in NVML's bits, nvmlClocksEventReason...; those for an idle GPU and
/// for clocks that somebody set are none.
std::vector<Throttle> throttles_in(std::uint64_t clock_event_reasons);

}  // namespace bankfull
