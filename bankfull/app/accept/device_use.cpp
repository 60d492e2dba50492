#include "bankfull/app/accept/device_use.hpp"

#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/machine/gpu_state.hpp"

namespace bankfull::accept {

double use_of(Device device) {
  if (!device.is_cuda()) {
    return 0.0;
  }
  const GpuInfo& gpu = survey_gpus().gpus.at(static_cast<std::size_t>(device.index));
  const Nvml nvml;
  return GpuMonitor(nvml, gpu.pci_bus_id).utilisation().value_or(0.0);
}

}  // namespace bankfull::accept
