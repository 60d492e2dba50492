#pragma once

#include "bankfull/core/machine/throttling.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace bankfull {

/// Rows of a GPU's memory that spare ones replaced, since it was made.
struct RemappedRows {
  std::int64_t correctable = 0;    ///< because of errors that ECC corrected
  std::int64_t uncorrectable = 0;  ///< because of errors that it could not
  bool pending = false;            ///< more will be when the GPU is reset
  bool failed = false;             ///< spare rows were lacking
};

/// Errors on the active links of a GPU to others, since the driver was loaded.
struct LinkErrors {
  std::int64_t replays = 0;     ///< of the data link: what was transmitted again
  std::int64_t recoveries = 0;  ///< of the data link, as NVML counts them
  std::int64_t checksums = 0;   ///< CRC errors of flow control units
};

/// NVIDIA's management library, opened at run time because build machines lack its header.
/// Every query yields 0, an empty text or an empty optional where the library, the function (in an
/// old driver) or the value is missing.
class Nvml {
 public:
  /// `library` is another one in tests.
  explicit Nvml(const std::string& library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Handle of the GPU with this PCI bus id, or null.
  [[nodiscard]] void* gpu(const std::string& pci_bus_id) const;

  /// Of the driver on this machine: "580.159.04".
  [[nodiscard]] std::string driver_version() const;
  /// Of the multiprocessors, now.
  [[nodiscard]] int sm_clock_mhz(void* gpu) const;
  /// Of the memory, now.
  [[nodiscard]] int memory_clock_mhz(void* gpu) const;
  /// Of the link to the host now, which steps down while it idles.
  [[nodiscard]] int pcie_generation(void* gpu) const;
  /// Lanes of the link to the host in use now.
  [[nodiscard]] int pcie_width(void* gpu) const;
  /// How many links to other GPUs or switches are up, 0 to 18.
  [[nodiscard]] int active_nvlinks(void* gpu) const;

  /// Of the chip, now.
  [[nodiscard]] std::optional<double> temperature_celsius(void* gpu) const;
  /// Now; empty also where the memory has no sensor.
  [[nodiscard]] std::optional<double> memory_temperature_celsius(void* gpu) const;
  /// At which the clocks are reduced.
  [[nodiscard]] std::optional<double> slowdown_temperature_celsius(void* gpu) const;
  /// Of the board, with its memory: the mean over a second on GPUs since Ampere, GA100 excepted,
  /// else now (NVML's documentation of nvmlDeviceGetPowerUsage).
  [[nodiscard]] std::optional<double> power_watts(void* gpu) const;
  [[nodiscard]] std::optional<double> power_limit_watts(void* gpu) const;  ///< in force
  /// The limit that the GPU starts with, which an administrator may change.
  [[nodiscard]] std::optional<double> default_power_limit_watts(void* gpu) const;
  [[nodiscard]] std::optional<int> performance_state(void* gpu) const;  ///< 0 is the fastest
  /// Part of the last second, or less, in which a kernel ran, of whatever process; 0 to 1.
  [[nodiscard]] std::optional<double> utilisation(void* gpu) const;
  /// The highest that the GPU has, whatever is set or its temperature allows.
  [[nodiscard]] std::optional<int> max_sm_clock_mhz(void* gpu) const;
  /// The same of the memory.
  [[nodiscard]] std::optional<int> max_memory_clock_mhz(void* gpu) const;
  /// The highest that both the GPU and its slot can have.
  [[nodiscard]] std::optional<int> max_pcie_generation(void* gpu) const;
  /// The most lanes that both the GPU and its slot can have.
  [[nodiscard]] std::optional<int> max_pcie_width(void* gpu) const;
  [[nodiscard]] std::optional<int> nvlink_mb_per_second(void* gpu) const;  ///< of one link
  /// Whether the driver keeps the GPU initialised while no process uses it.
  [[nodiscard]] std::optional<bool> persistence_mode(void* gpu) const;
  /// Whether Multi-Instance GPU mode is on now; not whether it will be after a reset.
  [[nodiscard]] std::optional<bool> mig_mode(void* gpu) const;
  /// Of the firmware on the board: "96.00.74.00.01".
  [[nodiscard]] std::string vbios_version(void* gpu) const;

  /// The reasons that apply now, a bit each: nvmlClocksEventReason...
  [[nodiscard]] std::optional<std::uint64_t> clock_event_reasons(void* gpu) const;

  // Counters since the driver was loaded.
  /// Of the board, with its memory.
  [[nodiscard]] std::optional<double> energy_joules(void* gpu) const;
  /// For each reason; old drivers count those of power and temperature only. Never cgroup_quota.
  [[nodiscard]] ThrottleSeconds throttle_seconds(void* gpu) const;
  /// Errors of memory and caches that ECC corrected; empty where it is off.
  [[nodiscard]] std::optional<std::int64_t> corrected_memory_errors(void* gpu) const;
  /// The same of errors that it could only detect.
  [[nodiscard]] std::optional<std::int64_t> uncorrected_memory_errors(void* gpu) const;
  /// Packets that the link to the host transmitted again.
  [[nodiscard]] std::optional<std::int64_t> pcie_replays(void* gpu) const;
  /// Summed over the active links; empty if no link reports any count.
  [[nodiscard]] std::optional<LinkErrors> nvlink_errors(void* gpu) const;

  /// Since the GPU was made, unlike the counters above; empty for GPUs that cannot remap.
  [[nodiscard]] std::optional<RemappedRows> remapped_rows(void* gpu) const;

 private:
  struct Functions;

  std::unique_ptr<const Functions> functions_;
  bool ready_;
};

}  // namespace bankfull
