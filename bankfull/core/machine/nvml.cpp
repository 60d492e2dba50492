#include "bankfull/core/machine/nvml.hpp"

#include <array>
#include <dlfcn.h>

namespace bankfull {
namespace {

// From NVML's documented interface: return code 0 is success; clock kinds and link count below.
constexpr int nvml_success = 0;
constexpr unsigned sm_clock = 1;
constexpr unsigned memory_clock = 2;
constexpr unsigned most_links = 18;

}  // namespace

template <class Function>
Function* Nvml::symbol(const char* name) const {
  return library_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library_, name));
}

Nvml::Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
  auto* init = symbol<int()>("nvmlInit_v2");
  ready_ = init != nullptr && init() == nvml_success;
}

Nvml::~Nvml() {
  if (library_ == nullptr) {
    return;
  }
  auto* shutdown = symbol<int()>("nvmlShutdown");
  if (ready_ && shutdown != nullptr) {
    shutdown();
  }
  dlclose(library_);
}

void* Nvml::gpu(const std::string& pci_bus_id) const {
  auto* find = symbol<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  void* handle = nullptr;
  if (!ready_ || find == nullptr || find(pci_bus_id.c_str(), &handle) != nvml_success) {
    return nullptr;
  }
  return handle;
}

std::string Nvml::driver_version() const {
  auto* version = symbol<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  std::array<char, 80> text{};
  if (!ready_ || version == nullptr || version(text.data(), text.size()) != nvml_success) {
    return {};
  }
  return text.data();
}

int Nvml::number(const char* query, void* gpu) const {
  auto* get = symbol<int(void*, unsigned*)>(query);
  unsigned value = 0;
  const bool known = gpu != nullptr && get != nullptr && get(gpu, &value) == nvml_success;
  return known ? static_cast<int>(value) : 0;
}

int Nvml::clock(void* gpu, unsigned kind) const {
  auto* get = symbol<int(void*, unsigned, unsigned*)>("nvmlDeviceGetClockInfo");
  unsigned mhz = 0;
  const bool known = gpu != nullptr && get != nullptr && get(gpu, kind, &mhz) == nvml_success;
  return known ? static_cast<int>(mhz) : 0;
}

int Nvml::sm_clock_mhz(void* gpu) const { return clock(gpu, sm_clock); }
int Nvml::memory_clock_mhz(void* gpu) const { return clock(gpu, memory_clock); }
int Nvml::pcie_generation(void* gpu) const {
  return number("nvmlDeviceGetCurrPcieLinkGeneration", gpu);
}
int Nvml::pcie_width(void* gpu) const { return number("nvmlDeviceGetCurrPcieLinkWidth", gpu); }

int Nvml::active_nvlinks(void* gpu) const {
  auto* state = symbol<int(void*, unsigned, unsigned*)>("nvmlDeviceGetNvLinkState");
  int active = 0;
  for (unsigned link = 0; gpu != nullptr && state != nullptr && link < most_links; ++link) {
    unsigned enabled = 0;
    active += state(gpu, link, &enabled) == nvml_success && enabled != 0 ? 1 : 0;
  }
  return active;
}

}  // namespace bankfull
