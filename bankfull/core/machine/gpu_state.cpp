#include "bankfull/core/machine/gpu_state.hpp"

#include <utility>

namespace bankfull {
namespace {

// nvml.h, nvmlClocksEventReason...
constexpr std::uint64_t software_power_cap_bit = 0x04;
constexpr std::uint64_t hardware_slowdown_bit = 0x08;
constexpr std::uint64_t software_thermal_bit = 0x20;
constexpr std::uint64_t hardware_thermal_bit = 0x40;
constexpr std::uint64_t power_brake_bit = 0x80;

std::optional<std::int64_t> positive(int value) {
  return value > 0 ? std::optional(std::int64_t{value}) : std::nullopt;
}

std::optional<std::int64_t> wide(std::optional<int> value) {
  return value ? std::optional(std::int64_t{*value}) : std::nullopt;
}

}  // namespace

std::vector<Throttle> throttles_in(std::uint64_t clock_event_reasons) {
  const auto has = [&](std::uint64_t bits) { return (clock_event_reasons & bits) != 0; };
  std::vector<Throttle> reasons;
  if (has(software_power_cap_bit)) {
    reasons.push_back(Throttle::power_cap);
  }
  if (has(software_thermal_bit)) {
    reasons.push_back(Throttle::thermal);
  }
  // The driver sets the general bit together with that of the brake.
  if (has(hardware_thermal_bit) || (has(hardware_slowdown_bit) && !has(power_brake_bit))) {
    reasons.push_back(Throttle::hardware);
  }
  if (has(power_brake_bit)) {
    reasons.push_back(Throttle::power_brake);
  }
  return reasons;
}

GpuMonitor::GpuMonitor(const Nvml& nvml, const std::string& pci_bus_id)
    : nvml_(nvml), gpu_(nvml.gpu(pci_bus_id)) {}

std::vector<Figure> GpuMonitor::settings() const {
  std::vector<Figure> all;
  add_known(all, "power_limit", nvml_.power_limit_watts(gpu_), "W");
  add_known(all, "power_limit_default", nvml_.default_power_limit_watts(gpu_), "W");
  add_known(all, "slowdown_temperature", nvml_.slowdown_temperature_celsius(gpu_), "C");
  add_known(all, "sm_clock_max", wide(nvml_.max_sm_clock_mhz(gpu_)), "MHz");
  add_known(all, "memory_clock_max", wide(nvml_.max_memory_clock_mhz(gpu_)), "MHz");
  add_known(all, "pcie_generation_max", wide(nvml_.max_pcie_generation(gpu_)));
  add_known(all, "pcie_width_max", wide(nvml_.max_pcie_width(gpu_)), "lanes");
  add_known(all, "nvlinks_active", positive(nvml_.active_nvlinks(gpu_)));
  add_known(all, "nvlink_speed", wide(nvml_.nvlink_mb_per_second(gpu_)), "MB/s");
  add_known(all, "persistence_mode", nvml_.persistence_mode(gpu_));
  add_known(all, "mig_mode", nvml_.mig_mode(gpu_));
  if (const std::string version = nvml_.vbios_version(gpu_); !version.empty()) {
    all.push_back({.name = "vbios", .value = version});
  }
  return all;
}

std::vector<Figure> GpuMonitor::state() const {
  std::vector<Figure> all;
  add_known(all, "temperature", nvml_.temperature_celsius(gpu_), "C");
  add_known(all, "memory_temperature", nvml_.memory_temperature_celsius(gpu_), "C");
  add_known(all, "power", nvml_.power_watts(gpu_), "W");
  add_known(all, "sm_clock", positive(nvml_.sm_clock_mhz(gpu_)), "MHz");
  add_known(all, "memory_clock", positive(nvml_.memory_clock_mhz(gpu_)), "MHz");
  add_known(all, "performance_state", wide(nvml_.performance_state(gpu_)));
  add_known(all, "utilisation", nvml_.utilisation(gpu_));
  // Links save power while they idle: their width and generation are state.
  add_known(all, "pcie_generation", positive(nvml_.pcie_generation(gpu_)));
  add_known(all, "pcie_width", positive(nvml_.pcie_width(gpu_)), "lanes");
  return all;
}

std::vector<Figure> GpuMonitor::errors() const {
  std::vector<Figure> all;
  add_known(all, "ecc_corrected", nvml_.corrected_memory_errors(gpu_));
  add_known(all, "ecc_uncorrected", nvml_.uncorrected_memory_errors(gpu_));
  if (const auto rows = nvml_.remapped_rows(gpu_)) {
    all.push_back({.name = "remapped_rows_correctable", .value = rows->correctable});
    all.push_back({.name = "remapped_rows_uncorrectable", .value = rows->uncorrectable});
    all.push_back({.name = "remapping_pending", .value = rows->pending});
    all.push_back({.name = "remapping_failed", .value = rows->failed});
  }
  add_known(all, "pcie_replays", nvml_.pcie_replays(gpu_));
  if (const auto links = nvml_.nvlink_errors(gpu_)) {
    all.push_back({.name = "nvlink_replays", .value = links->replays});
    all.push_back({.name = "nvlink_recoveries", .value = links->recoveries});
    all.push_back({.name = "nvlink_crc_errors", .value = links->checksums});
  }
  return all;
}

std::optional<std::vector<Throttle>> GpuMonitor::throttled_now() const {
  const auto reasons = nvml_.clock_event_reasons(gpu_);
  return reasons ? std::optional(throttles_in(*reasons)) : std::nullopt;
}

}  // namespace bankfull
