#include "bankfull/core/base/cuda_check.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/machine/nvml.hpp"

#include <array>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <span>

namespace bankfull::detail {
namespace {

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

int attribute(cudaDeviceAttr which, int index) {
  int value = 0;
  cuda_check(cudaDeviceGetAttribute(&value, which, index), "reading a GPU's attributes");
  return value;
}

std::string uuid_text(std::span<const char, 16> bytes) {
  std::string text = "GPU-";
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    const bool dash = n == 4 || n == 6 || n == 8 || n == 10;
    text += fmt::format("{}{:02x}", dash ? "-" : "", static_cast<unsigned char>(bytes[n]));
  }
  return text;
}

GpuInfo describe(int index, const Nvml& nvml) {
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, index), "reading a GPU's properties");
  std::array<char, 32> bus{};
  cuda_check(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), index),
             "reading a GPU's PCI bus id");
  void* handle = nvml.gpu(bus.data());
  return {
      .index = index,
      .name = properties.name,
      .compute_capability = fmt::format("{}.{}", properties.major, properties.minor),
      .pci_bus_id = bus.data(),
      .uuid = uuid_text(properties.uuid.bytes),
      .multiprocessors = properties.multiProcessorCount,
      .memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem),
      .l2_bytes = properties.l2CacheSize,
      .shared_bytes = static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor),
      .max_sm_clock_mhz = attribute(cudaDevAttrClockRate, index) / 1000,
      .max_memory_clock_mhz = attribute(cudaDevAttrMemoryClockRate, index) / 1000,
      .sm_clock_mhz = nvml.sm_clock_mhz(handle),
      .memory_clock_mhz = nvml.memory_clock_mhz(handle),
      .memory_bus_bits = properties.memoryBusWidth,
      .pcie_generation = nvml.pcie_generation(handle),
      .pcie_width = nvml.pcie_width(handle),
      .nvlinks = nvml.active_nvlinks(handle),
      .ecc = properties.ECCEnabled != 0,
  };
}

}  // namespace

GpuSurvey survey_cuda_gpus() {
  GpuSurvey survey;
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    survey.none_because =
        status == cudaSuccess ? "the driver reports no GPU" : cudaGetErrorString(status);
    return survey;
  }
  int version = 0;
  cuda_check(cudaDriverGetVersion(&version), "reading the driver's version");
  const Nvml nvml;
  survey.driver = nvml.driver_version();
  survey.driver_cuda = version_text(version);
  for (int index = 0; index < count; ++index) {
    survey.gpus.push_back(describe(index, nvml));
  }
  return survey;
}

GpuClocks cuda_gpu_clocks(const GpuInfo& gpu) {
  const Nvml nvml;
  void* handle = nvml.gpu(gpu.pci_bus_id);
  return {.sm_mhz = nvml.sm_clock_mhz(handle), .memory_mhz = nvml.memory_clock_mhz(handle)};
}

std::int64_t cuda_free_bytes(int index) {
  cuda_check(cudaSetDevice(index), "selecting the GPU");
  std::size_t available = 0;
  std::size_t total = 0;
  cuda_check(cudaMemGetInfo(&available, &total), "reading a GPU's free memory");
  return static_cast<std::int64_t>(available);
}

}  // namespace bankfull::detail
