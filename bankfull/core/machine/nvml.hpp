#pragma once

#include <string>

namespace bankfull {

/// NVIDIA's management library, opened at run time because build machines lack its header.
/// Every query yields 0 or an empty text where the library or the value is missing.
class Nvml {
 public:
  Nvml();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Handle of the GPU with this PCI bus id, or null.
  [[nodiscard]] void* gpu(const std::string& pci_bus_id) const;

  [[nodiscard]] std::string driver_version() const;
  [[nodiscard]] int sm_clock_mhz(void* gpu) const;
  [[nodiscard]] int memory_clock_mhz(void* gpu) const;
  [[nodiscard]] int pcie_generation(void* gpu) const;
  [[nodiscard]] int pcie_width(void* gpu) const;
  [[nodiscard]] int active_nvlinks(void* gpu) const;

 private:
  bool ready_;
};

}  // namespace bankfull
