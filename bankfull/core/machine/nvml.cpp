#include "bankfull/core/machine/nvml.hpp"

#include "bankfull/core/base/dynamic_library.hpp"

#include <array>

namespace bankfull {
namespace {

// From NVML's documented interface: return code 0 is success; clock kinds and link count below.
constexpr int nvml_success = 0;
constexpr unsigned sm_clock = 1;
constexpr unsigned memory_clock = 2;
constexpr unsigned max_links = 18;

/// A query of one number of a GPU.
using NumberQuery = DynamicFunction<int(void*, unsigned*)>;

struct NvmlFunctions : DynamicLibrary {
  NvmlFunctions() : DynamicLibrary("libnvidia-ml.so.1") {}

  DynamicFunction<int()> init{*this, "nvmlInit_v2"};
  DynamicFunction<int()> shutdown{*this, "nvmlShutdown"};
  DynamicFunction<int(const char*, void**)> gpu_at{*this, "nvmlDeviceGetHandleByPciBusId_v2"};
  DynamicFunction<int(char*, unsigned)> driver_version{*this, "nvmlSystemGetDriverVersion"};
  DynamicFunction<int(void*, unsigned, unsigned*)> clock{*this, "nvmlDeviceGetClockInfo"};
  DynamicFunction<int(void*, unsigned, unsigned*)> link{*this, "nvmlDeviceGetNvLinkState"};
  NumberQuery pcie_generation{*this, "nvmlDeviceGetCurrPcieLinkGeneration"};
  NumberQuery pcie_width{*this, "nvmlDeviceGetCurrPcieLinkWidth"};
};

const NvmlFunctions& nvml() {
  static const NvmlFunctions functions;
  return functions;
}

int number_from(const NumberQuery& query, void* gpu) {
  unsigned value = 0;
  const bool known = gpu != nullptr && query && query(gpu, &value) == nvml_success;
  return known ? static_cast<int>(value) : 0;
}

int clock_mhz(void* gpu, unsigned kind) {
  unsigned mhz = 0;
  const bool known =
      gpu != nullptr && nvml().clock && nvml().clock(gpu, kind, &mhz) == nvml_success;
  return known ? static_cast<int>(mhz) : 0;
}

}  // namespace

Nvml::Nvml() : ready_(nvml().init && nvml().init() == nvml_success) {}

Nvml::~Nvml() {
  if (ready_ && nvml().shutdown) {
    nvml().shutdown();
  }
}

void* Nvml::gpu(const std::string& pci_bus_id) const {
  void* handle = nullptr;
  const bool found =
      ready_ && nvml().gpu_at && nvml().gpu_at(pci_bus_id.c_str(), &handle) == nvml_success;
  return found ? handle : nullptr;
}

std::string Nvml::driver_version() const {
  std::array<char, 80> text{};
  const bool known = ready_ && nvml().driver_version &&
                     nvml().driver_version(text.data(), text.size()) == nvml_success;
  return known ? text.data() : std::string();
}

int Nvml::sm_clock_mhz(void* gpu) const { return clock_mhz(gpu, sm_clock); }
int Nvml::memory_clock_mhz(void* gpu) const { return clock_mhz(gpu, memory_clock); }
int Nvml::pcie_generation(void* gpu) const { return number_from(nvml().pcie_generation, gpu); }
int Nvml::pcie_width(void* gpu) const { return number_from(nvml().pcie_width, gpu); }

int Nvml::active_nvlinks(void* gpu) const {
  int active = 0;
  for (unsigned link = 0; gpu != nullptr && nvml().link && link < max_links; ++link) {
    unsigned enabled = 0;
    active += nvml().link(gpu, link, &enabled) == nvml_success && enabled != 0 ? 1 : 0;
  }
  return active;
}

}  // namespace bankfull
