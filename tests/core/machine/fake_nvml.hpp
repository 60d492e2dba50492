#pragma once

#include <cstdint>

namespace bankfull {

/// What the fake NVML of the tests reports: a hot GPU that nothing holds back. Codes and numbers
/// are those of nvml.h.
struct FakeNvml {
  int init_result = 0;
  int energy_result = 0;
  int power_result = 0;
  int field_result = 0;
  unsigned celsius = 63;
  unsigned memory_celsius = 71;
  unsigned milliwatts = 402'000;
  unsigned limit_milliwatts = 700'000;
  unsigned sm_megahertz = 1980;
  unsigned memory_megahertz = 2619;
  std::uint64_t event_reasons = 0;
  std::uint64_t energy_millijoules = 5'000'000;
  std::uint64_t power_cap_nanoseconds = 1'000'000'000;
  std::uint64_t thermal_nanoseconds = 0;
  std::uint64_t hardware_nanoseconds = 0;
  std::uint64_t power_brake_nanoseconds = 0;
  std::uint64_t corrected_errors = 7;
  std::uint64_t uncorrected_errors = 0;
  std::uint64_t link_replays = 1;  ///< of each link
  unsigned pcie_replays = 3;
  unsigned active_links = 2;
  unsigned remapped_rows = 4;
  unsigned remapping_pending = 0;
  unsigned remapping_failed = 0;
  unsigned busy_percent = 97;
  int energy_reads = 0;
  std::uint64_t second_energy_millijoules = 1'000'000;  ///< of the second GPU; all else is the same
  std::uint64_t second_power_cap_nanoseconds = 0;
  int users = 0;  ///< initialisations less shutdowns
};

/// The GPUs that the fake knows.
inline constexpr const char* fake_bus_id = "00000000:1B:00.0";
inline constexpr const char* second_fake_bus_id = "00000000:3B:00.0";

/// The type of the function `fake_nvml` of the fake libraries, which returns what they report.
using FakeNvmlAccess = FakeNvml*();

}  // namespace bankfull
